extension GroupChannel {
    /// Older servers write `is_hidden`, which has no duration.
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
    fileprivate var truth: Bool? {
        switch self {
        case .bool(let value): value
        case .int(let value): value != 0
        case .string(let text): Bool(lenient: text)
        default: nil
        }
    }
}
