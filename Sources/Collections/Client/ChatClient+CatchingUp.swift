public import Models
import Store
public import Sync

/// The messages that arrived in the limited time of ``ChatClient/catchUp(as:within:)``.
public struct CatchUpResult: Sendable {
    /// Other users' messages that the device did not have, sorted by channel URL and by position.
    ///
    /// Messages older than the newest one that the device had at the feed's last request are
    /// history, and are omitted. Five minutes and ``/Sync/SyncOptions/clockSkew`` are subtracted
    /// from the time of the request, because clocks differ. If no message is that old, those before
    /// that time are omitted.
    public let messages: [Message]

    /// A Boolean value that indicates whether all missed messages and changes were fetched.
    public let isComplete: Bool

    /// The error that ended the call; `nil` if there was none, or if the time was over.
    public let error: SyncError?
}

extension ChatClient {
    /// Connects a user, and fetches what the device has missed, within a limited time of at most a
    /// day.
    ///
    /// Call this method in a background task of the system. The outbox is sent meanwhile, and data
    /// that was received before the limit is stored. The client stays connected: call ``suspend()``
    /// or ``disconnect()`` afterwards.
    public func catchUp(
        as credentials: Credentials, within limit: Duration
    ) async -> CatchUpResult {
        let known: [ChannelURL: KnownMessages]
        let changes: ObservedChanges
        do throws(SyncError) {
            try await open(as: credentials.userID)
            (known, changes) = try await ChatClient.observe(
                engine.store, now: options.now(), clockDifference: engine.clockDifference)
        } catch {
            return CatchUpResult(messages: [], isComplete: false, error: error)
        }
        let sleep = options.sleep
        let work = Task { () async -> SyncError? in
            do throws(SyncError) {
                let outcome = try await connect(as: credentials)
                if let reason = outcome.reason { throw SyncError(reason) }
                try await engine.caughtUp()
                return nil
            } catch {
                return error
            }
        }
        let timer = Task {
            // An error means that the work has ended.
            guard (try? await sleep(min(limit, Backoff.longestDelay))) != nil else { return }
            work.cancel()
        }
        let failure = await work.value
        timer.cancel()
        let messages = arrived(changes.drain(), after: known, for: credentials.userID)
        return CatchUpResult(
            messages: messages, isComplete: failure == nil,
            error: work.isCancelled ? nil : failure)
    }

    /// The messages of a channel that the device had before it caught up.
    private struct KnownMessages {
        /// Messages up to this position are history.
        let bound: Position
        /// The positions of the newer stored messages.
        let positions: Set<Position>
    }

    /// Returns the stored messages, and the changes from now on.
    private static func observe(
        _ store: ChatStore, now: Timestamp, clockDifference: Duration
    ) async throws(SyncError) -> ([ChannelURL: KnownMessages], ObservedChanges) {
        try await onDisk { () throws(StoreError) in
            let (snapshot, changes) = try store.observe(.everything, limit: .max)
            let end =
                try snapshot.lastFeedRequest(earlierBy: clockDifference)
                ?? now.advanced(by: clockDifference)
            var known: [ChannelURL: KnownMessages] = [:]
            for url in try snapshot.groupChannels().map(\.url) {
                guard try snapshot.newestPosition(in: url) != nil else { continue }
                // Servers of other users may send messages of the future.
                let bound =
                    try snapshot.newestPosition(in: url, before: end)
                    ?? Position(createdAt: end, messageID: "")
                let newer = try snapshot.positions(in: url, from: .position(bound), to: .end)
                known[url] = KnownMessages(bound: bound, positions: Set(newer))
            }
            return (known, changes)
        }
    }

    private func arrived(
        _ changes: [Change], after known: [ChannelURL: KnownMessages], for userID: UserID
    ) -> [Message] {
        var arrived: [ChannelURL: [Position: Message]] = [:]
        for operation in changes.flatMap(\.operations) {
            switch operation {
            case .savedMessage(let message):
                guard let position = message.position, message.sender?.userID != userID else {
                    continue
                }
                if let known = known[message.channelURL],
                    position <= known.bound || known.positions.contains(position)
                {
                    continue
                }
                arrived[message.channelURL, default: [:]][position] = message
            case .removedMessage(_, let position, let url): arrived[url]?[position] = nil
            case .removedChannel(let url): arrived[url] = nil
            default: break
            }
        }
        return arrived.sorted { $0.key < $1.key }.flatMap { _, messages in
            messages.sorted { $0.key < $1.key }.map(\.value)
        }
    }
}
