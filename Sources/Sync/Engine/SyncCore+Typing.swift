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

    /// Follows the reports on whether users are typing, each valid for
    /// ``SyncOptions/typingTimeout``.
    mutating func followTyping(_ reports: [ChannelURL: Bool]) {
        for (url, isTyping) in reports.sorted(by: { $0.key < $1.key }) {
            if let wait = typing.wait(of: url) { act(.cancelWait(wait)) }
            guard let wait = typing.record(url, isTyping: isTyping) else { continue }
            act(.wait(wait, beforeAttempt: 1, atLeast: options.typingTimeout))
        }
    }

    /// Reports that no user is typing any more, unless the feed has made another report since the
    /// wait began.
    mutating func endTyping(in url: ChannelURL, after wait: Wait) {
        guard typing.wait(of: url) == wait else { return }
        _ = typing.record(url, isTyping: false)
        reportEndOfTyping(in: url)
    }

    /// Reports that no user is typing: without a connection, the feed reports nothing.
    mutating func endTyping() {
        for url in typing.removeAll() { reportEndOfTyping(in: url) }
    }

    private func reportEndOfTyping(in url: ChannelURL) {
        // The call fails only if the store is closed. No list then shows who is typing.
        _ = try? store.emit(.typing([], in: url), source: .eventTypingStatusUpdated)
    }
}
