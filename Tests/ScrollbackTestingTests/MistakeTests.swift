import EmbeddedServer
import Models
import ScrollbackTesting
import Testing

/// Tests the suite itself: it must find each deliberate mistake, and report nothing else.
@Suite(.timeLimit(.minutes(10))) struct MistakeTests {
    @Test(arguments: Mistake.all)
    func suiteFindsEveryMistake(mistake: Mistake) async {
        let memory = Memory()
        var subject = TeamChatSubject()
        subject.wrap = { mistake.make($0, memory) }
        await expect(mistake, on: subject)
    }

    @Test(arguments: Mistake.ofAbilities)
    func suiteFindsEveryMistakeInCapabilities(mistake: Mistake) async throws {
        let memory = Memory()
        var subject = try EmbeddedSubject()
        subject.wrap = { mistake.make($0, memory) }
        await expect(mistake, on: subject)
    }

    @Test func skewedClocksMustBeDeclared() async throws {
        var conditions = ServerConditions()
        conditions.clockSkew = 50
        // A changelog since a time may be answered by a node with another clock.
        conditions.missingCapabilities = [.messageChangelogByTime, .channelChangelogByTime]
        let report = await BackendConformance.run(on: try EmbeddedSubject(conditions))
        #expect(report.brokenPromises == ["send.order"], "\(report)")
    }

    private func expect(_ mistake: Mistake, on subject: some ConformanceSubject) async {
        let report = await BackendConformance.run(on: subject)
        let first = report.failed.first { !mistake.promises.contains($0.promiseID) }
        #expect(
            report.brokenPromises == mistake.promises,
            "\(first?.description ?? "what is wrong was not found")")
    }
}
