package import Models
import Store

/// An open list of a channel, whose gaps the engine fills first: from the first call of
/// ``show(_:)`` until the viewer is released.
package final class ChannelViewer: Sendable {
    private static let lastNumber = Locked(0)

    private let ranges: AsyncStream<ShownRange?>.Continuation

    init(of url: ChannelURL, _ engine: SyncEngine) {
        let number = ChannelViewer.lastNumber.withLock { last in
            last += 1
            return last
        }
        let (stream, ranges) = AsyncStream<ShownRange?>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        self.ranges = ranges
        Task.detached {
            for await range in stream { await engine.show(url, range, viewer: number) }
            await engine.hide(url, viewer: number)
        }
    }

    deinit { ranges.finish() }

    /// Replaces the range of the list; `nil` if the list has no row yet.
    ///
    /// The method returns immediately, and the engine may skip a range that is replaced soon.
    package func show(_ range: ShownRange?) { ranges.yield(range) }
}

extension SyncEngine {
    /// Creates a viewer of a channel.
    ///
    /// When the viewer shows its first range, the engine resumes work in the channel that has
    /// failed, but neither fills nor reports again a huge gap that was reported.
    package nonisolated func makeViewer(of url: ChannelURL) -> ChannelViewer {
        ChannelViewer(of: url, self)
    }

    package func show(_ url: ChannelURL, _ range: ShownRange?, viewer: Int) {
        step(.show(url, range, viewer: viewer))
    }

    package func hide(_ url: ChannelURL, viewer: Int) { step(.hide(url, viewer: viewer)) }
}
