public import Models
import Store

/// A view of a channel's history, whose gaps the engine fills before all others.
///
/// Made by ``SyncEngine/makeViewer(of:)``. The channel is shown from the first call of
/// ``show(_:)`` until the viewer is released.
public final class ChannelViewer: Sendable {
    private static let lastNumber = Locked(0)

    private let ranges: AsyncStream<ShownRange?>.Continuation

    init(of url: ChannelURL, _ engine: SyncEngine) {
        let number = ChannelViewer.lastNumber.withLock { last in
            last += 1
            return last
        }
        // Only the latest range matters.
        let (stream, ranges) = AsyncStream<ShownRange?>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        self.ranges = ranges
        Task.detached {
            for await range in stream { await engine.show(url, range, viewer: number) }
            await engine.hide(url, viewer: number)
        }
    }

    deinit { ranges.finish() }

    /// Replaces the visible range; `nil` if nothing is visible yet.
    ///
    /// Returns at once; the engine may skip a range that is replaced soon after.
    public func show(_ range: ShownRange?) { ranges.yield(range) }
}

extension SyncEngine {
    /// Creates a viewer of a channel.
    ///
    /// The first range of a new viewer makes the engine retry work that it had stopped in the
    /// channel, such as filling a huge gap.
    public nonisolated func makeViewer(of url: ChannelURL) -> ChannelViewer {
        ChannelViewer(of: url, self)
    }
}
