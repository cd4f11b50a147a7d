// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Keys are named as on the wire.

import Models

struct SyncReply: Decodable {
    let nextBatch: String
    let joined: [String: JoinedRoom]
    let invited: [String: InvitedRoom]
    let left: [String: LeftRoom]
    /// The direct chats, by the ID of the other user; `nil` if they have not changed.
    let directRooms: [String: [String]]?

    private enum Key: String, CodingKey {
        case next_batch, rooms, join, invite, leave, account_data
    }

    init(from decoder: any Decoder) throws {
        let reply = try decoder.container(keyedBy: Key.self)
        nextBatch = try reply.decode(WireToken.self, forKey: .next_batch).text
        let rooms = try? reply.nestedContainer(keyedBy: Key.self, forKey: .rooms)
        joined = rooms?.lenientMapByID(.join) ?? [:]
        invited = rooms?.lenientMapByID(.invite) ?? [:]
        left = rooms?.lenientMapByID(.leave) ?? [:]
        let data: EventList<AccountData>? = reply.lenient(.account_data)
        directRooms = data?.events.last { $0.type == "m.direct" }?.rooms
    }

    private struct AccountData: Decodable {
        let type: String
        let rooms: [String: [String]]

        private enum Key: String, CodingKey { case type, content }

        init(from decoder: any Decoder) throws {
            let event = try decoder.container(keyedBy: Key.self)
            type = event.lenientID(.type) ?? ""
            let rooms: [String: WireIDs] = event.lenientMap(.content)
            self.rooms = rooms.mapValues(\.texts)
        }
    }
}

private struct EventList<Event: Decodable>: Decodable {
    let events: [Event]

    private enum Key: String, CodingKey { case events }

    init(from decoder: any Decoder) throws {
        events = try decoder.container(keyedBy: Key.self).lenientList(.events)
    }
}

extension SyncReply {
    struct JoinedRoom: Decodable {
        let state: [RoomEvent]
        let timeline: [RoomEvent]
        let isLimited: Bool
        let summary: Summary
        let unreadCount: Int?
        let highlightCount: Int?
        let typing: [String]?
        /// The newest receipts, without those of single threads.
        let receipts: [Receipt]

        /// True if the room's state has changed.
        ///
        /// Memberships of the messages' senders do not count, because every reply contains them.
        var changesState: Bool {
            timeline.contains { $0.stateKey != nil }
                || state.contains { $0.type != "m.room.member" || isLimited }
        }

        private enum Key: String, CodingKey {
            case state, timeline, summary, unread_notifications, ephemeral
            case events, limited, notification_count, highlight_count
        }

        init(from decoder: any Decoder) throws {
            let room = try decoder.container(keyedBy: Key.self)
            let timeline = try? room.nestedContainer(keyedBy: Key.self, forKey: .timeline)
            let events: [RoomEvent] = timeline?.lenientList(.events) ?? []
            self.timeline = Array(events.suffix(WireLimit.events))
            let omitted = events.dropLast(WireLimit.events)
            let state = room.lenient(EventList<RoomEvent>.self, .state)?.events ?? []
            self.state = state + omitted.filter { $0.stateKey != nil }
            isLimited = timeline?.lenient(.limited) ?? false || !omitted.isEmpty
            summary = room.lenient(.summary) ?? Summary()
            let unread = try? room.nestedContainer(keyedBy: Key.self, forKey: .unread_notifications)
            unreadCount = unread?.lenient(.notification_count)
            highlightCount = unread?.lenient(.highlight_count)
            let ephemeral = room.lenient(EventList<Ephemeral>.self, .ephemeral)?.events ?? []
            typing = ephemeral.last { $0.type == "m.typing" }?.userIDs
            receipts = ephemeral.flatMap(\.receipts)
        }
    }

    /// A user's receipt for an event and all older ones.
    struct Receipt: Hashable {
        let user: String
        let eventID: String
        /// The time of reading, not that of the event.
        let time: Timestamp
    }

    struct Summary: Decodable {
        var heroes: [String]?
        var joinedCount: Int?
        var invitedCount: Int?

        init() {}

        private enum Key: String, CodingKey {
            case heroes = "m.heroes"
            case joined = "m.joined_member_count"
            case invited = "m.invited_member_count"
        }

        init(from decoder: any Decoder) throws {
            let summary = try decoder.container(keyedBy: Key.self)
            heroes = summary.lenient(WireIDs.self, .heroes)?.texts
            joinedCount = summary.lenient(Int.self, .joined).map { max($0, 0) }
            invitedCount = summary.lenient(Int.self, .invited).map { max($0, 0) }
        }
    }

    struct InvitedRoom: Decodable {
        let state: [RoomEvent]

        private enum Key: String, CodingKey { case invite_state, events }

        init(from decoder: any Decoder) throws {
            let room = try decoder.container(keyedBy: Key.self)
            let list = try? room.nestedContainer(keyedBy: Key.self, forKey: .invite_state)
            state = list?.lenient(InvitationState.self, .events)?.events ?? []
        }
    }

    /// The state of an invitation, which the inviter's server chooses.
    ///
    /// An event that cannot be decoded may be the invitation itself, and the others invented, so
    /// the memberships are then omitted.
    struct InvitationState: Decodable {
        let events: [RoomEvent]

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            let events: [RoomEvent] = list.lenientList()
            let isComplete = list.isAtEnd && list.currentIndex == events.count
            self.events = events.filter { isComplete || $0.type != "m.room.member" }
        }
    }

    struct LeftRoom: Decodable {
        let events: [RoomEvent]

        private enum Key: String, CodingKey { case state, timeline }

        init(from decoder: any Decoder) throws {
            let room = try decoder.container(keyedBy: Key.self)
            let state: EventList<RoomEvent>? = room.lenient(.state)
            let timeline: EventList<RoomEvent>? = room.lenient(.timeline)
            events = (state?.events ?? []) + (timeline?.events ?? [])
        }
    }

    private struct Ephemeral: Decodable {
        let type: String
        var userIDs: [String] = []
        var receipts: [Receipt] = []

        private struct Read: Decodable {
            let time: Timestamp
            let isOfThread: Bool

            private enum Key: String, CodingKey { case ts, thread_id }

            init(from decoder: any Decoder) throws {
                let receipt = try decoder.container(keyedBy: Key.self)
                time = Timestamp(milliseconds: receipt.lenient(.ts) ?? 0)
                let thread = receipt.contains(.thread_id) ? receipt.lenientID(.thread_id) : "main"
                isOfThread = thread != "main"
            }
        }

        private enum Key: String, CodingKey { case type, content, user_ids }

        init(from decoder: any Decoder) throws {
            let event = try decoder.container(keyedBy: Key.self)
            type = event.lenientID(.type) ?? ""
            if type == "m.receipt" {
                let kinds: [String: [String: [String: Read]]] = event.lenientMapByID(.content)
                for (id, kinds) in kinds where id.utf8.count <= WireLimit.id {
                    for (kind, users) in kinds where ["m.read", "m.read.private"].contains(kind) {
                        for (user, read) in users
                        where user.utf8.count <= WireLimit.id && !read.isOfThread {
                            receipts.append(Receipt(user: user, eventID: id, time: read.time))
                        }
                    }
                }
                receipts.sort { ($0.time, $0.user, $0.eventID) < ($1.time, $1.user, $1.eventID) }
            } else if let content = try? event.nestedContainer(keyedBy: Key.self, forKey: .content)
            {
                userIDs = Array(content.lenientIDs(.user_ids).prefix(WireLimit.members))
            }
        }
    }
}
