public import Models

extension MatrixBackend {
    /// Returns an error if the channel is a room with end-to-end encryption.
    public nonisolated func sendingRefusal(in channel: GroupChannel) -> BackendError? {
        channel.metadata[MetadataKey.encryption].map { _ in .encrypted(channel.url.rawValue) }
    }

    /// Throws `refused` if a room is encrypted.
    ///
    /// Call this directly before each request that sends. The known state may be old: the feed
    /// reports a change late, or not at all while it fails.
    func requireUnencrypted(_ room: String) async throws(BackendError) {
        var request = MatrixRequest.get("rooms", room, "state", "m.room.encryption", "")
        // A pause of other requests must not delay sends.
        request.kind = .sending
        do throws(BackendError) {
            let _: EventContent = try await call(request)
        } catch {
            guard error.code == .notFound else { throw error }
            // The feed may have reported the encryption since the answer.
            if list.rooms[room]?.encryption == nil { return }
        }
        throw .encrypted(room)
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
