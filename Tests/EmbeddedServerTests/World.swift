import Foundation
import Models
import ScrollbackTestSupport
import Store
import Sync

@testable import EmbeddedServer

/// A server with a manual clock, and the devices of some users.
final class World: Sendable {
    let server: EmbeddedServer
    let clock: Clock

    init(seed: UInt64 = 0, at directory: URL? = nil, clock: Clock = Clock()) throws {
        self.clock = clock
        if let directory {
            server = try EmbeddedServer(at: directory, seed: seed) { clock.now }
        } else {
            server = try EmbeddedServer.inMemory(seed: seed) { clock.now }
        }
    }

    /// The server's epoch, with which each of its cursors begins.
    var epoch: String { server.withState { $0.epoch.rawValue } }

    /// Returns a connected device of a user, whose feed never waits.
    func connect(_ userID: UserID) async throws -> EmbeddedClient {
        let client = server.client(waits: false)
        _ = try await client.connect(as: Credentials(userID))
        return client
    }

    /// Creates a channel that all users have joined.
    ///
    /// The first user is its operator.
    func makeChannel(_ url: ChannelURL, _ userIDs: UserID...) throws {
        try server.createChannel(
            GroupChannelCreateParams(
                url.rawValue, userIDs: Array(userIDs.dropFirst()), url: url),
            by: userIDs[0])
    }
}

/// A clock that only advances when a test sets it.
final class Clock: Sendable {
    private let time = Locked<Int64>(1000)

    var now: Timestamp { Timestamp(milliseconds: time.withLock { $0 }) }

    func advance(by milliseconds: Int64 = 1) { time.withLock { $0 += milliseconds } }
}

extension OutboxItem {
    /// Returns an outgoing text message.
    ///
    /// By default, the request id is the text.
    static func text(
        _ text: String, in url: ChannelURL = "general", requestID: RequestID? = nil,
        _ change: (inout NewMessage) -> Void = { _ in }
    ) -> OutboxItem {
        var params = NewMessage(text)
        change(&params)
        var message = Message(id: nil, channelURL: url, text: text, createdAt: 0)
        message.newMessage = params
        return OutboxItem(message, requestID: requestID ?? RequestID(text))
    }
}

extension EmbeddedClient {
    /// Sends texts, one after another.
    @discardableResult
    func say(_ texts: String..., in url: ChannelURL = "general") async throws -> [Message] {
        var messages: [Message] = []
        for text in texts { messages.append(try await send(.text(text, in: url))) }
        return messages
    }

    /// Returns the texts of a channel's newest messages, oldest first.
    func texts(in url: ChannelURL = "general", newest count: Int = 100) async throws -> [String] {
        try await messages(in: url, at: .newest, older: count, newer: 0).messages.map(\.text)
    }

    /// Returns all events of the feed since a cursor, and the cursor after the last event.
    func catchUp(since cursor: FeedCursor?) async throws -> (
        events: [FeedEvent], cursor: FeedCursor
    ) {
        var events: [FeedEvent] = []
        var cursor = cursor
        while true {
            let batch = try await feed(since: cursor)
            events += batch.events
            cursor = batch.cursor
            if batch.isLive { return (events, batch.cursor) }
        }
    }

    func edit(
        _ id: MessageID, to text: String, in url: ChannelURL = "general"
    ) async throws -> Message {
        var params = UserMessageUpdateParams()
        params.text = text
        return try await update(id, in: url, with: .text(params), requestID: "edit")
    }
}

extension FeedEvent {
    /// The message that the event reports, as one or two words, or `nil` if the event reports no
    /// message.
    var word: String? {
        switch self {
        case .messageReceived(let message): message.text
        case .messageUpdated(let message): "~\(message.text)"
        case .messageChanged(let id, in: _): "~\(id)"
        case .messageDeleted(let id, in: _, at: _),
            .messageOrEditDeleted(let id, in: _, createdAt: _, at: _):
            "-\(id)"
        case .messagesDeleted(ofSender: let sender, in: let url, at: _):
            "-all of \(sender) in \(url?.rawValue ?? "all channels")"
        case .reaction(let event):
            "\(event.operation == .add ? "+" : "-")\(event.key) \(event.userID)"
        case .threadInfo(let event): "thread \(event.threadInfo?.replyCount ?? 0)"
        case .truncation: "truncation"
        case .historyChanged(in: _, let from, let through):
            "changed \(from?.milliseconds ?? -1) to \(through?.milliseconds ?? -1)"
        case .read(by: let userID, in: _, at: let time): "read \(userID) \(time)"
        case .delivered(to: let userID, in: _, at: let time): "delivered \(userID) \(time)"
        case .typing(let users, in: _): "typing \(users.map(\.userID.rawValue))"
        case .channelRemoved(let url, let removal):
            (["lost \(url) \(removal.cause)"]
                + [removal.actor?.userID.rawValue, removal.reason]
                .compactMap(\.self)).joined(separator: " ")
        case .participants(let entered, let exited, in: _):
            "entered \(entered.map(\.userID.rawValue)) exited \(exited.map(\.userID.rawValue))"
        case .channel, .channels, .joinedChannels, .openChannel: nil
        }
    }
}

extension [FeedEvent] {
    var words: [String] { compactMap(\.word) }

    /// The channels that result when the events are applied in order.
    var channels: [ChannelURL: GroupChannel] {
        reduce(into: [:]) { channels, event in
            guard case .channel(let update) = event else { return }
            update.patch.apply(to: &channels[update.channelURL, default: GroupChannel()])
        }
    }

    /// Returns the channel that results when its updates are applied in order.
    func channel(_ url: ChannelURL) -> GroupChannel {
        var channel = GroupChannel()
        for case .channel(let update) in self where update.channelURL == url {
            update.patch.apply(to: &channel)
        }
        return channel
    }
}

/// Returns the error that a call throws, or `nil` if it throws none.
func thrown<Result>(_ body: () async throws -> Result) async -> BackendError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? BackendError
    }
}

/// Runs a test in a directory, and removes the directory afterwards.
func withDirectory(_ body: (URL) async throws -> Void) async throws {
    let directory = ScratchDirectory()
    defer { directory.remove() }
    try await body(directory.url)
}
