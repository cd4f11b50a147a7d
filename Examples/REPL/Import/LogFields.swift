package import Foundation
package import Models

/// The fields of a log with the properties of a message: those of an export, of a chat system's
/// preset, or named by the user.
package struct LogFields: Sendable {
    static let names = [
        "id", "channel", "time", "type", "sender", "nickname", "message", "parent",
    ]
    static let otherNames = ["user": "sender", "text": "message"]

    static let longestName = 1024

    /// The paths of each property; the first one with a value is used.
    ///
    /// A path that begins with `/` starts at the whole document.
    var sources = [
        "id": ["message_id", "msg_id"], "channel": ["channel_url"], "time": ["created_at", "ts"],
        "type": ["type"], "sender": ["sender", "user"], "nickname": [], "message": ["message"],
        "parent": ["parent_message_id"],
    ]

    private(set) var renamed: [String] = []

    /// The chat system of the log; `nil` for an export, or for fields that the user has named.
    var preset: LogPreset?

    /// The channel of all messages; `nil` if each line contains its channel.
    var channel: ChannelURL?

    /// The channel of lines without one, from the file's name; `nil` if that is an error.
    var fileChannel: String?

    /// The prefix of all IDs; `nil` if lines without an ID are an error.
    var idPrefix: String?

    /// The unit of times that are numbers; `nil` to infer it.
    var unit: String?

    /// The names of users from another file of the log, by ID.
    var nicknames: [String: String] = [:]

    /// The values outside of the list of messages, by path.
    var context: [String: JSONValue] = [:]

    package init() {}

    /// Sets the paths of a property, separated by `|`; returns `false` if there is no such
    /// property.
    mutating func rename(_ name: String, to path: String) -> Bool {
        let name = Self.otherNames[name] ?? name
        guard sources[name] != nil else { return false }
        let paths = path.split(separator: "|").map { String($0.trimmingPrefix(".")) }
        sources[name] = paths
        renamed += paths
        return true
    }

    /// The fields that were read or ignored, over all lines.
    package struct Tally: Sendable {
        /// The maximum number of names to count separately.
        private static let limit = 50

        private(set) var ignored: [String: Int] = [:]

        private(set) var others = 0

        /// The number of lines without a sender that are not marked as the channel's own messages.
        fileprivate(set) var senderless = 0

        fileprivate(set) var read: Set<String> = []

        package init() {}

        mutating func ignore(_ name: String) {
            if ignored[name] != nil || ignored.count < Tally.limit {
                ignored[name, default: 0] += 1
            } else {
                others += 1
            }
        }
    }

    /// Returns the message of a line in JSON, and adds its fields to the tally.
    package func message(of line: Data, _ tally: inout Tally) throws -> Message {
        try message(of: try Self.object(line), &tally)
    }

    func exported(_ line: Data) throws -> Message {
        try line.checkMarks(isJSON: true)
        guard var message = try? JSONDecoder().decode(Message.self, from: line),
            let id = message.messageID, message.createdAt != 0
        else { throw CommandError.failed("this is not a message of an export") }
        let time = max(message.createdAt, message.updatedAt ?? message.createdAt)
        guard Double(time.milliseconds) < LogTime.range.upperBound else {
            throw CommandError.failed("the time \(time) is not before the year 2100")
        }
        // The server would return the message as the answer to a later request with this ID.
        (message.requestID, message.newMessage) = (nil, nil)
        guard let channel else { return message }
        message.channelURL = channel
        message.messageID = try messageID(id.rawValue, in: channel)
        message.parentMessageID = try message.parentMessageID.map {
            try messageID($0.rawValue, in: channel)
        }
        return message
    }

    static func object(_ line: Data) throws -> JSONValue {
        try line.checkMarks(isJSON: true)
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: line),
            case .object = value
        else { throw CommandError.failed("this is not a JSON object") }
        return value
    }

    /// Returns the message of a line, and adds its fields to the tally.
    ///
    /// `parentChannel` is the channel of a reply in its parent's line. Errors name the missing or
    /// invalid field.
    func message(
        of line: JSONValue, in parentChannel: ChannelURL? = nil, _ tally: inout Tally
    ) throws -> Message {
        var reader = Reader(line: line, fields: self)
        for path in renamed where reader.value(at: path) != nil { tally.read.insert(path) }
        // An unneeded channel or ID does not count as ignored.
        let named = try reader.text("channel") ?? fileChannel
        guard let url = channel ?? parentChannel ?? named.map({ ChannelURL($0) }) else {
            throw missing("channel", "into CHANNEL gives one, and ")
        }
        guard let timeValue = reader.take("time") else { throw missing("time", reader.listHint) }
        guard let time = try LogTime.read(timeValue.value, unit: unit) else {
            throw wrong(timeValue, "a time: milliseconds, seconds or 2012-04-26T10:00:00Z")
        }
        guard let textValue = reader.take("message") else {
            throw missing("message", reader.listHint)
        }
        guard let written = textValue.value.parts else { throw wrong(textValue, "a text") }
        try written.checkMarks()
        var text = written
        if let preset {
            text = preset.decode(written, nicknames)
            try text.checkMarks()
        }
        let isAdmin = try isAdmin(&reader, &tally)
        let sender = try isAdmin ? nil : sender(&reader, &tally)
        if isAdmin, preset == nil, let from = reader.take("sender") {
            tally.ignore("\(from.path) of ADMM")
        }
        if sender == nil, !isAdmin { tally.senderless += 1 }
        let ownID = try reader.text("id")
        let parent = try reader.text("parent")
        guard ownID != nil || idPrefix != nil else {
            throw missing("id", "id=line makes one, and ")
        }
        let id = ownID ?? "\(time.milliseconds)-\(Self.fingerprint(sender, written))"
        for name in preset == nil ? reader.unread : reader.lost { tally.ignore(name) }
        let message = Message(
            type: sender == nil ? .admin : .text, id: try messageID(id, in: url),
            channelURL: url, sender: sender, text: text,
            createdAt: time,
            // Some systems name a thread's first message as its own parent.
            parentMessageID: try parent == ownID ? nil : parent.map { try messageID($0, in: url) },
            sendingStatus: .succeeded)
        return message
    }

    private func messageID(_ id: String, in url: ChannelURL) throws -> MessageID {
        let isPrefixed = channel != nil || preset != nil
        let name = (isPrefixed ? "\(url)-" : "") + (idPrefix ?? "") + id
        try Self.check(
            name, sources["id"]?.first ?? "id", isPrefixed ? ", after the channel's URL" : "")
        return MessageID(name)
    }

    private static func fingerprint(_ sender: Sender?, _ text: String) -> String {
        // FNV-1a in 64 bits.
        let hash = "\(sender?.userID.rawValue ?? "")\u{0}\(text)".utf8
            .reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return String(hash, radix: 36)
    }

    private func isAdmin(_ reader: inout Reader, _ tally: inout Tally) throws -> Bool {
        if let preset { return preset.isSystem(reader.line) }
        let kind = try reader.text("type") ?? "MESG"
        if kind != "MESG", kind != "ADMM" { tally.ignore("type \(kind)") }
        return kind == "ADMM"
    }

    private func sender(_ reader: inout Reader, _ tally: inout Tally) throws -> Sender? {
        guard let from = reader.take("sender") else { return nil }
        let nickname = try reader.text("nickname").map { preset?.decode($0) ?? $0 }
        if let id = from.value.scalar {
            try Self.check(id, from.path)
            let name = preset?.decode(id) ?? id
            return Sender(id: UserID(name), nickname: nickname ?? nicknames[id] ?? name)
        }
        guard case .object(var object) = from.value else {
            throw CommandError.failed(
                "the field '\(from.path)' is neither a user's id nor an object")
        }
        func take(_ names: String...) -> String? {
            for name in names {
                if let text = object.removeValue(forKey: name)?.scalar { return text }
            }
            return nil
        }
        guard let id = take("user_id", "guest_id") else {
            throw CommandError.failed("no field 'user_id' in '\(from.path)'")
        }
        try Self.check(id, from.path)
        let name = nickname ?? take("nickname", "name") ?? id
        for (name, value) in object where value != .null { tally.ignore("\(from.path).\(name)") }
        return Sender(id: UserID(id), nickname: name)
    }

    fileprivate static func check(_ name: String, _ field: String, _ remark: String = "") throws {
        guard name.isEmpty || name.utf8.count > longestName else { return }
        let what = name.isEmpty ? "is empty" : "has more than \(longestName) bytes"
        throw CommandError.failed("the field '\(field)\(remark)' \(what)")
    }

    private func missing(_ name: String, _ hint: String = "") -> CommandError {
        let fields = (sources[name] ?? []).map { "'\($0)'" }.joined(separator: " or ")
        return .failed("no field \(fields): \(hint)\(name)=NAME names another one")
    }

    private func wrong(_ found: (value: JSONValue, path: String), _ what: String) -> CommandError {
        .failed("the field '\(found.path)' is not \(what)")
    }
}

