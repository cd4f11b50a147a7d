import Models
import Store

extension SyncEngine {
    /// Runs a request on the server.
    ///
    /// The call stores the request's effect on the cache, such as a new channel; all other effects
    /// arrive through the feed. If the request names a message, the server compares the epoch of
    /// the stored message with its own. Without a connection, an ``OfflineRequest`` waits in the
    /// outbox, and the call returns when it is on disk.
    ///
    /// - Parameter request: The request. The limit of a page is clamped to 1...10,000.
    /// - Returns: The answer. A channel is returned as it is stored.
    /// - Throws: `unsupported`; `notConnected`; `refused`, with the reason as its cause; `notFound`
    ///   if the server was restored to an earlier state, and has not returned the message since;
    ///   `store`, `closed`, `canceled`.
    public func perform<Request: BackendRequest>(
        _ request: Request
    ) async throws(SyncError) -> Request.Answer {
        var request = request
        if var page = request as? any PageOfList {
            page.limit = PageSize.nearest(to: page.limit, atLeast: 1)
            request = page as? Request ?? request
        }
        if var naming = request as? any MessageRequest, naming.epoch == nil,
            let message = naming.message
        {
            naming.epoch = try stored { (reader) throws(StoreError) in
                try reader.epoch(of: message.id, in: message.channelURL)
            }
            request = naming as? Request ?? request
        }
        if let url = (request as? EnterOpenChannel)?.channelURL {
            // A message that arrives right after entering must be newer than the gap's lower bound.
            try change { (core) throws(SyncError) in try core.leave(openChannel: url) }
        }
        do throws(SyncError) {
            return try await make(AppRequest(call: request))
        } catch  where error.code == .notConnected {
            guard let waiting = request as? any OfflineRequest,
                let answer = () as? Request.Answer
            else { throw error }
            try post(waiting)
            return answer
        }
    }

    /// The maximum difference between the device's clock and that of a correct server.
    package var clockDifference: Duration { core.options.clockDifference }

    private func post(_ request: some OfflineRequest) throws(SyncError) {
        let url = request.channelURL
        let (id, time) = (makeRequestID(), now())
        // A message of the future is newer than those that the user has not seen yet.
        let latest = core.options.latestTime(at: time)
        let newest = try stored { (reader) throws(StoreError) in
            try reader.newestPosition(in: url, before: latest)
        }
        try change { (core) throws(SyncError) in
            try core.enqueue(
                OutboxItem(request, requestID: id, newest: newest, createdAt: time))
        }
    }

    /// Returns whether the server supports a request; valid only while the user is connected.
    public nonisolated func supports(_ type: any BackendRequest.Type) -> Bool {
        backend.requests.supports(type)
    }
}
