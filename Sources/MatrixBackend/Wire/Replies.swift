// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Keys are named as on the wire.

import Models

struct LoginReply: Decodable {
    let user_id: WireID
    let access_token: WireToken
    let device_id: WireID?
    let refresh_token: WireToken?
}

struct RefreshReply: Decodable {
    let access_token: WireToken
    let refresh_token: WireToken?
}

struct WhoAmIReply: Decodable {
    let user_id: WireID
}

struct ProfileReply: Decodable {
    let displayname: WireToken?
    let avatar_url: WireToken?
}

struct WellKnownReply: Decodable {
    struct Homeserver: Decodable { let base_url: String }

    let homeserver: Homeserver

    private enum CodingKeys: String, CodingKey { case homeserver = "m.homeserver" }
}

struct EventIDReply: Decodable { let event_id: WireID }
struct RoomIDReply: Decodable { let room_id: WireID }
struct JoinedRoomsReply: Decodable { let joined_rooms: WireIDs }
struct UploadReply: Decodable { let content_uri: WireToken }
struct EmptyReply: Decodable {}

/// A page from `/messages` or `/relations`.
struct EventsReply: Decodable {
    var events: [RoomEvent]
    /// The ID of the first event, even if that cannot be decoded.
    let firstID: String?
    /// The membership events of the events' senders.
    let state: [RoomEvent]
    let start: String?
    let end: String?

    private enum Key: String, CodingKey { case chunk, state, start, end, next_batch }

    init(from decoder: any Decoder) throws {
        let reply = try decoder.container(keyedBy: Key.self)
        events = try reply.page(.chunk, of: "events")
        var chunk = try? reply.nestedUnkeyedContainer(forKey: .chunk)
        firstID = (try? chunk?.decode(EventIDReply.self))?.event_id.text
        state = reply.lenientList(.state)
        start = try reply.token(.start)
        end = try reply.token(.end) ?? reply.token(.next_batch)
    }
}

struct SearchReply: Decodable {
    let results: [Found]
    let next: String?

    struct Found: Decodable {
        let event: RoomEvent
        let room: String

        private enum Key: String, CodingKey { case result, room_id }

        init(from decoder: any Decoder) throws {
            let found = try decoder.container(keyedBy: Key.self)
            event = try found.decode(RoomEvent.self, forKey: .result)
            room = try found.nestedContainer(keyedBy: Key.self, forKey: .result)
                .decode(WireID.self, forKey: .room_id).text
        }
    }

    private enum Key: String, CodingKey { case search_categories, room_events, results, next_batch }

    init(from decoder: any Decoder) throws {
        let events = try decoder.container(keyedBy: Key.self)
            .nestedContainer(keyedBy: Key.self, forKey: .search_categories)
            .nestedContainer(keyedBy: Key.self, forKey: .room_events)
        results = try events.page(.results, of: "results")
        next = try events.token(.next_batch)
    }
}

struct NotificationsReply: Decodable {
    /// The notifications of messages that are no edits.
    let found: [Found]
    let next: String?

    init() { (found, next) = ([], nil) }

    struct Found: Sendable {
        let eventID: String
        let room: String
    }

    private struct Notification: Decodable {
        let event: RoomEvent
        let room_id: Lenient<WireID>
    }

    private enum Key: String, CodingKey { case notifications, next_token }

    init(from decoder: any Decoder) throws {
        let reply = try decoder.container(keyedBy: Key.self)
        let list: [Notification] = try reply.page(.notifications, of: "notifications")
        next = try reply.token(.next_token)
        found = list.filter(\.event.isMessage).compactMap { notification in
            notification.room_id.value.map {
                Found(eventID: notification.event.id, room: $0.text)
            }
        }
    }
}

/// An event; `nil` if it cannot be decoded, such as one with a long type in an old room.
struct EventReply: Decodable {
    let id: String
    /// `nil` if the event cannot be decoded.
    let event: RoomEvent?

    private enum Key: String, CodingKey { case event_id }

    init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: Key.self).decode(WireID.self, forKey: .event_id).text
        event = try? RoomEvent(from: decoder)
    }

    /// Returns `false` if a proxy has decoded the slashes of the requested ID, so that the request
    /// was one for an event of another room.
    func answersRequest(for id: String) -> Bool { self.id.utf8.elementsEqual(id.utf8) }
}

struct ContextReply: Decodable {
    let event: EventReply
    let end: WireToken
}

struct CurrentStateEvent: Decodable {
    /// The ID of the event; `nil` if the reply contains only its content.
    let id: String?

    private enum Key: String, CodingKey { case event_id }

    init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: Key.self).lenientID(.event_id)
    }
}

struct StateReply: Decodable {
    let events: [RoomEvent]

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        events = list.lenientList()
    }
}
