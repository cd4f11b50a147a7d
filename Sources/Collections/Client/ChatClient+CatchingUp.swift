public import Models
import Store
public import Sync

/// The messages that arrived in the limited time of ``ChatClient/catchUp(as:within:)``.
public struct CatchUpResult: Sendable {
    /// Other users' messages that are newer than all that the device had of the channels, sorted by
    /// channel URL and by position.
    ///
    /// Messages of the device's future do not count among those that it had.
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
        let newest: [ChannelURL: Position]
        let changes: ObservedChanges
        do throws(SyncError) {
            try await open(as: credentials.userID)
            (newest, changes) = try await ChatClient.observe(
                engine.store, before: engine.latestTime)
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
        let messages = arrived(changes.drain(), after: newest, for: credentials.userID)
        return CatchUpResult(
            messages: messages, isComplete: failure == nil,
            error: work.isCancelled ? nil : failure)
    }

    /// Returns the positions of the newest stored messages before a time, and the changes from now
    /// on.
    private static func observe(
        _ store: ChatStore, before time: Timestamp
    ) async throws(SyncError) -> ([ChannelURL: Position], ObservedChanges) {
        try await onDisk { () throws(StoreError) in
            let (snapshot, changes) = try store.observe(.everything, limit: .max)
            var newest: [ChannelURL: Position] = [:]
            for channel in try snapshot.groupChannels() {
                newest[channel.url] = try snapshot.newestPosition(
                    in: channel.url, before: time)
            }
            return (newest, changes)
        }
    }

    private func arrived(
        _ changes: [Change], after newest: [ChannelURL: Position], for userID: UserID
    ) -> [Message] {
        var arrived: [ChannelURL: [Position: Message]] = [:]
        for operation in changes.flatMap(\.operations) {
            switch operation {
            case .savedMessage(let message):
                guard let position = message.position, message.sender?.userID != userID,
                    newest[message.channelURL].map({ $0 < position }) ?? true
                else { continue }
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
