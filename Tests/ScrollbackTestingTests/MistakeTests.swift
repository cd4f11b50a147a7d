import EmbeddedServer
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Sync
import Testing

/// Tests the conformance suite itself.
///
/// For each deliberate mistake, it must report the broken promises, and no others.
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

    @Test(arguments: [false, true])
    func feedThatDoesNotWaitMustBeDeclared(waits: Bool) async throws {
        var subject = try EmbeddedSubject()
        subject.answersFeedAtOnce = false
        subject.feedWaits = waits
        let report = await BackendConformance.run(on: subject) { $0.promise.id == "feed.wait" }
        #expect(report.brokenPromises == (waits ? [] : ["feed.wait"]), "\(report)")
        #expect(report.skipped.isEmpty)
    }

    @Test func skewedClocksMustBeDeclared() async throws {
        var conditions = ServerConditions()
        conditions.clockSkew = 50
        // With skewed clocks, another node may answer a request for a changelog since a time, so
        // this server does not offer such requests.
        conditions.missingCapabilities = [.messageChangelogByTime, .channelChangelogByTime]
        let report = await BackendConformance.run(on: try EmbeddedSubject(conditions))
        #expect(report.brokenPromises == ["send.order"], "\(report)")
    }

    /// Runs the checks about late messages on a server on which messages arrive late.
    private func federatedReport(
        _ wrap: @escaping @Sendable (any Backend) -> any Backend = { $0 }
    ) async throws -> ConformanceReport {
        var conditions = ServerConditions()
        conditions.federationDelay = .milliseconds(1)
        var subject = try EmbeddedSubject(conditions)
        subject.wrap = wrap
        return await BackendConformance.run(on: subject) { $0.summary.contains("message late") }
    }

    @Test func lateMessagesThatAreNamedBreakNoPromise() async throws {
        let report = try await federatedReport()
        #expect(report.passed.count == 1 && report.isKept, "\(report)")
    }

    @Test func lateMessagesMustBeNamed() async throws {
        let report = try await federatedReport { base in
            var backend = WrongBackend(base)
            backend.on(CoreCall.Messages.self) { call in
                let (url, anchor, older, newer) = (
                    call.channelURL, call.anchor, call.older, call.newer
                )
                var page = try await base.messages(in: url, at: anchor, older: older, newer: newer)
                page.outliers = []
                return page
            }
            return backend
        }
        #expect(report.brokenPromises == ["messages.whole"], "\(report)")
    }

    @Test func separateReactionsMustBeComplete() async throws {
        var conditions = ServerConditions()
        conditions.hasSeparateReactions = true
        let mistake = Mistake.altering("omits all but one reaction of a message", ["reactions.all"])
        { (reactions: inout [MessageID: [Reaction]]) in
            reactions = reactions.mapValues { Array($0.prefix(1)) }
        }
        let memory = Memory()
        var subject = try EmbeddedSubject(conditions)
        subject.wrap = { mistake.make($0, memory) }
        await expect(mistake, on: subject)
    }

    @Test func onlyTheFeedMustHaveUnreadCounts() async throws {
        var subject = try EmbeddedSubject()
        subject.wrap = { base in
            var backend = WrongBackend(base)
            backend.alter = { answer in
                if let channel = answer as? GroupChannel { return channel.withoutUnreadCounts }
                guard var page = answer as? Page<GroupChannel> else { return answer }
                page.elements = page.elements.map(\.withoutUnreadCounts)
                return page
            }
            return backend
        }
        let report = await BackendConformance.run(on: subject)
        #expect(report.isKept, "\(report)")
    }

    /// Runs all checks in nightly runs, and those of the broken promises in ordinary runs.
    private func expect(_ mistake: Mistake, on subject: some ConformanceSubject) async {
        let report = await BackendConformance.run(on: subject) { check in
            Seeds.isNight || mistake.promises.contains(check.promise.id)
        }
        let first = report.failed.first { !mistake.promises.contains($0.promiseID) }
        #expect(
            report.brokenPromises == mistake.promises,
            "\(first?.description ?? "what is wrong was not found")")
    }
}

extension GroupChannel {
    fileprivate var withoutUnreadCounts: GroupChannel {
        var channel = self
        (channel.unreadMessageCount, channel.unreadMentionCount) = (0, 0)
        return channel
    }
}
