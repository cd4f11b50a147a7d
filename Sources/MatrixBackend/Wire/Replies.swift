// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Keys are named as on the wire.

import Models

// The replies of the client-server API, with the fields that this target reads.

struct LoginReply: Decodable {
    let user_id: String
    let access_token: String
    let device_id: String?
    let refresh_token: String?
}

struct RefreshReply: Decodable {
    let access_token: String
    let refresh_token: String?
}

struct WhoAmIReply: Decodable {
    let user_id: String
    let device_id: String?
}

struct ProfileReply: Decodable {
    let displayname: String?
    let avatar_url: String?
}

struct WellKnownReply: Decodable {
    struct Homeserver: Decodable { let base_url: String }

    let homeserver: Homeserver

    private enum CodingKeys: String, CodingKey { case homeserver = "m.homeserver" }
}

struct EventIDReply: Decodable { let event_id: String }
struct RoomIDReply: Decodable { let room_id: String }
struct JoinedRoomsReply: Decodable { let joined_rooms: [String] }
struct UploadReply: Decodable { let content_uri: String }
struct EmptyReply: Decodable {}

/// A page of events, from `/messages` or `/relations`.
struct EventsReply: Decodable {
    let events: [RoomEvent]
    /// The membership events of the events' senders.
    let state: [RoomEvent]
    let start: String?
    let end: String?

    private enum Key: String, CodingKey { case chunk, state, start, end, next_batch }

    init(from decoder: any Decoder) throws {
        let reply = try decoder.container(keyedBy: Key.self)
        events = reply.lenientList(.chunk)
        state = reply.lenientList(.state)
        start = reply.lenient(.start)
        end = reply.lenient(.end) ?? reply.lenient(.next_batch)
        guard events.count <= WireLimit.events, end?.utf8.count ?? 0 <= WireLimit.token else {
            throw DecodingError.tooLong("a page of events")
        }
    }
}

/// A page of the results of `/search`.
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
                .decode(String.self, forKey: .room_id)
        }
    }

    private enum Key: String, CodingKey { case search_categories, room_events, results, next_batch }

    init(from decoder: any Decoder) throws {
        let events = try decoder.container(keyedBy: Key.self)
            .nestedContainer(keyedBy: Key.self, forKey: .search_categories)
            .nestedContainer(keyedBy: Key.self, forKey: .room_events)
        results = events.lenientList(.results)
        next = events.lenient(.next_batch)
    }
}

/// An event; `nil` if it cannot be decoded, as an event with a long type in a room of an old version.
struct EventReply: Decodable {
    let event: RoomEvent?

    private enum Key: String, CodingKey { case event_id }

    init(from decoder: any Decoder) throws {
        _ = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .event_id)
        event = try? RoomEvent(from: decoder)
    }
}

/// An event, and the token of the place just after it.
struct ContextReply: Decodable {
    let event: EventReply
    let end: String
}

struct StateReply: Decodable {
    let events: [RoomEvent]

    init(from decoder: any Decoder) throws {
        events = try [Lenient<RoomEvent>](from: decoder).compactMap(\.value)
    }
}
