import Foundation
package import Scrollback

/// The fields of a log from which the properties of a message are read.
///
/// The default fields are those of an export. The user may name other fields.
package struct LogFields {
    /// The properties for which the user may name a field, in the order in which a line is read.
    static let names = ["id", "channel", "time", "type", "sender", "message", "parent"]

    /// The maximum length of an ID on the server in bytes.
    private static let longestName = 1024

    /// The fields from which each of ``names`` is read; the first field with a value is used.
    private var sources = [
        ["message_id", "msg_id"], ["channel_url"], ["created_at", "ts"], ["type"],
        ["sender", "user"], ["message"], ["parent_message_id"],
    ]

    /// The indices of the ``names`` for which the user has named a field.
    private var renamed: [Int] = []

    /// The channel into which all messages are imported; `nil` if each line contains its channel.
    ///
    /// If it is not `nil`, the IDs of all messages start with its URL. IDs must be unique on the
    /// whole server; with this prefix, the same log can be imported into several channels.
    var channel: ChannelURL?

    /// The prefix of IDs that are derived from line numbers.
    var idPrefix = ""

    /// A Boolean value that indicates whether all IDs are derived from line numbers.
    var numbersLines = false

    package init() {}

    /// Sets the field from which a property is read, and returns `false` if there is no such
    /// property.
    mutating func rename(_ name: String, to field: String) -> Bool {
        guard let index = LogFields.names.firstIndex(of: name) else { return false }
        sources[index] = [field]
        renamed.append(index)
        return true
    }

    /// The names of all fields in UTF-8.
    ///
    /// ``JSONLine/values`` have the same order.
    package var bytes: [[UInt8]] { sources.joined().map { Array($0.utf8) } }

    /// Returns the message of a line.
    ///
    /// - Parameters:
    ///   - line: The line, read with ``bytes``.
    ///   - number: The number of the line, from which the ID is derived if the line has none.
    ///   - ignore: A closure that is called with the name of each field that is not part of the
    ///     message.
    /// - Returns: The message.
    /// - Throws: ``JSONLine/Damage``, which names the missing or invalid field.
    package func message(
        _ line: JSONLine, number: Int, ignoring ignore: (String) -> Void = { _ in }
    ) throws(JSONLine.Damage) -> Message {
        ignoreSeconds(line, ignore)
        let named = try channel == nil ? name(1, line) : nil
        guard let channelURL = channel ?? named.map({ ChannelURL($0) }) else {
            throw missing(1, "is a text", "into CHANNEL gives one, and ")
        }
        guard let time = time(value(2, line).value) else {
            throw missing(2, "is a time, as milliseconds, seconds or 2012-04-26T10:00:00Z")
        }
        guard let text = value(5, line).value.asText else { throw missing(5, "is a text") }
        let kind = try name(3, line)
        let isAdmin = kind == "ADMM"
        if let kind, !isAdmin, kind != "MESG" { ignore("type \(kind)") }
        let from = value(4, line)
        if isAdmin, from.value != .none { ignore("\(from.field) of ADMM") }
        let sender = isAdmin ? nil : try sender(from.value, from.field, ignore)
        let id = try (numbersLines ? nil : name(0, line)) ?? "\(idPrefix)\(number)"
        return Message(
            type: isAdmin || sender == nil ? .admin : .user,
            id: try messageID(id, 0), channelURL: channelURL, sender: sender, text: text,
            createdAt: time,
            parentMessageID: try name(6, line).map { id throws(JSONLine.Damage) in
                try messageID(id, 6)
            }, sendingStatus: .succeeded)
    }

    /// Returns the ID that a message of the log gets on the server.
    private func messageID(_ id: String, _ index: Int) throws(JSONLine.Damage) -> MessageID {
        guard let channel else { return MessageID(id) }
        let name = "\(channel)-\(id)"
        try check(name, "\(sources[index][0]), after the channel's URL")
        return MessageID(name)
    }

    /// Returns a Boolean value that indicates whether a line is a message of the channel itself,
    /// and not of a user.
    func isOwn(_ line: JSONLine) -> Bool {
        value(3, line).value.asText == "ADMM"
    }

    /// Returns the indices in ``names`` of the fields that the user has named and the line
    /// contains.
    func renamedFields(of line: JSONLine) -> [Int] {
        guard !renamed.isEmpty else { return [] }
        return renamed.filter { value($0, line).value != .none }
    }

    /// Returns the fields that the user has named and that are not among `seen`.
    func renamedFields(without seen: Set<Int>) -> [String] {
        renamed.filter { !seen.contains($0) }.map { sources[$0][0] }
    }

    /// Returns the value of the property `names[index]` in a line, and the field that contains it.
    private func value(
        _ index: Int, _ line: JSONLine
    ) -> (value: JSONLine.Value, field: String) {
        var place = sources[..<index].reduce(0) { $0 + $1.count }
        for field in sources[index] {
            if line.values[place] != .none { return (line.values[place], field) }
            place += 1
        }
        return (.none, sources[index][0])
    }

    /// Reports those fields of a line that are ignored, because an earlier field of the same
    /// property has a value.
    private func ignoreSeconds(_ line: JSONLine, _ ignore: (String) -> Void) {
        var place = 0
        for fields in sources {
            var isFound = false
            for field in fields {
                let hasValue = line.values[place] != .none
                if hasValue, isFound { ignore(field) }
                isFound = isFound || hasValue
                place += 1
            }
        }
    }

    /// Returns an ID, which is a text or a number; `nil` if the line has none.
    private func name(_ index: Int, _ line: JSONLine) throws(JSONLine.Damage) -> String? {
        let (value, field) = value(index, line)
        if value == .none { return nil }
        guard let text = value.asText else {
            throw JSONLine.Damage(
                description: "the field '\(field)' is neither a text nor a number")
        }
        try check(text, field)
        return text
    }

    private func check(_ name: String, _ field: String) throws(JSONLine.Damage) {
        guard name.isEmpty || name.utf8.count > Self.longestName else { return }
        let what = name.isEmpty ? "is empty" : "has more than \(Self.longestName) bytes"
        throw JSONLine.Damage(description: "the field '\(field)' \(what)")
    }

    /// The fields of a sender that is an object: first two fields for the ID, then two fields for
    /// the name.
    private static let senderFields = ["user_id", "guest_id", "nickname", "name"]
        .map { Array($0.utf8) }

    /// Returns the sender of a line, which is an ID or an object that contains an ID; `nil` if the
    /// message is of the channel itself.
    private func sender(
        _ value: JSONLine.Value, _ field: String, _ ignore: (String) -> Void
    ) throws(JSONLine.Damage) -> Sender? {
        if value == .none { return nil }
        if let id = value.asText {
            try check(id, field)
            return Sender(id: UserID(id), nickname: id)
        }
        guard case .object(let bytes) = value else {
            throw JSONLine.Damage(
                description: "the field '\(field)' is neither a user's id nor an object")
        }
        let object: JSONLine
        do throws(JSONLine.Damage) {
            object = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONLine.Damage) in
                try JSONLine(bytes, fields: LogFields.senderFields) { name in
                    ignore("\(field).\(String(decoding: name, as: UTF8.self))")
                }
            }
        } catch {
            throw JSONLine.Damage(description: "in '\(field)': \(error)")
        }
        let texts = object.values.map(\.asText)
        guard let id = texts[0] ?? texts[1] else {
            throw JSONLine.Damage(description: "no field 'user_id' in '\(field)'")
        }
        try check(id, field)
        return Sender(id: UserID(id), nickname: texts[2] ?? texts[3] ?? id)
    }

    /// Returns the names of the fields from which a property is read, for an error message.
    private func place(_ index: Int) -> String {
        sources[index].map { "'\($0)'" }.joined(separator: " or ")
    }

    private func missing(_ index: Int, _ what: String, _ hint: String = "") -> JSONLine.Damage {
        JSONLine.Damage(
            description: "no field \(place(index)) that \(what): "
                + "\(hint)\(LogFields.names[index])=NAME names another one")
    }

    private func time(_ value: JSONLine.Value) -> Timestamp? {
        switch value {
        // A number is in seconds if, in milliseconds, it would be a time less than about three
        // years from 1970.
        case .number(let number):
            Timestamp(milliseconds: number.magnitude < 100_000_000_000 ? number * 1000 : number)
        case .text(let text): Timestamp(number: text) ?? Timestamp(typed: text)
        case .object, .other, .none: nil
        }
    }
}

extension JSONLine.Value {
    /// The text, or the number as text; `nil` if the value is neither.
    fileprivate var asText: String? {
        switch self {
        case .text(let text): text
        case .number(let number): String(number)
        case .object, .other, .none: nil
        }
    }
}
