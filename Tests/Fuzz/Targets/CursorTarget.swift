import EmbeddedServer
import Models
import Store
import Sync

extension FuzzTarget {
    /// A cursor or token that a store or a client has saved.
    ///
    /// The input is a byte for the kind, and then the text.
    ///
    /// The server reports a cursor that it does not know as expired. If the server accepts the
    /// cursor, it must also accept the next one. The store must read a feed token as it was
    /// written, or as missing.
    static let cursors = FuzzTarget("Cursors") { input in
        var input = FuzzInput(input)
        let kind = input.byte()
        if kind % 8 == 0 {
            if let former = FormerEpoch(bytes: Array(input.rest)) {
                precondition(
                    FormerEpoch(bytes: former.bytes) == former, "An epoch is not read as written.")
            }
            guard let token = FeedToken(bytes: Array(input.rest)) else { return }
            precondition(FeedToken(bytes: token.bytes) == token, "A token is not read as written.")
            return
        }
        let text = input.text
        wait { await CursorServer.goOn(from: text, kind) }
    }
}

/// A server with some history.
///
/// All inputs use it.
private enum CursorServer {
    static let server: EmbeddedServer = orTrap {
        try EmbeddedServer.inMemory(seed: 1, now: { 1_700_000_000_000 })
    }

    static func goOn(from text: String, _ kind: UInt8) async {
        let client = server.client(waits: false)
        // For half of the kinds, the network wraps the server's cursors in all possible ways.
        let backend: any Backend = kind < 128 ? client : ConditionedBackend(client)
        do throws(BackendError) {
            _ = try await backend.connect(as: Credentials("alice"))
            try await makeHistory(client)
            switch kind % 8 {
            case 1:
                let batch = try await backend.feed(since: FeedCursor(text))
                _ = try await backend.feed(since: batch.cursor)
            case 2:
                let page = try await backend.messages(
                    in: "general", at: .cursor(PageCursor(text)), older: 2, newer: 2)
                for cursor in [page.older, page.newer].compactMap({ $0 }) {
                    _ = try await backend.messages(
                        in: "general", at: .cursor(cursor), older: 2, newer: 2)
                }
            case 3:
                let changes = try await backend.messageChanges(in: "general", since: .token(text))
                _ = try await backend.messageChanges(
                    in: "general", since: .token(changes.next ?? text))
            case 4:
                let changes = try await backend.channelChanges(since: .token(text))
                _ = try await backend.channelChanges(since: .token(changes.next ?? text))
            case 5:
                _ = try await backend.channelChanges(since: .feed(FeedCursor(text)))
            case 6:
                _ = try await backend.replies(
                    to: "1", in: "general", at: .cursor(PageCursor(text)), older: 2, newer: 2)
            default:
                let page = try await backend.channels(
                    matching: GroupChannelListQuery(), after: PageCursor(text))
                if let next = page.next {
                    _ = try await backend.channels(matching: GroupChannelListQuery(), after: next)
                }
            }
        } catch {
            precondition(
                error.code == .expired, "A cursor is not called expired: \(error) at \(text)")
        }
        await backend.disconnect()
    }

    private static func makeHistory(_ client: EmbeddedClient) async throws(BackendError) {
        do throws(BackendError) {
            _ = try await client.channel("general")
        } catch {
            _ = try await client.perform(
                CreateChannel(
                    GroupChannelCreateParams("general", url: "general")))
            for text in ["a", "b", "c", "d"] {
                let message = Message(id: nil, channelURL: "general", text: text, createdAt: 1)
                _ = try await client.send(OutboxItem(message, requestID: RequestID(text)))
            }
        }
    }
}
