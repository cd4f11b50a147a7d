public import Models

extension MatrixBackend {
    /// Returns an error if the channel is a room with end-to-end encryption.
    public nonisolated func sendingRefusal(in channel: GroupChannel) -> BackendError? {
        channel.metadata[MetadataKey.encryption].map { _ in .encrypted(channel.url.rawValue) }
    }

    /// Throws `refused` if a room is encrypted.
    ///
    /// Call this directly before the request that sends: the room may become encrypted during any
    /// earlier request.
    ///
    /// Without a current list of rooms, requests the room's encryption once, while the feed would
    /// report a change of it.
    func requireUnencrypted(_ room: String) async throws(BackendError) {
        let known = list.rooms[room]
        if known?.encryption != nil { throw .encrypted(room) }
        // The room may have changed before the first batch of a connection.
        if !isCatchingUp {
            if unencrypted.contains(room) { return }
            if let known, !known.isInvitation, !known.lacksState, !known.isStateCut,
                list.token == feedToken
            {
                return
            }
        }
        for _ in 1...3 {
            let count = timelineCount
            do throws(BackendError) {
                let _: EventContent = try await call(
                    .get("rooms", room, "state", "m.room.encryption", ""))
                throw .encrypted(room)
            } catch {
                guard error.code == .notFound else { throw error }
            }
            if list.rooms[room]?.encryption != nil { throw .encrypted(room) }
            // Otherwise, the feed may have reported the encryption since the answer.
            if count == timelineCount {
                unencrypted.insert(room)
                return
            }
        }
        throw BackendError(.unanswered, "the encryption of \(room) could not be read in time")
    }
}

extension BackendError {
    fileprivate static func encrypted(_ room: String) -> BackendError {
        BackendError(
            .refused,
            "\(room) is encrypted: this app cannot encrypt, and does not send unencrypted messages"
                + " to it",
            detail: .sendNotAllowed)
    }
}
