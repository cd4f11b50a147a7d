import Foundation
import Models
import Sync

struct MessageCopies {
    private var copies: [(source: String, message: Message)] = []

    mutating func add(_ message: Message?, from source: String) {
        if let message { copies.append((source, message)) }
    }

    /// Adds a copy; throws unless there is exactly one.
    mutating func add(_ id: MessageID, among messages: [Message], from source: String) throws {
        let found = messages.filter { $0.messageID == id }
        try expect(
            found.count == 1, "\(source) contains \(id) \(found.count) times: \(messages.ids)")
        add(found[0], from: source)
    }

    mutating func add(_ other: MessageCopies) { copies += other.copies }

    /// Throws unless all copies are equal, except for the sending status.
    func expectAgreement(with message: Message, of source: String) throws {
        for copy in copies {
            let differences = copy.message.differences(from: message)
            try expect(
                differences.isEmpty,
                "\(copy.source) differs from \(source) in \(message.shown): \(differences.joined(separator: ", "))"
            )
        }
    }

    func expectSent() throws {
        for (source, message) in copies {
            try expect(
                message.messageID != nil && message.sendingStatus == .succeeded,
                "\(message.shown) has the sending status \(message.sendingStatus) in \(source)")
        }
    }
}

extension Message {
    /// Ignores the sending status, which has a promise of its own, the order of reactions and of
    /// their users, and removed reactions.
    func differences(from other: Message) -> [String] {
        let (mine, theirs) = (compared, other.compared)
        guard mine != theirs else { return [] }
        let (left, right) = (mine.json, theirs.json)
        let names = Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
        // Unknown fields are not part of the JSON.
        guard !names.isEmpty else { return ["unknown fields"] }
        return names.map { name in
            "\(name) \(left[name]?.description ?? "missing") instead of "
                + (right[name]?.description ?? "missing")
        }
    }

    private var compared: Message {
        var message = self
        message.sendingStatus = .none
        message.reactions = reactions.sorted { $0.key < $1.key }.map { reaction in
            var reaction = reaction
            reaction.userIDs.sort()
            return reaction
        }
        return message
    }

    /// The sender's fields that the sent message lacks or has with another value, except those with
    /// the JSON names in `ignored`.
    func losses(of unsent: Message, except ignored: Set<String>) -> [String] {
        let local: Set = [
            "created_at", "sending_status", "user", "new_message",
        ]
        let sent = json
        return unsent.json.filter { !local.contains($0.key) && !ignored.contains($0.key) }
            .sorted { $0.key < $1.key }
            .compactMap { name, value in
                let received = sent[name] ?? .null
                guard !received.contains(value) else { return nil }
                return "\(name) \(received) instead of \(value)"
            }
    }

    private var json: [String: JSONValue] {
        // Encoding a record to JSON, and decoding any JSON, cannot fail.
        guard let data = try? JSONEncoder().encode(self),
            case .object(let fields) = try? JSONDecoder().decode(JSONValue.self, from: data)
        else { return [:] }
        return fields
    }
}

extension JSONValue {
    /// Returns whether a value equals another one, or is an object with all of its nonempty values.
    fileprivate func contains(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.object(let mine), .object(let others)):
            others.allSatisfy { name, value in
                value == "" || value == .null || (mine[name] ?? .null).contains(value)
            }
        case (.array(let mine), .array(let others)):
            mine.count == others.count && zip(mine, others).allSatisfy { $0.contains($1) }
        default: self == other || (self == .null && other == "")
        }
    }
}
