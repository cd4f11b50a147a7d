package import Foundation
package import Models

/// The fields of a log from which the properties of a message are read.
///
/// The default fields are those of an export. The user may name other fields.
package struct LogFields: Sendable {
    /// The properties for which the user may name a field.
    static let names = ["id", "channel", "time", "type", "sender", "message", "parent"]

    /// The maximum length of an ID on the server in bytes.
    private static let longestName = 1024

    /// The fields from which each property is read; the first field with a value is used.
    private var sources = [
        "id": ["message_id", "msg_id"], "channel": ["channel_url"], "time": ["created_at", "ts"],
        "type": ["type"], "sender": ["sender", "user"], "message": ["message"],
        "parent": ["parent_message_id"],
    ]

    /// The fields that the user has named.
    private(set) var renamed: [String] = []

    /// The channel into which all messages are imported; `nil` if each line contains its channel.
    ///
    /// If it is not `nil`, the IDs of all messages start with its URL. IDs must be unique on the
    /// whole server; with this prefix, the same log can be imported into several channels.
    var channel: ChannelURL?

    /// The prefix of IDs that are derived from line numbers; `nil` to read the IDs from a field.
    var idPrefix: String?

    package init() {}

    /// Sets the field from which a property is read, and returns `false` if there is no such
    /// property.
    mutating func rename(_ name: String, to field: String) -> Bool {
        guard sources[name] != nil else { return false }
        sources[name] = [field]
        renamed.append(field)
        return true
    }

    /// The fields that were read or ignored, over all lines.
    package struct Tally: Sendable {
        /// The maximum number of names that are counted separately.
        private static let limit = 50

        /// The numbers of occurrences of ignored fields, by name.
        private(set) var ignored: [String: Int] = [:]

        /// The number of occurrences of all other ignored fields.
        private(set) var others = 0

        /// The number of lines that have no sender, and are not marked as messages of the channel
        /// itself.
        fileprivate(set) var senderless = 0

        /// The names of the fields that were read.
        fileprivate(set) var read: Set<String> = []

        /// With `id=line`, the IDs that replace those of the log, so that replies name their parents.
        fileprivate var replacedIDs: [String: String] = [:]

        package init() {}

        fileprivate mutating func ignore(_ name: String) {
            if ignored[name] != nil || ignored.count < Tally.limit {
                ignored[name, default: 0] += 1
            } else {
                others += 1
            }
        }
    }

    /// Returns the message of a line.
    ///
    /// - Parameters:
    ///   - line: The line, a JSON object.
    ///   - number: The number of the line.
    ///   - tally: The tally to which the fields of the line are added.
    /// - Returns: The message.
    /// - Throws: ``CommandError``, which names the missing or invalid field.
    package func message(of line: Data, number: Int, _ tally: inout Tally) throws -> Message {
        var fields = try Self.object(line)
        func take(_ name: String) -> (value: JSONValue?, field: String) {
            let names = sources[name] ?? []
            for field in names {
                guard let value = fields.removeValue(forKey: field) else { continue }
                tally.read.insert(field)
                return (value, field)
            }
            return (nil, names[0])
        }
        func id(_ name: String) throws -> String? {
            let (value, field) = take(name)
            return try value.map { try Self.id($0, field) }
        }
        /// Returns the ID on the server.
        func messageID(_ id: String) throws -> MessageID {
            guard let channel else { return MessageID(id) }
            let name = "\(channel)-\(id)"
            try Self.check(name, "\(sources["id"]?[0] ?? ""), after the channel's URL")
            return MessageID(name)
        }
        // A channel or an ID that is not needed does not count as ignored.
        let named = take("channel")
        guard let url = try channel ?? named.value.map({ ChannelURL(try Self.id($0, named.field)) })
        else { throw missing("channel", "is a text", "into CHANNEL gives one, and ") }
        guard let time = Self.time(take("time").value) else {
            throw missing("time", "is a time, as milliseconds, seconds or 2012-04-26T10:00:00Z")
        }
        guard let text = take("message").value?.asText else {
            throw missing("message", "is a text")
        }
        let kind = try id("type")
        let isAdmin = kind == "ADMM"
        if let kind, !isAdmin, kind != "MESG" { tally.ignore("type \(kind)") }
        let from = take("sender")
        if isAdmin, from.value != nil { tally.ignore("\(from.field) of ADMM") }
        let sender =
            try isAdmin ? nil : from.value.map { try Self.sender($0, from.field, &tally) }
        if sender == nil, !isAdmin { tally.senderless += 1 }
        let parent = try id("parent")
        let own = take("id")
        let lineID = idPrefix.map { "\($0)\(number)" }
        guard let messageName = try lineID ?? own.value.map({ try Self.id($0, own.field) })
        else { throw missing("id", "is a text", "id=line makes one of the line's number, and ") }
        if let lineID, let id = own.value?.asText { tally.replacedIDs[id] = lineID }
        for field in fields.keys { tally.ignore(field) }
        return Message(
            type: sender == nil ? .admin : .user, id: try messageID(messageName),
            channelURL: url, sender: sender, text: text, createdAt: time,
            parentMessageID: try parent.map { try messageID(tally.replacedIDs[$0] ?? $0) },
            sendingStatus: .succeeded)
    }

    private static func object(_ line: Data) throws -> [String: JSONValue] {
        do {
            return try JSONDecoder().decode([String: JSONValue].self, from: line)
                .filter { $0.value != .null }
        } catch {
            throw CommandError.failed("this is not a JSON object")
        }
    }

    private static func id(_ value: JSONValue, _ field: String) throws -> String {
        guard let text = value.asText else {
            throw CommandError.failed("the field '\(field)' is neither a text nor a number")
        }
        try check(text, field)
        return text
    }

    private static func check(_ name: String, _ field: String) throws {
        guard name.isEmpty || name.utf8.count > longestName else { return }
        let what = name.isEmpty ? "is empty" : "has more than \(longestName) bytes"
        throw CommandError.failed("the field '\(field)' \(what)")
    }

    /// Returns the sender, which is an ID or an object that contains an ID.
    private static func sender(
        _ value: JSONValue, _ field: String, _ tally: inout Tally
    ) throws -> Sender {
        if let id = value.asText {
            try check(id, field)
            return Sender(id: UserID(id), nickname: id)
        }
        guard case .object(var object) = value else {
            throw CommandError.failed("the field '\(field)' is neither a user's id nor an object")
        }
        func take(_ names: String...) -> String? {
            for name in names {
                if let text = object.removeValue(forKey: name)?.asText { return text }
            }
            return nil
        }
        guard let id = take("user_id", "guest_id") else {
            throw CommandError.failed("no field 'user_id' in '\(field)'")
        }
        try check(id, field)
        let nickname = take("nickname", "name") ?? id
        for (name, value) in object where value != .null { tally.ignore("\(field).\(name)") }
        return Sender(id: UserID(id), nickname: nickname)
    }

    private func missing(_ name: String, _ what: String, _ hint: String = "") -> CommandError {
        let fields = (sources[name] ?? []).map { "'\($0)'" }.joined(separator: " or ")
        return .failed("no field \(fields) that \(what): \(hint)\(name)=NAME names another one")
    }

    private static func time(_ value: JSONValue?) -> Timestamp? {
        switch value {
        // A number is in seconds if, in milliseconds, it would be a time less than about three
        // years from 1970.
        case .int(let number)?:
            Timestamp(milliseconds: number.magnitude < 100_000_000_000 ? number * 1000 : number)
        case .double(let number)? where number.magnitude < 9e15:
            Timestamp(milliseconds: Int64(number.magnitude < 1e11 ? number * 1000 : number))
        case .string(let text)?:
            Int64(text).flatMap { time(.int($0)) } ?? Timestamp(typed: text)
        default: nil
        }
    }
}

extension JSONValue {
    /// The text, or the number as text; `nil` if the value is neither.
    fileprivate var asText: String? {
        switch self {
        case .string(let text): text
        case .int(let number): "\(number)"
        default: nil
        }
    }
}
