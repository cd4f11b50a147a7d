import Foundation
package import Scrollback

/// Which fields of a log say what: those of an export by this package's own names, or others.
package struct LogFields {
    /// The names that may be changed, in the order in which a line is read.
    static let names = ["id", "channel", "time", "type", "sender", "message", "parent"]

    /// The most bytes that a name may have on the server.
    private static let longestName = 1024

    /// Where each is looked for: in the first of these fields that holds something.
    private var sources = [
        ["message_id", "msg_id"], ["channel_url"], ["created_at", "ts"], ["type"],
        ["sender", "user"], ["message"], ["parent_message_id"],
    ]

    /// Which were named by hand.
    private var renamed: [Int] = []

    /// The channel of all lines, whatever they name; `nil` for the one that each names.
    var channel: ChannelURL?

    /// What the ids of lines begin with that have none.
    var idPrefix = ""

    /// Whether the ids are made of the numbers of the lines, whatever they name.
    var numbersLines = false

    package init() {}

    /// Looks for a field by another name alone; says whether there is such a field.
    mutating func rename(_ name: String, to field: String) -> Bool {
        guard let index = LogFields.names.firstIndex(of: name) else { return false }
        sources[index] = [field]
        renamed.append(index)
        return true
    }

    /// The names, as a line is compared with them.
    package var bytes: [[UInt8]] { sources.joined().map { Array($0.utf8) } }

    /// The message of a line.
    ///
    /// - Parameters:
    ///   - line: The line, read with ``bytes``.
    ///   - number: Its number, for an id where it has none.
    ///   - ignore: Is called with the name of each field that is not taken into the message.
    /// - Returns: The message.
    /// - Throws: ``JSONLine/Damage`` that says which field is missing, or cannot be understood.
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
        guard let said = value(5, line).value.asText else { throw missing(5, "is a text") }
        let kind = try name(3, line)
        let isAdmin = kind == "ADMM"
        if let kind, !isAdmin, kind != "MESG" { ignore("type \(kind)") }
        let from = value(4, line)
        if isAdmin, from.value != .none { ignore("\(from.field) of ADMM") }
        let sender = isAdmin ? nil : try sender(from.value, from.field, ignore)
        let id = numbersLines ? nil : try name(0, line)
        return Message(
            type: isAdmin || sender == nil ? .admin : .user,
            id: MessageID(id ?? "\(idPrefix)\(number)"), channelURL: channelURL,
            sender: sender, text: said, createdAt: time,
            parentMessageID: try name(6, line).map { MessageID($0) }, sendingStatus: .succeeded)
    }

    /// Whether a line says that it is what the channel itself says.
    func isOwn(_ line: JSONLine) -> Bool {
        value(3, line).value.asText == "ADMM"
    }

    /// The fields that were named by hand and that a line has, by their places in ``names``.
    func renamedFields(of line: JSONLine) -> [Int] {
        guard !renamed.isEmpty else { return [] }
        return renamed.filter { value($0, line).value != .none }
    }

    /// The fields that were named by hand, but for some.
    func renamedFields(without seen: Set<Int>) -> [String] {
        renamed.filter { !seen.contains($0) }.map { sources[$0][0] }
    }

    /// What a line says of one of ``names``, and in which field.
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

    /// Tells the fields of a line that hold something, and stand behind another one that does, too.
    private func ignoreSeconds(_ line: JSONLine, _ ignore: (String) -> Void) {
        var place = 0
        for fields in sources {
            var isFound = false
            for field in fields {
                let isHere = line.values[place] != .none
                if isHere, isFound { ignore(field) }
                isFound = isFound || isHere
                place += 1
            }
        }
    }

    /// A text that names something, or a number; `nil` where the field is not there.
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

    /// What names the user, and then what they are called, in a sender that is an object.
    private static let senderFields = ["user_id", "guest_id", "nickname", "name"]
        .map { Array($0.utf8) }

    /// Who a line is from: an id, or an object that has one; `nil` where it is the channel itself.
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

    /// The names of a field, as people are told them.
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
