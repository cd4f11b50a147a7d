import EmbeddedServer
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

/// A server whose pages list messages in the order in which it accepted them.
private struct ArrivalOrderBackend: ForwardingBackend {
    let base: any Backend

    func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage {
        // The embedded server assigns increasing numbers as IDs.
        func number(_ message: Message) -> Int { Int(message.messageID!.rawValue)! }
        let all = try await base.messages(in: channelURL, at: .newest, older: 100, newer: 0)
            .messages.sorted { number($0) < number($1) }
        let place: Int? =
            switch anchor {
            case .newest: nil
            case .time(let time): all.firstIndex { time <= $0.createdAt }
            case .message(let id): all.firstIndex { $0.messageID == id }
            case .cursor(let cursor): all.firstIndex { Int(cursor.rawValue)! <= number($0) }
            }
        let start = max((place ?? all.count) - older, 0)
        let end = min((place ?? all.count) + newer, all.count)
        let late = all.indices.filter { index in
            all[..<index].contains { all[index].position! < $0.position! }
        }
        return MessagePage(
            messages: all[start..<end].sorted { $0.position! < $1.position! },
            outliers: Set(late.map { all[$0].messageID! }),
            older: start > 0 ? PageCursor("\(number(all[start]))") : nil,
            newer: end < all.count ? PageCursor("\(number(all[end]))") : nil)
    }
}

/// Messages that arrive long after their time, as from another server that was unreachable.
@Suite(.timeLimit(.minutes(10))) struct LateArrivalTests {
    /// Shows a channel on a device that was away while `missed` was sent, a minute apart, and then
    /// `late` arrived, sent a second apart after the first missed message.
    ///
    /// - Returns: The history after the feed, after the first page and at the end.
    private func pictures(missed: String, late: String) async throws -> [String] {
        var options = SyncOptions.exact
        options.pageSize = 3
        var conditions = ServerConditions()
        // Times are taken from the clock even if it is set back.
        conditions.clockSkew = 1
        let story = try await Story(options, conditions)
        let engine = SyncEngine(
            store: story.store, backend: ArrivalOrderBackend(base: story.network),
            options: options)
        try await story.say("a b", every: .seconds(60))
        _ = try await engine.connect(as: Credentials("bob"))
        await engine.show("general", ShownRange(from: .beginning), viewer: 1)
        try await story.sees("a b")
        try await engine.caughtUp("general")
        await engine.disconnect()
        story.limitFeed(1)
        let sent = try await story.say(missed, every: .seconds(60))
        story.clock.advance(by: .seconds(-60 * (sent.count - 1)))
        try await story.say(late)
        story.network.hold([.messages])
        _ = try await engine.connect(as: Credentials("bob"))
        try await story.held(1)
        var pictures = [try story.picture()]
        story.network.release()
        try await story.held(1)
        pictures.append(try story.picture())
        story.network.stopHolding()
        try await engine.caughtUp("general")
        pictures.append(try story.picture())
        await engine.close()
        await story.close()
        return pictures
    }

    @Test func lateMessageOnTheNewestPageClosesNoGap() async throws {
        #expect(
            try await pictures(missed: "c d e f g h", late: "x")
                == ["a b ~ x ~", "a b ~ x ~ g h", "a b c x d e f g h"])
    }

    @Test func pageOfOnlyLateMessagesCoversNothing() async throws {
        #expect(
            try await pictures(missed: "c d e f", late: "x y z")
                == ["a b ~ z ~", "a b ~ x ~ y ~ z ~", "a b c x y z d e f"])
    }
}