private struct Reader {
    let line: JSONValue
    let fields: LogFields
    private var read: Set<String> = []

    init(line: JSONValue, fields: LogFields) { (self.line, self.fields) = (line, fields) }

    func value(at path: String) -> JSONValue? {
        guard path.hasPrefix("/") else { return line.value(at: path[...]) }
        let path = String(path.dropFirst())
        return fields.context[path]
            ?? fields.context.first { $0.key.hasSuffix(".\(path)") }?.value
            ?? fields.context.lazy.compactMap { key, value in
                path.hasPrefix("\(key).") ? value.value(at: path.dropFirst(key.count + 1)) : nil
            }.first
    }

    /// Returns the value and the path of a property: those of the first path whose value is not
    /// empty.
    mutating func take(_ name: String) -> (value: JSONValue, path: String)? {
        var empty: (value: JSONValue, path: String)?
        for path in fields.sources[name] ?? [] {
            guard let value = value(at: path), value != .null else { continue }
            read.insert(path)
            if value.parts?.isEmpty != true { return (value, path) }
            empty = empty ?? (value, path)
        }
        return empty
    }

    mutating func text(_ name: String) throws -> String? {
        guard let found = take(name) else { return nil }
        guard let text = found.value.scalar ?? found.value.names else {
            throw CommandError.failed("the field '\(found.path)' is neither a text nor a number")
        }
        if name == "parent", text.isEmpty { return nil }
        try LogFields.check(text, found.path)
        return text
    }

