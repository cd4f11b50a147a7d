import Scrollback

/// The reply of a command: a text for people and, for `--json`, its values.
protocol Reply: Sendable {
    var text: String { get }

    var values: Values { get }
}

extension String: Reply {
    var text: String { self }

    var values: Values { [:] }
}

struct ValuedReply: Reply {
    var text: String
    var values: Values

    init(_ text: String, _ values: Values) { (self.text, self.values) = (text, values) }

    init<Value: Record>(_ text: String, _ record: Value) {
        self.init(text, [Value.valueName: record])
    }

    init<Value: Record>(_ text: String, list: [Value]) {
        self.init(text, [Value.valueName + "s": list])
    }

    static func + (reply: ValuedReply, text: String) -> ValuedReply {
        ValuedReply(reply.text + text, reply.values)
    }

    static func + (text: String, reply: ValuedReply) -> ValuedReply {
        ValuedReply(text + reply.text, reply.values)
    }
}

/// The values of a reply or of an event, by name.
///
/// DO NOT CHANGE a name: scripts read them.
struct Values: Encodable, Sendable, ExpressibleByDictionaryLiteral {
    private var entries: [String: any Encodable & Sendable]

    init(dictionaryLiteral entries: (String, any Encodable & Sendable)...) {
        self.entries = Dictionary(entries) { $1 }
    }

    var isEmpty: Bool { entries.isEmpty }

    subscript(name: String) -> (any Encodable & Sendable)? {
        get { entries[name] }
        set { entries[name] = newValue }
    }

    func encode(to encoder: any Encoder) throws {
        try entries.mapValues(Entry.init).encode(to: encoder)
    }

    private struct Entry: Encodable {
        let value: any Encodable & Sendable

        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }
}

extension Record {
    fileprivate static var valueName: String {
        switch schema.name {
        case "GroupChannel", "OpenChannel": "channel"
        case "Message", "Member", "User": schema.name.lowercased()
        case "OutboxItem": "outbox_item"
        default: "record"
        }
    }
}
