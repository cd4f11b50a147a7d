// What servers write in more than one way.
extension GroupChannel {
    /// Older payloads tell only that a channel is hidden, and not how.
    static let rules: JSONRules = JSONRules { (unknown, channel: inout GroupChannel, cleared) in
        guard case .bool(let isHidden) = unknown.removeValue(forKey: "is_hidden") else { return }
        if !isHidden && channel.hiddenState == .unhidden {
            if let field = schema.field(of: \GroupChannel.hiddenState) {
                cleared.insert(field.number)
            }
        } else if isHidden && channel.hiddenState == .unhidden {
            channel.hiddenState = .hiddenAllowAutoUnhide
        }
    }
}
