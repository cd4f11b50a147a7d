import Foundation
public import Models
import Store

extension SyncEngine {
    /// The current state of the engine.
    public var state: SyncState {
        countUnreadItems()
        return core.state
    }

    func countUnreadItems() {
        if !isClosed, core.state.unreadCount == nil { core.countUnreadItems() }
    }

    /// Returns a stream of the engine's events from now on, beginning with the current state.
    ///
    /// Each stream buffers unread events without limit, and ends when the engine is closed.
    public func events() -> AsyncStream<SyncEvent> { events { _ in true } }

    /// Returns a stream of the events that satisfy a condition; others do not resume its reader.
    package func events(
        where isWanted: @escaping @Sendable (SyncEvent) -> Bool
    ) -> AsyncStream<SyncEvent> {
        eventObservers.subscribe(beginningWith: [.state(state)], where: isWanted)
    }

    /// Waits until the engine has caught up with the server.
    ///
    /// The engine has caught up when the feed is live, all changelogs are read, and all gaps are
    /// filled that the engine fills on its own.
    ///
    /// - Parameter url: The channel to wait for, whose newest missing messages are then also
    ///   fetched, even after earlier failures; `nil` to wait for all channels.
    /// - Throws: The error that stopped the work on the channel, or the latest error after five
    ///   failed or outdated responses in succession, although the engine then continues to retry;
    ///   `closed`, `canceled`. If `url` is `nil`, such an error of any channel, after the work on
    ///   the others has ended.
    public func caughtUp(_ url: ChannelURL? = nil) async throws(SyncError) {
        let _: Void = try await awaitReply { .awaitCaughtUp(url, ticket: $0) }
    }

    /// Waits until the feed has begun, because an earlier page covers nothing; throws
    /// `notConnected` if the connection ends.
    package func waitForFeed() async throws(SyncError) {
        guard !core.hasFeedBegun else { return }
        let states = events { if case .state = $0 { true } else { false } }
        for await _ in states {
            if core.hasFeedBegun { return }
            guard core.connector.isOn else {
                throw SyncError(.notConnected, "the feed has not begun: connect first")
            }
        }
        throw isClosed
            ? SyncError(.closed, "the engine is closed")
            : SyncError(.canceled, "the task was canceled before the feed began")
    }

    /// Whether the engine only follows the feed: no other request is in flight or waits for its
    /// next attempt, and no caller waits for the engine.
    package var isIdle: Bool {
        core.isIdle && waits.keys.allSatisfy(\.isOfPolling) && tickets.isEmpty
    }

    /// The number of requests in flight.
    package var callCount: Int { core.calls.count }

    package var hasWaitingCaller: Bool { !core.waiting.isEmpty }

    package var isRenewingSession: Bool { renewal != nil }
}
