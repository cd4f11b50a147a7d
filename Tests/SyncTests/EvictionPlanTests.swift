import Models
import Testing

@testable import Store
@testable import Sync

/// Tests which messages are evicted, and in which order.
@Suite(.timeLimit(.minutes(10))) struct EvictionPlanTests {
    /// Returns a plan for channels with the given numbers of messages.
    ///
    /// Each message has ten bytes. The channels are ordered from the least recently opened one.
    private func plan(_ counts: [Int], target: Int?, newest: Int = 5) -> EvictionPlan {
        let sum = counts.reduce(0, +)
        return EvictionPlan(
            candidates: counts.enumerated().map { index, count in
                EvictionPlan.Candidate(
                    channel: CachedChannel(
                        url: ChannelURL(String(UnicodeScalar(UInt8(97 + index)))),
                        messageCount: count, isKeptInCache: false, lastAccess: UInt64(index)))
            },
            newestCount: newest, size: sum * 10, target: target, messageCount: sum)
    }

    private func picture(_ eviction: Eviction) -> String {
        eviction.parts.map { "\($0.channelURL) \($0.messageCount) \($0.reason)" }
            .joined(separator: ", ")
    }

    /// A sparse file, which any program can add, may have any size.
    @Test(arguments: 1...100) func sizeOfACacheMayBeTheGreatestNumber(count: Int) {
        var plan = plan([count], target: 10)
        plan.size = .max
        #expect(plan.eviction.parts.map(\.messageCount).reduce(0, +) == count)
    }

    @Test func cacheBelowItsLimitLosesNothing() {
        let eviction = plan([20, 20], target: nil).eviction
        #expect(eviction.parts == [])
        #expect((eviction.sizeBefore, eviction.sizeAfter) == (400, 400))
    }

    @Test func evictionStopsAtTheTargetSize() {
        let eviction = plan([20, 20], target: 310).eviction
        #expect(picture(eviction) == "a 9 size")
        #expect(eviction.sizeAfter == 310)
    }

    @Test func newestMessagesOfAllChannelsGoLast() {
        #expect(picture(plan([20, 20, 3], target: 130).eviction) == "a 15 size, b 15 size")
        #expect(
            picture(plan([20, 20, 3], target: 60).eviction)
                == "a 15 size, b 15 size, a 5 size, b 2 size")
    }

    @Test func newestMessagesOfALikelyChannelAreNotEvicted() {
        var plan = plan([20, 20], target: 0)
        plan.candidates[0].keepsNewest = true
        #expect(picture(plan.eviction) == "a 15 size, b 15 size, b 5 size")
        #expect(plan.eviction.sizeAfter == 50)
    }

    @Test func expiredMessagesAreRemovedInAnyCase() {
        var plan = plan([20, 20], target: nil)
        plan.candidates[1].expiredCount = 7
        #expect(picture(plan.eviction) == "b 7 retention")
        plan.target = 200
        #expect(picture(plan.eviction) == "b 7 retention, a 13 size")
        plan.candidates[1].expiredCount = 50
        #expect(picture(plan.eviction) == "b 20 retention")
    }

    @Test func keptMessagesCountForTheAverageSize() {
        var plan = plan([10], target: 1500)
        (plan.size, plan.messageCount) = (2000, 100)
        #expect(picture(plan.eviction) == "a 5 size, a 5 size")
        #expect(plan.eviction.sizeAfter == 1800)
    }

    @Test func anEmptyCacheHasNothingToRemove() {
        var plan = plan([], target: 0)
        plan.size = 1000
        #expect(plan.eviction.parts == [])
        #expect(plan.eviction.sizeAfter == 1000)
    }
}
