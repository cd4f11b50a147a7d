import Foundation
import ScrollbackTesting
import Testing

/// The conformance suite on a real homeserver, which `make test-matrix` starts.
@Suite(.enabled(if: LiveServer.url != nil), .timeLimit(.minutes(15)))
struct LiveConformanceTests {
    @Test func homeserverKeepsThePromisesOfABackend() async throws {
        let report = await BackendConformance.run(on: LiveSubject())
        #expect(report.isKept, "\(report)")
        let skipped = report.skipped.map(\.description)
        #expect(skipped == LiveConformanceTests.skipped.components(separatedBy: "\n"))
        print(
            "\(report.results.count) checks: \(report.passed.count) passed, \(skipped.count) skipped"
        )
    }

    /// The checks that are skipped: "the host lacks" where the test cannot make the homeserver do it,
    /// "the backend lacks" where Matrix has no such operation.
    private static let skipped = """
        - feed.expired: resume the feed after the server has discarded its past (skipped: the host lacks forgetPast)
        - feed.expired: resume the feed after the server's history was rolled back (skipped: the host lacks breakHistory)
        - feed.restart: restart the server (skipped: the host lacks restartServer)
        - feed.epoch: break the server's history (skipped: the host lacks breakHistory)
        - feed.members: lose a deleted channel (skipped: the backend lacks channelDeletion)
        - feed.truncation: backfill a truncation that the host caused (skipped: the host lacks openTruncations)
        - feed.history: import messages while a device is away (skipped: the host imports no messages)
        - feed.history: import messages and send many more (skipped: the host lacks openTruncations)
        - feed.history: expire messages (skipped: the host expires no messages)
        - messages.order: look at messages of one millisecond (skipped: the host lacks stopTime)
        - messages.cursor: walk through messages of one millisecond (skipped: the host lacks stopTime)
        - messages.anchor: open a channel amid one millisecond (skipped: the host lacks stopTime)
        - count.exact: count parts of a history (skipped: the backend lacks counts)
        - messageChanges.expired: ask a server that has forgotten (skipped: the host lacks forgetPast)
        - channelChanges.complete: get a channel, since a time (skipped: the backend lacks channelChangelogByTime)
        - send.once: send again from another device (skipped: the backend lacks deduplicatesAcrossDevices)
        - send.once: send twice at a time from two devices (skipped: the backend lacks deduplicatesAcrossDevices)
        - send.once: send again after a restart (skipped: the host lacks restartServer)
        - delivered.reported: get messages (skipped: the backend lacks deliveryReceipts)
        - create.distinct: ask for one channel twice (skipped: the backend lacks distinctChannels)
        - deleteChannel.gone: delete a channel (skipped: the backend lacks channelDeletion)
        - hide.state: hide, and get a message (skipped: the backend lacks hiding)
        - reset.history: reset a history (skipped: the backend lacks historyReset)
        - open.live: enter and exit an open channel (skipped: the backend lacks openChannels)
        """
}
