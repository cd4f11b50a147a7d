import Foundation

extension Message {
    /// Reads the keys of older servers, and marks messages with a server ID as sent.
    ///
    /// They write a file's properties as keys of the message, meta arrays as an object, and the
    /// order of its keys as an array. Other values stay in `extra`.
    static let rules: JSONRules = JSONRules { (unknown, message: inout Message, update) in
        adoptFile(&unknown, &message)
        if adoptMetaArrays(&unknown, &message) && message.metaArrays.isEmpty {
            update.clear(\Message.metaArrays, in: schema)
        }
    } complete: { message in
        if message.messageID != nil && message.sendingStatus == .none {
            message.sendingStatus = .succeeded
        }
    }

    private static func adoptFile(
        _ unknown: inout [String: JSONValue], _ message: inout Message
    ) {
        guard message.type == .file, message.file == nil, unknown["url"] != nil else { return }
        let keys = ["url", "name", "size", "require_auth", "thumbnails", "plain_url"]
        let properties = unknown.filter { keys.contains($0.key) }
        // A `FileInfo` accepts the same variants as a `file` object.
        guard let json = try? JSONEncoder().encode(properties),
            let file = try? JSONDecoder().decode(FileInfo.self, from: json)
        else { return }
        message.file = file
        for key in keys { unknown[key] = nil }
    }

    private static func adoptMetaArrays(
        _ unknown: inout [String: JSONValue], _ message: inout Message
    ) -> Bool {
        guard message.metaArrays.isEmpty, case .object(let entries) = unknown["metaarray"]
        else { return false }
        var values: [String: [String]] = [:]
        for (key, value) in entries {
            guard let texts = value.texts else { return false }
            values[key] = texts
        }
        var keys: [String] = []
        if case .array(let order) = unknown["metaarray_key_order"] {
            keys = order.compactMap(\.string)
        }
        keys += values.keys.sorted()
        message.metaArrays = keys.compactMap { key in
            values.removeValue(forKey: key).map { MetaArray(key: key, values: $0) }
        }
        unknown["metaarray"] = nil
        unknown["metaarray_key_order"] = nil
        return true
    }
}

extension JSONValue {
    fileprivate var texts: [String]? {
        guard case .array(let elements) = self else { return text.map { [$0] } }
        let texts = elements.compactMap(\.text)
        return texts.count == elements.count ? texts : nil
    }

    private var text: String? {
        switch self {
        case .string(let text): text
        case .int, .double, .bool: description
        case .null, .array, .object: nil
        }
    }
}
