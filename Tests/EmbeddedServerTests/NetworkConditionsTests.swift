import Testing

@testable import EmbeddedServer

@Suite struct NetworkConditionsTests {
    @Test func conditionNamesAreUnique() {
        let names = NetworkCondition.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(NetworkCondition.named("feed.truncations")?.name == "feed.truncations")
        #expect(NetworkCondition.named("feed.truncation") == nil)
    }

    @Test func perfectNetworkHasNoConditions() {
        #expect(NetworkCondition.all.filter { $0.isOn(in: .perfect) }.map(\.name) == [])
        #expect(NetworkConditions.perfect.description == "seed 0")
    }

    @Test func aConditionIsSetByItsNameAndText() {
        var conditions = NetworkConditions(seed: 7)
        let texts = [
            "isOnline": "false", "latency.jitter": "250", "pages.cap": "3",
            "feed.truncations": "0.5",
        ]
        for (name, text) in texts {
            #expect(NetworkCondition.named(name)?.set(text, in: &conditions) == true)
        }
        #expect(
            conditions.description
                == "seed 7, isOnline false, latency.jitter 250.0 ms, pages.cap 3, feed.truncations 0.5"
        )
        #expect(!conditions.isOnline)
        #expect(conditions.defaultLatency.jitter == .milliseconds(250))
        #expect(conditions.pages.cap == 3)
        #expect(conditions.feed.truncations == 0.5)
    }

    @Test(arguments: NetworkCondition.all)
    func conditionIsRestoredFromItsText(condition: NetworkCondition) {
        var conditions = NetworkConditions.hostile(seed: 1)
        let text = condition.text(in: .hostile(seed: 2))
        #expect(condition.set(text, in: &conditions))
        #expect(condition.text(in: conditions) == text)
    }

    @Test(arguments: [
        ("feed.truncations", "2"), ("feed.truncations", "-1"), ("feed.truncations", "nan"),
        ("pages.cap", "0"),
        ("pages.cap", "many"), ("isOnline", "yes"), ("latency.request", "-5"),
        ("latency.request", "inf"),
    ])
    func invalidConditionValueChangesNothing(name: String, text: String) {
        var conditions = NetworkConditions.perfect
        #expect(NetworkCondition.named(name)?.set(text, in: &conditions) == false)
        #expect(conditions == .perfect)
    }

    @Test func conditionsAreOutsideOfTheContractIfOneIs() {
        var conditions = NetworkConditions.train()
        #expect(conditions.isWithinContract)
        conditions.feed.lost = 0.01
        #expect(!conditions.isWithinContract)
        #expect(
            NetworkCondition.all.filter { !$0.isWithinContract }.map(\.name) == [
                "feed.repeatedEvents", "feed.repeatedBatches", "feed.shuffled", "feed.lost",
                "feed.lostTyping", "feed.lostReceipts", "changelogs.stuck",
            ])
    }

    @Test(arguments: UInt64(0)..<32)
    func presetsStayWithinTheirContract(seed: UInt64) {
        let (awkward, contract) = (
            NetworkConditions.awkward(seed: seed), NetworkConditions.withinContract(seed: seed)
        )
        #expect(awkward.isWithinContract)
        #expect(contract.isWithinContract)
        #expect(NetworkCondition.all.allSatisfy { !$0.failsCalls || !$0.isOn(in: awkward) })
        #expect(awkward == .awkward(seed: seed))
        #expect(
            awkward.pages == contract.pages || contract.pages.expired > 0
                || contract.pages.deletedAnchorsExpire)
    }

    @Test func seedsTurnDifferentConditions() {
        let drawn = (0..<32).map { NetworkConditions.hostile(seed: $0) }
        for condition in NetworkCondition.all
        where !condition.name.hasPrefix("latency") && condition.name != "isOnline" {
            let count = drawn.count { condition.isOn(in: $0) }
            #expect((1..<32).contains(count), "\(condition.name) is on in \(count)")
        }
    }
}
