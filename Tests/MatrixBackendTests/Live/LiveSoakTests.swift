import Collections
import Foundation
import MatrixBackend
import Models
import ScrollbackTesting
import Store
import Sync
import Testing

/// Several writers send, edit, delete and react at random, and each is offline at times.
///
/// At the end, each cache must equal the homeserver's history.
@Suite(
    .enabled(if: LiveServer.url != nil), .timeLimit(.minutes(10)), .stacks(afterMinutes: 11),
    .serialized)
@MainActor
struct LiveSoakTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// The number of rounds, from `SCROLLBACK_MATRIX_ROUNDS`.
    private static let rounds = environment["SCROLLBACK_MATRIX_ROUNDS"].flatMap { Int($0) } ?? 12
    private static let seed =
        environment["SCROLLBACK_SEED"].flatMap { Int($0) } ?? .random(in: 0...Int.max)

    @Test func cachesEqualTheServerAfterRandomWork() async throws {
        try await work(on: [LiveServer.url!])
    }

    @Test(.enabled(if: LiveServer.peer != nil))
    func cachesEqualTwoServersThatFederate() async throws {
        try await work(on: [LiveServer.url!, LiveServer.peer!])
    }

    private func work(on servers: [URL]) async throws {
        var random = SeededRandom(seed: Self.seed)
        print("seed \(Self.seed): SCROLLBACK_SEED repeats the choices")
        // The timelines are short, so that a writer who was offline receives truncations.
        var writers: [LiveDevice] = []
        for (index, name) in ["alice", "bob", "carol"].enumerated() {
            let user = try await LiveServer.register(name, on: servers[index % servers.count])
            writers.append(try await LiveDevice(user, timelineLimit: 5))
        }
        let url = try await writers[0].makeRoom(with: Array(writers.dropFirst()))
        for round in 1...Self.rounds {
            let away = Int.random(in: -1..<writers.count, using: &random)
            if away >= 0 { writers[away].goOffline() }
            for step in 0..<20 {
                let writer = Int.random(in: 0..<writers.count, using: &random)
                try await act(as: writers[writer], in: url, "\(round).\(step)", &random)
            }
            // In half of the rounds, wait until the writers that are online have sent everything,
            // before the other one returns.
            if Bool.random(using: &random) {
                for (index, writer) in writers.enumerated() where index != away {
                    try await settle(writer)
                }
            }
            if away >= 0 { await writers[away].goOnline() }
        }
        for writer in writers { try await settle(writer) }
        let count = try await LiveServer.history(of: url, as: Credentials(writers[0].user)).count
        #expect(count > Self.rounds * 5)
        // The feed delivers events in order. A feed that has delivered this last message has
        // delivered all earlier events.
        let end = try await writers[0].sends("end", to: url)
        for writer in writers {
            try await writer.waits {
                try writer.messages(in: url).contains { $0.messageID == end.messageID }
            }
            try await writer.heal(url)
            try await writer.expectEqualToServer(url)
            await writer.close()
        }
        print("\(count) messages are equal in three caches and on \(servers.count) homeservers")
    }

    /// Waits until the homeserver has answered all items of the outbox.
    ///
    /// Cancels the items that it refused, which change messages that were deleted meanwhile.
    private func settle(_ writer: LiveDevice) async throws {
        try await writer.waits {
            try writer.engine.store.outboxItems().allSatisfy { $0.state == .failed }
        }
        for item in try writer.engine.store.outboxItems() {
            #expect(item.errorCode == .messageNotFound, "\(item)")
            _ = try await writer.client.cancel(item.requestID)
        }
    }

    /// Sends, edits or deletes a message, or reacts to one.
    private func act(
        as writer: LiveDevice, in url: ChannelURL, _ name: String, _ random: inout SeededRandom
    ) async throws {
        // A message whose deletion is queued can no longer be changed.
        let doomed = try writer.engine.store.outboxItems().filter { $0.operation == .delete }
            .compactMap(\.messageID)
        let messages = try writer.messages(in: url).filter { message in
            message.messageID.map { !doomed.contains($0) } ?? false
        }
        let own = messages.filter { $0.sender?.userID == writer.user }
        let choice = Int.random(in: 0..<10, using: &random)
        let mine = own.randomElement(using: &random)?.messageID
        let any = messages.randomElement(using: &random)?.messageID
        switch choice {
        case 6, 7:
            guard let mine else { return }
            _ = try await writer.client.update(.sent(mine), in: url, with: .text("\(name) edited"))
        case 8:
            guard let mine else { return }
            _ = try await writer.client.delete(.sent(mine), in: url)
        case 9:
            guard let any else { return }
            _ = try await writer.client.addReaction("+1", to: .sent(any), in: url)
        default:
            try await writer.send("\(name) \(writer.user)", to: url)
        }
    }
}
