import Models
import Store

struct TypingChannels {
    private var numbers: [ChannelURL: Int] = [:]
    private var count = 0

    func wait(of url: ChannelURL) -> SyncCore.Wait? {
        numbers[url].map { .typing(url, number: $0) }
    }

    /// Records a report, and returns the wait for its end; `nil` if no user is typing.
    mutating func record(_ url: ChannelURL, isTyping: Bool) -> SyncCore.Wait? {
        count += 1
        numbers[url] = isTyping ? count : nil
        return wait(of: url)
    }

    mutating func removeAll() -> [ChannelURL] {
        defer { numbers = [:] }
        return numbers.keys.sorted()
    }
}

extension SyncCore {
    // MARK: Typing

    /// Records which users are typing; a report is valid for ``SyncOptions/typingTimeout``.
    mutating func followTyping(_ reports: [ChannelURL: Bool]) {
        for (url, isTyping) in reports.sorted(by: { $0.key < $1.key }) {
            if let wait = typing.wait(of: url) { act(.cancelWait(wait)) }
            guard let wait = typing.record(url, isTyping: isTyping) else { continue }
            act(.wait(wait, beforeAttempt: 1, atLeast: options.typingTimeout))
        }
    }

    mutating func endTyping(in url: ChannelURL, after wait: Wait) {
        guard typing.wait(of: url) == wait else { return }
        _ = typing.record(url, isTyping: false)
        reportEndOfTyping(in: url)
    }

    /// Without a connection, the feed does not report the end.
    mutating func endTyping() {
        for url in typing.removeAll() { reportEndOfTyping(in: url) }
    }

    private func reportEndOfTyping(in url: ChannelURL) {
        // The call fails only if the store is closed. No list then shows who is typing.
        _ = try? store.emit(.typing([], in: url), source: .eventTypingStatusUpdated)
    }
}
