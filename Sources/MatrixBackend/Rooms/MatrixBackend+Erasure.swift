import Models

extension MatrixBackend {
    /// The maximum number of profiles that are requested for one reply of `/sync`.
    private static let maximumDepartureCount = 20

    /// Returns an event for messages that the homeserver may hide from later members or change,
    /// because it has erased their senders.
    ///
    /// The homeserver reports no erasure, but it removes the user's profile and lets the user leave
    /// all rooms. Only users of the same homeserver are checked, with a request for each who
    /// leaves.
    func erasures(
        _ changes: SyncReply.JoinedRoom, in room: String
    ) async throws(BackendError) -> [FeedEvent] {
        let me = try me
        let server = ServerName(ofUser: me.rawValue)?.text
        let departures = (changes.state + changes.timeline).filter {
            $0.type == "m.room.member" && $0.content.membership == "leave"
                && $0.stateKey == $0.sender && $0.sender != me.rawValue
                && ServerName(ofUser: $0.sender)?.text == server
        }
        let users = Set(departures.map(\.sender)).sorted().prefix(Self.maximumDepartureCount)
        let areGone = try await concurrently(Array(users)) { user throws(BackendError) in
            try await self.hasNoProfile(user)
        }
        guard areGone.contains(true), let last = departures.map(\.time).max() else { return [] }
        return [.historyChanged(in: ChannelURL(room), from: nil, through: last)]
    }

    private func hasNoProfile(_ user: String) async throws(BackendError) -> Bool {
        do {
            let _: ProfileReply = try await call(.get("profile", user))
            return false
        } catch  where [.notFound, .refused, .unsupported].contains(error.code) {
            return error.code == .notFound
        } catch  where error.detail == .malformedData {
            return false
        }
    }
}
