import Foundation
import Models

/// Something that a client can do in a room, and what the others show afterwards.
///
/// Each kind has a room of its own, whose members are Alice, who uses Scrollback, and Bob, who uses
/// matrix-nio.
struct Kind: Sendable {
    let name: String
    /// The arguments of nio with which Bob creates the room, as JSON.
    var room = "{}"
    /// A Boolean value that indicates whether Alice joins the room in the beginning.
    var isMember = true
    /// The steps that all devices of Alice receive when they happen.
    var before: [Step] = []
    /// The steps that a device receives live, after an absence, after a restart, or by reading the
    /// history.
    var then: [Step]
    /// The messages that Alice's devices show, as `KindPictures` draws them; `nil` if the room is
    /// not shown.
    var sees: String?
    /// The properties of the channel on Alice's devices, by their names in `KindPictures`.
    var channel: [String: String] = [:]
    /// The messages that nio shows; `nil` if they are not compared.
    var nio: String?
    /// The properties of the room that nio shows, by their names in `matrix_nio.py`.
    var nioRoom: [String: String] = [:]
}

/// The room of a kind in a run.
struct KindRoom: Sendable {
    let kind: Kind
    /// The IDs of users, events and files, by their names in the steps.
    var ids: [String: String]

    var url: ChannelURL { ChannelURL(ids["ROOM"] ?? "?") }

    func id(_ name: String) -> MessageID { MessageID(ids[name] ?? "?") }

    func reference(_ name: String) -> MessageReference { .sent(id(name)) }

    func user(_ name: String) -> UserID { UserID(ids[name] ?? "?") }
}

/// A step of a kind: an action of nio, or something that Alice does with Scrollback.
///
/// In the JSON of an action, texts that are names stand for IDs: `ROOM`, `@alice`, `@bob`,
/// `@carol`, and the names of earlier steps, such as `<m>`.
struct Step: Sendable {
    typealias Work = @MainActor @Sendable (LiveDevice, KindRoom) async throws -> MessageID?

    /// The name for the result of the step; empty if no later step needs it.
    var name = ""
    /// The user of nio.
    var user = "@bob"
    /// The action of nio as JSON.
    var action = ""
    /// What Alice does with Scrollback instead of an action.
    var work: Work?

    /// A step of another user of nio.
    func by(_ user: String) -> Step {
        var step = self
        step.user = user
        return step
    }

    /// Something that Alice does with Scrollback.
    static func ours(_ name: String = "", _ work: @escaping Work) -> Step {
        Step(name: name, work: work)
    }

    /// Another action of `matrix_nio.py`.
    static func nio(_ action: String, name: String = "") -> Step {
        Step(name: name, action: action)
    }

    /// An event that is no state, with JSON as its content.
    static func event(_ name: String, _ type: String, _ content: String) -> Step {
        Step(name: name, action: #"["send", "ROOM", "\#(type)", \#(content)]"#)
    }

    /// A message with JSON as its content.
    static func message(_ name: String, _ content: String) -> Step {
        event(name, "m.room.message", content)
    }

    /// A text, with JSON for further fields of the content.
    static func text(_ name: String, _ text: String, _ more: String = "") -> Step {
        let fields = more.isEmpty ? "" : ", \(more)"
        return message(name, #"{"msgtype": "m.text", "body": "\#(text)"\#(fields)}"#)
    }

    /// A text with a relation to an event, as JSON.
    static func text(_ name: String, _ text: String, relation: String) -> Step {
        self.text(name, text, #""m.relates_to": \#(relation)"#)
    }

    static func reply(_ name: String, _ text: String, to target: String) -> Step {
        self.text(name, text, relation: #"{"m.in_reply_to": {"event_id": "\#(target)"}}"#)
    }

    /// A message of a thread, which may answer another message of the thread.
    static func thread(
        _ name: String, _ text: String, in root: String, answering target: String? = nil
    ) -> Step {
        self.text(
            name, text,
            relation: """
                {"rel_type": "m.thread", "event_id": "\(root)",
                 "is_falling_back": \(target == nil),
                 "m.in_reply_to": {"event_id": "\(target ?? root)"}}
                """)
    }

    static func edit(_ name: String, _ target: String, _ text: String, _ more: String = "") -> Step
    {
        let fields = more.isEmpty ? "" : ", \(more)"
        return message(
            name,
            """
            {"msgtype": "m.text", "body": "* \(text)",
             "m.new_content": {"msgtype": "m.text", "body": "\(text)"\(fields)},
             "m.relates_to": {"rel_type": "m.replace", "event_id": "\(target)"}}
            """)
    }

    static func react(_ name: String, _ key: String, to target: String) -> Step {
        event(
            name, "m.reaction",
            """
            {"m.relates_to": {"rel_type": "m.annotation", "event_id": "\(target)",
                              "key": "\(key)"}}
            """)
    }

    static func redact(_ target: String) -> Step {
        Step(action: #"["room_redact", "ROOM", "\#(target)"]"#)
    }

    /// A state event with JSON as its content.
    static func state(
        _ type: String, _ content: String, key: String = "", name: String = ""
    ) -> Step {
        Step(name: name, action: #"["state", "ROOM", "\#(type)", "\#(key)", \#(content)]"#)
    }
}