    var unread: [String] {
        guard case .object(let entries) = line else { return [] }
        return entries.filter { name, value in
            value != .null && !read.contains { $0 == name || $0.hasPrefix("\(name).") }
        }.keys.sorted()
    }

    var lost: [String] {
        guard case .object(let entries) = line["post"] ?? line["direct_post"] ?? line else {
            return []
        }
        let empty: [JSONValue] = [.null, .array([]), .bool(false), .string("")]
        return entries.filter { LogPreset.lost.contains($0.key) && !empty.contains($0.value) }
            .keys.sorted()
    }

    var listHint: String {
        guard case .object(let entries) = line else { return "" }
        let list = entries.keys.sorted().first { key in
            if case .array(let elements)? = entries[key], case .object? = elements.first {
                return true
            }
            return false
        }
        return list.map { "messages=\($0) reads the list '\($0)', and " } ?? ""
    }
}

extension JSONValue {
    /// Returns the value at a path of keys, which are separated by dots and may contain dots; for
    /// an array, the texts of its elements in lines.
    func value(at path: Substring) -> JSONValue? {
        if path.isEmpty { return self == .null ? nil : self }
        if case .array(let elements) = self {
            let texts = elements.compactMap { $0.value(at: path)?.parts }
            return texts.isEmpty ? nil : .string(texts.joined(separator: "\n"))
        }
        guard case .object(let entries) = self else { return nil }
        var end = path.firstIndex(of: ".") ?? path.endIndex
        while true {
            if let value = entries[String(path[..<end])],
                let found = value.value(at: path[end...].dropFirst())
            {
                return found
            }
            guard end < path.endIndex else { return nil }
            end = path[end...].dropFirst().firstIndex(of: ".") ?? path.endIndex
        }
    }

    var scalar: String? {
        switch self {
        case .string(let text): text
        case .int(let number): "\(number)"
        default: nil
        }
    }

    /// The text, also of an array of texts or of objects with a text; otherwise `nil`.
    fileprivate var parts: String? {
        if let scalar { return scalar }
        if case .object = self { return self["text"]?.parts ?? self["content"]?.parts }
        guard case .array(let elements) = self else { return nil }
        let texts = elements.compactMap(\.parts)
        return texts.count == elements.count ? texts.joined() : nil
    }

    fileprivate var names: String? {
        guard case .array(let elements) = self else { return nil }
        let texts = elements.compactMap(\.scalar)
        return texts.isEmpty ? nil : texts.joined(separator: ",")
    }
}
