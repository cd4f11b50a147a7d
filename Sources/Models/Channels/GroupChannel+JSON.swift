// What servers write in more than one way.
extension GroupChannel {
    /// Older payloads tell only that a channel is hidden, and not how.
    static let rules: JSONRules = JSONRules { (unknown, channel: inout GroupChannel, update) in
        guard let isHidden = unknown["is_hidden"]?.truth else { return }
        unknown["is_hidden"] = nil
        guard channel.hiddenState == .unhidden else { return }
        if isHidden {
            channel.hiddenState = .hiddenAllowAutoUnhide
            update.guess(\GroupChannel.hiddenState, in: schema)
        } else {
            update.clear(\GroupChannel.hiddenState, in: schema)
        }
    }
}

extension JSONValue {
    /// A truth value, however it is written; `nil` if it is none.
    fileprivate var truth: Bool? {
        switch self {
        case .bool(let value): value
        case .int(let value): value != 0
        case .string(let text): Bool(lenient: text)
        default: nil
        }
    }
}
