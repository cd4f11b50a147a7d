import Models
import Store
import Sync

/// Tells an engine what somebody shows of a channel, so that it fills the gaps there first.
@MainActor
final class Viewer {
    private static var lastNumber = 0

    private let shown: AsyncStream<ShownRange?>.Continuation
    private var last: ShownRange??

    init(of url: ChannelURL, _ engine: SyncEngine) {
        Viewer.lastNumber += 1
        let number = Viewer.lastNumber
        // Only what is shown in the end matters.
        let (ranges, shown) = AsyncStream<ShownRange?>.makeStream(
            bufferingPolicy: .bufferingNewest(1))
        self.shown = shown
        // It ends with what is shown: `leave()`, or the end of this, finishes the ranges.
        Task.detached {
            for await range in ranges { await engine.show(url, range, viewer: number) }
            await engine.hide(url, viewer: number)
        }
    }

    func shows(_ window: Window) {
        // Where nothing is known yet, there is no place to look at: the newest messages are wanted.
        let range =
            window.lower == .end ? nil : ShownRange(from: window.lower, to: window.upper)
        guard last != .some(range) else { return }
        last = .some(range)
        shown.yield(range)
    }

    func leave() { shown.finish() }

    deinit { shown.finish() }
}
