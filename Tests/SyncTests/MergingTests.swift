import Models
import ScrollbackTesting
import Testing

@testable import Sync

/// Tests merging two copies of a message when it is unknown which copy is newer.
@Suite struct MergingTests {
    /// Returns copies of one message that a server may have delivered, oldest first.
    ///
    /// Each copy has a different time.
    private func copies(seed: Int) -> [Message] {
        var random = SeededRandom(seed: seed)
        var message = Message.sample(1, at: 1000)
        message.requestID = "r1"
        var poll = Poll()
        poll.id = 7
        poll.title = "poll at 1000"
        message.poll = poll
        var copies = [message]
        for step in 1...8 {
            let time = Timestamp(milliseconds: 1000 + Int64(step) * 10)
            switch random.number(below: 4) {
            case 0:
                message.text = "edited at \(time)"
                message.updatedAt = time
            case 1:
                var event = ReactionEvent()
                event.messageID = "1"
                event.key = ["👍", "👎"][random.number(below: 2)]
                event.userID = ["alice", "bob"][random.number(below: 2)]
                event.operation = random.oneIn(3) ? .delete : .add
                event.updatedAt = time
                message.apply(event)
            case 2:
                var info = ThreadInfo()
                info.replyCount = step
                info.updatedAt = time
                message.threadInfo = info
            default:
                poll.title = "poll at \(time)"
                poll.updatedAt = time
                message.poll = poll
            }
            copies.append(message)
        }
        return copies
    }

    /// Returns a message's contents as text that does not depend on the order of the reactions.
    private func shown(_ message: Message) -> String {
        let reactions = message.reactionHistory.map {
            "\($0.key) \($0.updatedAt) \($0.userIDs)"
        }.sorted()
        return """
            \(message.text) \(message.version) \(reactions) \(message.threadInfo?.replyCount ?? 0) \
            \(message.poll?.title ?? "") \(message.requestID ?? "")
            """
    }

    /// Hashing or comparing such keys as Unicode texts would take hours.
    @Test func longKeysOfReactionsAreComparedByTheirBytes() {
        func message(_ key: String, at time: Timestamp) -> Message {
            var reaction = Reaction()
            (reaction.key, reaction.userIDs, reaction.updatedAt) = (key, ["bob"], time)
            var message = Message()
            message.messageID = "1"
            message.reactions = [reaction]
            return message
        }
        let marks = String(repeating: "\u{301}", count: 500_000)
        let others = String(repeating: "\u{316}", count: 500_000)
        var merged = message("a" + marks + others, at: 1)
        merged = merged.merged(with: message("a" + marks + others, at: 2))
        #expect(merged.reactions.map(\.updatedAt) == [2])
        merged = merged.merged(with: message("a" + others + marks, at: 3))
        #expect(merged.reactions.map(\.updatedAt) == [3])
    }

    @Test(arguments: 0..<100) func newerOfTwoCopiesIsKept(seed: Int) {
        let copies = copies(seed: seed)
        for (older, first) in copies.enumerated() {
            for second in copies[older...] {
                #expect(shown(first.merged(with: second)) == shown(second))
                #expect(shown(second.merged(with: first)) == shown(second))
            }
        }
    }

    @Test(arguments: 0..<100) func mergeIsIndependentOfTheOrder(seed: Int) {
        var random = SeededRandom(seed: seed)
        let copies = copies(seed: seed)
        for _ in 0..<10 {
            let order = copies.shuffled(using: &random)
            let merged = order.dropFirst().reduce(order[0]) { $0.merged(with: $1) }
            #expect(shown(merged) == shown(copies.last!))
        }
    }

    @Test(arguments: 0..<20) func equalCopyChangesNothing(seed: Int) {
        for copy in copies(seed: seed) { #expect(copy.merged(with: copy) == copy) }
    }

    @Test(arguments: 0..<50) func mergingNeverLowersAVersion(seed: Int) {
        var random = SeededRandom(seed: seed)
        let copies = copies(seed: seed)
        var held = copies[0]
        for _ in 0..<30 {
            let next = held.merged(with: copies[random.number(below: copies.count)])
            #expect(next.version >= held.version)
            #expect(next.threadInfo?.updatedAt ?? 0 >= held.threadInfo?.updatedAt ?? 0)
            #expect(next.poll?.updatedAt ?? 0 >= held.poll?.updatedAt ?? 0)
            for reaction in held.reactionHistory {
                let now = next.reactionHistory.first { $0.key == reaction.key }
                #expect(now?.updatedAt ?? 0 >= reaction.updatedAt)
            }
            held = next
        }
    }

    /// The polls have no time of change, because this server never sends one.
    @Test func pollWithoutATimeIsTakenFromTheNewerCopy() {
        var older = Message.sample(1, at: 1000)
        var poll = Poll()
        poll.id = 7
        poll.title = "old"
        older.poll = poll
        var newer = older
        newer.updatedAt = 2000
        poll.title = "new"
        newer.poll = poll
        #expect(older.merged(with: newer).poll?.title == "new")
        #expect(newer.merged(with: older).poll?.title == "new")
    }

    @Test func requestIDIsKept() {
        var own = Message.sample(1, at: 1000)
        own.requestID = "r1"
        var other = own
        other.requestID = nil
        other.updatedAt = 2000
        #expect(own.merged(with: other).requestID == "r1")
        #expect(other.merged(with: own).requestID == "r1")
        #expect(own.replaced(by: other).requestID == "r1")
    }
}
