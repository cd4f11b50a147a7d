import Foundation
package import Scrollback

/// Which fields of a log say what: those of an export by this package's own names, or others.
package struct LogFields {
    /// The names that may be changed, in the order in which a line is read.
    static let names = ["id", "channel", "time", "type", "sender", "message", "parent"]

    private var fields = [
        "message_id", "channel_url", "created_at", "type", "sender", "message",
        "parent_message_id",
    ]

    /// The channel of all lines, whatever they name; `nil` for the one that each names.
    var channel: ChannelURL?

    /// What the ids of lines begin with that have none.
    var idPrefix = ""

    package init() {}

    /// Calls a field by another name; says whether there is such a field.
    mutating func rename(_ name: String, to field: String) -> Bool {
        guard let index = LogFields.names.firstIndex(of: name) else { return false }
        fields[index] = field
        return true
    }

    /// The names, as a line is compared with them.
    package var bytes: [[UInt8]] { fields.map { Array($0.utf8) } }

    /// The message of a line.
    ///
    /// - Parameters:
    ///   - line: The line, read with ``bytes``.
    ///   - number: Its number, for an id where it has none.
    /// - Returns: The message.
    /// - Throws: ``JSONLine/Damage`` that says which field is missing, or cannot be understood.
    package func message(_ line: JSONLine, number: Int) throws(JSONLine.Damage) -> Message {
        func text(_ index: Int) -> String? { line.values[index].asText }
        guard let channelURL = channel ?? text(1).map({ ChannelURL($0) }) else {
            throw missing(1, "into CHANNEL gives one")
        }
        guard let time = time(line.values[2]) else {
            throw missing(2, "milliseconds, seconds, or a date such as 2012-04-26T10:00:00Z")
        }
        guard let said = text(5) else { throw missing(5, "the text") }
        let isAdmin = text(3) == "ADMM"
        let sender = isAdmin ? nil : try sender(line.values[4])
        return Message(
            type: isAdmin || sender == nil ? .admin : .user,
            id: MessageID(text(0) ?? "\(idPrefix)\(number)"), channelURL: channelURL,
            sender: sender, text: said, createdAt: time,
            parentMessageID: text(6).map { MessageID($0) }, sendingStatus: .succeeded)
    }

    /// What names the user, and then what they are called, in a sender that is an object.
    private static let senderFields = ["user_id", "guest_id", "nickname", "name"]
        .map { Array($0.utf8) }

    /// Who a line is from: an id, or an object that has one; `nil` where it is the channel itself.
    private func sender(_ value: JSONLine.Value) throws(JSONLine.Damage) -> Sender? {
        if let id = value.asText { return Sender(id: UserID(id), nickname: id) }
        if value == .none { return nil }
        guard case .object(let bytes) = value else {
            throw JSONLine.Damage(
                description: "the field '\(fields[4])' is neither a user's id nor an object")
        }
        let object: JSONLine
        do throws(JSONLine.Damage) {
            object = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONLine.Damage) in
                try JSONLine(bytes, fields: LogFields.senderFields)
            }
        } catch {
            throw JSONLine.Damage(description: "in '\(fields[4])': \(error)")
        }
        let texts = object.values.map(\.asText)
        guard let id = texts[0] ?? texts[1] else {
            throw JSONLine.Damage(description: "no field 'user_id' in '\(fields[4])'")
        }
        return Sender(id: UserID(id), nickname: texts[2] ?? texts[3] ?? id)
    }

    private func missing(_ index: Int, _ hint: String) -> JSONLine.Damage {
        JSONLine.Damage(
            description: "no field '\(fields[index])', or not \(LogFields.names[index]): \(hint); "
                + "\(LogFields.names[index])=NAME names another one")
    }

    private func time(_ value: JSONLine.Value) -> Timestamp? {
        switch value {
        // What would be in 1973 as milliseconds is meant as seconds.
        case .number(let number):
            Timestamp(milliseconds: number.magnitude < 100_000_000_000 ? number * 1000 : number)
        case .text(let text): Timestamp(typed: text)
        case .object, .other, .none: nil
        }
    }
}

extension JSONLine.Value {
    /// The text, or the number as one; `nil` if it is neither.
    fileprivate var asText: String? {
        switch self {
        case .text(let text): text
        case .number(let number): String(number)
        case .object, .other, .none: nil
        }
    }
}
