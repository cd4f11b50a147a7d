// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Keys are named as on the wire.

import Models

/// In an account with many rooms, `/sync` without a token takes seconds.
///
/// Simplified sliding sync, if the homeserver supports it, returns the newest rooms immediately,
/// but without unread counts.
struct NewestRooms: Decodable {
    let rooms: [String: NewestRoom]
    /// The number of all rooms.
    let count: Int

    private enum Key: String, CodingKey { case rooms, lists, all, count }

    init(from decoder: any Decoder) throws {
        let reply = try decoder.container(keyedBy: Key.self)
        rooms = reply.lenientMapByID(.rooms)
        let lists = try reply.nestedContainer(keyedBy: Key.self, forKey: .lists)
        count = try lists.nestedContainer(keyedBy: Key.self, forKey: .all).decode(
            Int.self, forKey: .count)
    }
}

struct NewestRoom: Decodable {
    let state: [RoomEvent]
    let timeline: [RoomEvent]
    let isInvitation: Bool
    let isDirect: Bool
    let heroes: [String]
    let joinedCount: Int?
    let invitedCount: Int?

    private enum Key: String, CodingKey {
        case required_state, invite_state, stripped_state, timeline, heroes, is_dm
        case joined_count, invited_count
    }

    private struct Hero: Decodable { let user_id: WireID }

    init(from decoder: any Decoder) throws {
        let room = try decoder.container(keyedBy: Key.self)
        let invitation = [Key.invite_state, .stripped_state].first { room.contains($0) }
        isInvitation = invitation != nil
        state =
            invitation.map { room.lenient(SyncReply.InvitationState.self, $0)?.events ?? [] }
            ?? room.lenientList(.required_state)
        timeline = room.lenientList(.timeline)
        isDirect = room.lenient(.is_dm) ?? false
        let heroes: [Hero] = room.lenientList(.heroes)
        self.heroes = heroes.map(\.user_id.text)
        joinedCount = room.lenient(Int.self, .joined_count).map { max($0, 0) }
        invitedCount = room.lenient(Int.self, .invited_count).map { max($0, 0) }
    }

    /// Returns `false` for a room that the user has left, or only asked to join, and for one of a
    /// withdrawn invitation, which may have no state.
    func isListed(for me: String) -> Bool {
        let own = (timeline + state).last { $0.type == "m.room.member" && $0.stateKey == me }
        switch own?.content.membership {
        case nil: return isInvitation || state.contains { $0.type == "m.room.create" }
        case "join"?, "invite"?: return true
        default: return false
        }
    }
}

extension MatrixBackend {
    /// Returns `nil` if the list of all rooms is loaded, if the homeserver lacks the call, or if
    /// its reply is too long or contains false invitations.
    func newestChannels(
        _ limit: Int
    ) async throws(BackendError) -> (channels: [GroupChannel], hasMore: Bool)? {
        guard list.token == nil, limit > 0 else { return nil }
        let state = Self.stateTypes.map { type -> JSONValue in
            [.string(type), type == "m.room.member" ? "$LAZY" : ""]
        }
        let body: JSONValue = [
            "lists": [
                "all": [
                    "ranges": [[0, .int(Int64(limit - 1))]], "timeline_limit": 4,
                    "required_state": .array(state + [["m.room.member", "$ME"]]),
                    "filters": ["not_room_types": ["m.space"]],
                ]
            ]
        ]
        var request = MatrixRequest.post("sync", body: body)
        request.api = "_matrix/client/unstable/org.matrix.simplified_msc3575"
        request.kind = .reading
        request.query = [("timeout", "0")]
        let reply: NewestRooms
        do { reply = try await call(request) } catch
            where error.code == .unsupported
            || error.code == .notFound || error.code == .refused
            // `/sync` asks again for fewer events, and without receipts.
            || error.detail == .malformedData
        {
            return nil
        }
        let me = try me.rawValue
        let rooms = reply.rooms.filter { $0.value.isListed(for: me) }
        let invitations = rooms.filter(\.value.isInvitation).map(\.key)
        // The list of all rooms corrects false invitations.
        if !invitations.isEmpty, let joined = try await joinedRooms(),
            !joined.isDisjoint(with: invitations)
        {
            return nil
        }
        guard list.token == nil else { return nil }
        let channels = try await concurrently(rooms.keys.sorted()) {
            id throws(BackendError) in try await self.channel(of: rooms[id]!, id)
        }
        return (channels, reply.count > reply.rooms.count)
    }

    private func channel(
        of newest: NewestRoom, _ id: String
    ) async throws(BackendError) -> GroupChannel {
        // The inviting server may have invented the names of members.
        if !newest.isInvitation { learn(newest.state + newest.timeline, in: id) }
        var room = Room(id)
        room.apply(newest)
        if !newest.isInvitation {
            do {
                if let event = newest.timeline.last(where: \.isMessage) {
                    room.lastMessage = try await messages([event], in: id).first
                } else {
                    room.lastMessage = try await newestMessage(in: id) ?? nil
                }
            } catch  where Self.failuresOfRoom.contains(error.code) {
                // Show the other rooms; the whole list requests the message again.
            }
        }
        return room.channel(for: try me.rawValue, isDirect: newest.isDirect)
    }
}
