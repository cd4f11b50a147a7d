import Models
import Store
import Sync

/// Reports the visible range of a channel to an engine, which fills the gaps in it first.
@MainActor
final class Viewer {
    private static var lastNumber = 0

    private let shown: AsyncStream<ShownRange?>.Continuation
    private var last: ShownRange??

    init(of url: ChannelURL, _ engine: SyncEngine) {
        Viewer.lastNumber += 1
        let number = Viewer.lastNumber
        // Only the latest range matters.
        let (ranges, shown) = AsyncStream<ShownRange?>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        self.shown = shown
        // Ends when `leave()` or `deinit` finishes the stream.
        Task.detached {
            for await range in ranges { await engine.show(url, range, viewer: number) }
            await engine.hide(url, viewer: number)
        }
    }

    func shows(_ window: Window) {
        // If nothing is known yet, there is no range: the newest messages are wanted.
        let range =
            window.lower == .end || window.upper < window.lower
            ? nil : ShownRange(from: window.lower, to: window.upper)
        guard last != .some(range) else { return }
        last = .some(range)
        shown.yield(range)
    }

    func leave() { shown.finish() }

    deinit { shown.finish() }
}
