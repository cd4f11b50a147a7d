// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Keys are named as on the wire.

import Models

struct RoomEvent: Decodable, Sendable {
    let type: String
    /// The ID of the event; empty in the stripped state of an invitation.
    let id: String
    let sender: String
    let time: Timestamp
    let stateKey: String?
    var content: EventContent { storedContent.value }
    private let storedContent: Shared<EventContent>
    /// The content with all fields, for edits; `nil` for an event without a message type, and if
    /// fields may have been removed.
    let completeContent: JSONValue?
    let redacts: String?
    let isRedacted: Bool
    /// The replaced membership, if the server reported it.
    let previousMembership: String?
    /// The latest edit, bundled by the server.
    private(set) var replacement: Replacement?
    let thread: ThreadSummary?

    struct Replacement: Decodable, Sendable {
        let id: String
        let time: Timestamp
        var content: EventContent? { storedContent?.value }
        private let storedContent: Shared<EventContent>?
        let completeContent: JSONValue?

        private enum Key: String, CodingKey { case event_id, origin_server_ts, content }

        init(_ edit: RoomEvent) {
            (id, time, storedContent) = (edit.id, edit.time, edit.storedContent)
            completeContent = edit.completeContent?["m.new_content"]
        }

        init(from decoder: any Decoder) throws {
            let event = try decoder.container(keyedBy: Key.self)
            id = event.lenientID(.event_id) ?? ""
            time = Timestamp(milliseconds: event.lenient(.origin_server_ts) ?? 0)
            storedContent = event.lenient(.content).map(Shared.init)
            completeContent =
                decoder.readsWholeReply
                ? event.lenient(JSONValue.self, .content)?["m.new_content"] : nil
        }
    }

    private static let emptyContent = Shared(EventContent())

    struct ThreadSummary: Decodable, Sendable {
        let count: Int
        let latestAt: Timestamp

        private enum Key: String, CodingKey { case count, latest_event, origin_server_ts }

        init(from decoder: any Decoder) throws {
            let thread = try decoder.container(keyedBy: Key.self)
            count = thread.lenient(.count) ?? 0
            let latest = try? thread.nestedContainer(keyedBy: Key.self, forKey: .latest_event)
            latestAt = Timestamp(milliseconds: latest?.lenient(.origin_server_ts) ?? 0)
        }
    }

    static var fieldNames: Set<String> { Set(Key.allCases.map(\.rawValue)) }

    private enum Key: String, CodingKey, CaseIterable {
        case type, event_id, sender, origin_server_ts, state_key, content, redacts, unsigned
        case redacted_because, prev_content, membership
        case relations = "m.relations"
        case replace = "m.replace"
        case thread = "m.thread"
    }

    init(from decoder: any Decoder) throws {
        let event = try decoder.container(keyedBy: Key.self)
        type = try event.decode(String.self, forKey: .type)
        id = event.lenient(.event_id) ?? ""
        sender = event.lenient(.sender) ?? ""
        guard !type.isEmpty, !sender.isEmpty else { throw DecodingError.noEvent }
        time = Timestamp(milliseconds: event.lenient(.origin_server_ts) ?? 0)
        stateKey = event.lenient(.state_key)
        guard [type, id, sender, stateKey ?? ""].allSatisfy({ $0.utf8.count <= WireLimit.id })
        else { throw DecodingError.tooLong("an ID of an event") }
        storedContent = event.lenient(.content).map(Shared.init) ?? RoomEvent.emptyContent
        completeContent =
            type == "m.room.message" && decoder.readsWholeReply ? event.lenient(.content) : nil
        redacts = Self.redacts(
            type, stateKey, inContent: storedContent.value.redacts,
            inEvent: event.lenientID(.redacts))
        let unsigned =
            event.contains(.unsigned)
            ? try? event.nestedContainer(keyedBy: Key.self, forKey: .unsigned) : nil
        isRedacted = unsigned?.contains(.redacted_because) ?? false
        let previous =
            type == "m.room.member"
            ? try? unsigned?.nestedContainer(keyedBy: Key.self, forKey: .prev_content) : nil
        previousMembership = previous?.lenientID(.membership)
        let relations =
            unsigned?.contains(.relations) ?? false
            ? try? unsigned?.nestedContainer(keyedBy: Key.self, forKey: .relations) : nil
        thread = relations?.lenient(.thread)
        replacement = relations?.lenient(.replace)
        // Servers also name edits that lack the new content.
        if let content = replacement?.content, !isComplete(content) { replacement = nil }
    }
}

extension RoomEvent {
    /// Homeservers check who may redact only for events of the type of a redaction, and only for
    /// the field that the room's version defines.
    ///
    /// They copy its value to the other field.
    private static func redacts(
        _ type: String, _ stateKey: String?, inContent inner: String?, inEvent outer: String?
    ) -> String? {
        guard type == "m.room.redaction", stateKey == nil else { return nil }
        if let inner, let outer, inner != outer { return nil }
        return inner ?? outer
    }
}

// MARK: Kinds

extension RoomEvent {
    static let messageTypes = ["m.room.message", "m.sticker", "m.room.encrypted"]

    static let changeTypes = messageTypes + ["m.reaction", "m.room.redaction"]

    var hasMessageType: Bool { stateKey == nil && Self.messageTypes.contains(type) }

    var isMessage: Bool { hasMessageType && !isRedacted && !content.isEmpty && edited == nil }

    /// A redacted edit cannot be told from a redacted message.
    var isMessageOrRedacted: Bool { isMessage || hasMessageType && isRedacted }

    var edited: String? {
        let isEdit = hasMessageType && content.relation?.type == "m.replace"
        return isEdit ? content.relation?.eventID : nil
    }

    var reaction: (key: String, target: String)? {
        guard type == "m.reaction", !isRedacted, let relation = content.relation,
            let target = relation.eventID, let key = relation.key
        else { return nil }
        return (key, target)
    }
}

// MARK: Edits

extension RoomEvent {
    var currentContent: JSONValue? {
        replacement.map(\.completeContent) ?? completeContent
    }

    mutating func apply(_ edit: RoomEvent) {
        guard UserID(edit.sender) == UserID(sender), edit.type == type, edit.edited == id,
            !edit.isRedacted,
            isComplete(edit.content)
        else { return }
        if let replacement, (edit.time, edit.id) < (replacement.time, replacement.id) { return }
        replacement = Replacement(edit)
    }

    /// An encrypted message has the new content inside its own.
    private func isComplete(_ edit: EventContent) -> Bool {
        edit.isNewContent || type == "m.room.encrypted"
    }
}

/// A large value outside of the many events of a reply, most of which lack most properties.
private final class Shared<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
