// What servers write in more than one way.
extension Message {
    /// Finds a place for keys of older payloads, and says that what a server names was sent.
    ///
    /// In those payloads a file's address, name and size stand in the message itself, and meta
    /// arrays are an object, with an array for the order of its keys.
    static let rules: JSONRules = JSONRules { (unknown, message: inout Message, _) in
        adoptFile(&unknown, &message)
        adoptMetaArrays(&unknown, &message)
    } complete: { message in
        if message.messageID != nil && message.sendingStatus == .none {
            message.sendingStatus = .succeeded
        }
    }

    private static func adoptFile(
        _ unknown: inout [String: JSONValue], _ message: inout Message
    ) {
        guard message.file == nil, let url = unknown["url"]?.string else { return }
        var file = FileInfo(url: url)
        file.name = unknown["name"]?.string
        if case .int(let size) = unknown["size"] { file.size = Int(truncatingIfNeeded: size) }
        if case .bool(let requiresAuth) = unknown["require_auth"] {
            file.requiresAuth = requiresAuth
        }
        for key in ["url", "name", "size", "require_auth"] { unknown[key] = nil }
        message.file = file
    }

    private static func adoptMetaArrays(
        _ unknown: inout [String: JSONValue], _ message: inout Message
    ) {
        guard message.metaArrays.isEmpty,
            case .object(let entries) = unknown["metaarray"]
        else { return }
        var keys = entries.keys.sorted()
        if case .array(let order) = unknown["metaarray_key_order"] {
            let ordered = order.compactMap(\.string).filter { entries[$0] != nil }
            keys = ordered + keys.filter { !ordered.contains($0) }
        }
        message.metaArrays = keys.map { key in
            guard case .array(let values) = entries[key] else { return MetaArray(key: key) }
            return MetaArray(key: key, values: values.compactMap(\.string))
        }
        unknown["metaarray"] = nil
        unknown["metaarray_key_order"] = nil
    }
}
