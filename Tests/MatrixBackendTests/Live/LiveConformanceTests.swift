import Foundation
import ScrollbackTesting
import Sync
import Testing

/// Runs the conformance suite with a real homeserver, which `make test-matrix` starts.
@Suite(.enabled(if: LiveServer.url != nil), .timeLimit(.minutes(15)), .stacks(afterMinutes: 16))
struct LiveConformanceTests {
    @Test func homeserverKeepsThePromisesOfABackend() async throws {
        let report = await BackendConformance.run(on: LiveSubject())
        #expect(report.isKept, "\(report)")
        let skipped = report.skipped.map(\.description)
        let expected = LiveConformanceTests.skipped.components(separatedBy: "\n")
        #expect(Set(skipped).subtracting(expected) == [], "skipped without a known reason")
        #expect(Set(expected).subtracting(skipped) == [], "no longer skipped")
        print(
            "\(report.results.count) checks: \(report.passed.count) passed, \(skipped.count) skipped"
        )
    }

    @Test func feedWaitsForEvents() async throws {
        let subject = LiveSubject(longPoll: .seconds(10))
        let report = await BackendConformance.run(on: subject) { $0.promise.id == "feed.wait" }
        #expect(report.isKept && report.skipped.isEmpty, "\(report)")
    }

    /// The expected list of skipped checks.
    ///
    /// "The subject lacks" means that the test cannot make the homeserver do something. "The
    /// backend lacks" means that Matrix has no such operation.
    static let skipped = """
        - feed.expired: resume the feed after the server has discarded its past (skipped: the subject lacks discardLog)
        - feed.expired: resume the feed after the server's history was rolled back (skipped: the subject lacks breakHistory)
        - feed.restart: restart the server (skipped: the subject lacks restartServer)
        - feed.epoch: roll back the server's history (skipped: the subject lacks breakHistory)
        - feed.members: lose a channel because it is deleted (skipped: the backend lacks channelDeletion)
        - feed.wait: request events before there are any, five times (skipped: the subject declares that its feed returns at once)
        - feed.truncation: backfill a truncation that the subject causes (skipped: the subject lacks openTruncations)
        - feed.whole: vote in a poll, and compare the message in the feed (skipped: the backend lacks polls)
        - feed.purge: delete all messages of a user in a channel (skipped: the subject deletes no messages of a user)
        - feed.purge: delete all messages of a user in all channels (skipped: the subject deletes no messages of a user)
        - feed.history: import messages while a device is offline (skipped: the subject imports no messages)
        - feed.history: import messages, and truncate the feed (skipped: the subject lacks openTruncations)
        - feed.history: expire messages (skipped: the subject expires no messages)
        - messages.order: request messages of the same millisecond (skipped: the subject lacks stopTime)
        - messages.same: vote in a poll, and compare the message in all calls (skipped: the backend lacks polls)
        - messages.sent: vote in a poll, and check the sending status in all calls (skipped: the backend lacks polls)
        - messages.cursor: read messages of the same millisecond in pages (skipped: the subject lacks stopTime)
        - messages.anchor: request a page at a message among others of the same millisecond (skipped: the subject lacks stopTime)
        - count.exact: count the messages of parts of a history (skipped: the backend lacks counts)
        - messageChanges.expired: read the changelog after the server has discarded its past (skipped: the subject lacks discardLog)
        - channelChanges.complete: gain a channel, and read the changelog since a time (skipped: the backend lacks channelChangelogByTime)
        - send.once: send a request id again from another device (skipped: the backend lacks deduplicatesAcrossDevices)
        - send.once: send a request id from two devices at the same time (skipped: the backend lacks deduplicatesAcrossDevices)
        - send.once: send a request id again after a restart of the server (skipped: the subject lacks restartServer)
        - errors.epoch: change a message with an epoch that has ended (skipped: the subject lacks breakHistory)
        - delivered.reported: mark messages as delivered (skipped: the backend lacks deliveryReceipts)
        - create.distinct: create a distinct channel twice (skipped: the backend lacks distinctChannels)
        - deleteChannel.gone: delete a channel (skipped: the backend lacks channelDeletion)
        - hide.state: hide a channel, and receive a message (skipped: the backend lacks hiding)
        - reset.history: reset the user's history (skipped: the backend lacks historyReset)
        - unread.reported: mark messages as unread (skipped: the backend lacks markingAsUnread)
        - pin.reported: pin a message (skipped: the backend lacks pinnedMessages)
        - role.reported: make an operator (skipped: the backend lacks roleManagement)
        - restricted.all: list muted and banned users (skipped: the backend lacks restrictionLists)
        - poll.options: create a poll (skipped: the backend lacks polls)
        - vote.reported: vote in a poll (skipped: the backend lacks polls)
        - block.listed: block a user (skipped: the backend lacks blocking)
        - blocked.all: list blocked users (skipped: the backend lacks blocking)
        - report.missing: report a message, a user and a channel, and then a deleted message (skipped: the backend lacks reporting)
        - open.live: enter and exit an open channel (skipped: the backend lacks openChannels)
        """
}

/// Checks the list of skipped checks without a homeserver.
@Suite struct SkippedCheckTests {
    @Test func allSkippedChecksExist() {
        let ids = BackendConformance.checks.map(\.id)
        for line in LiveConformanceTests.skipped.components(separatedBy: "\n") {
            #expect(ids.contains { line.hasPrefix("- \($0) (skipped: ") }, "\(line)")
        }
    }
}
