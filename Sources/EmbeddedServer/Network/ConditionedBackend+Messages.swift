public import Foundation
public import Models
import Store
public import Sync

// Calls for the connection, messages, files and receipts.
//
// The conditions can delay these calls or make them fail, but do not change the responses.
extension ConditionedBackend {
    /// Forwards the call under the conditions.
    public func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        try await perform(.connect, credentials.userID.rawValue) { _ throws(BackendError) in
            try await base.connect(as: credentials)
        }
    }

    /// Disconnects regardless of the conditions, and ends all waiting calls.
    public func disconnect() async {
        state.withLock {
            $0.appendToLog("disconnect")
            return $0.loseConnection()
        }.cancel()
        await base.disconnect()
    }

    /// Forwards the call under the conditions.
    public func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup {
        try await perform(.lookup, in: channelURL) { _ throws(BackendError) in
            try await base.lookup(messageIDs, in: channelURL)
        }
    }

    /// Forwards the call under the conditions.
    public func countMessages(
        in channelURL: ChannelURL, from lower: Timestamp?, to upper: Timestamp?
    ) async throws(BackendError) -> Int {
        try await perform(.countMessages, in: channelURL) { _ throws(BackendError) in
            try await base.countMessages(in: channelURL, from: lower, to: upper)
        }
    }

    /// Forwards the call under the conditions.
    public func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try await perform(.channel, in: url) { _ throws(BackendError) in
            try await base.channel(url)
        }
    }

    /// Forwards the call under the conditions.
    public func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        try await perform(.send, in: item.channelURL) { _ throws(BackendError) in
            try await base.send(item)
        }
    }

    /// Forwards the call under the conditions.
    public func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID
    ) async throws(BackendError) -> Message {
        try await perform(.update, in: channelURL) { _ throws(BackendError) in
            try await base.update(messageID, in: channelURL, with: update, requestID: requestID)
        }
    }

    /// Forwards the call under the conditions.
    public func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID
    ) async throws(BackendError) {
        try await perform(.delete, in: channelURL) { _ throws(BackendError) in
            try await base.delete(messageID, in: channelURL, requestID: requestID)
        }
    }

    /// Forwards the call under the conditions.
    public func react(
        _ action: ReactionEventAction, with key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID
    ) async throws(BackendError) -> ReactionEvent {
        try await perform(.react, in: channelURL) { _ throws(BackendError) in
            try await base.react(
                action, with: key, to: messageID, in: channelURL, requestID: requestID)
        }
    }

    /// Forwards the call under the conditions.
    public func upload(
        _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        try await perform(.upload, requestID.rawValue) { _ throws(BackendError) in
            try await base.upload(file, from: source, requestID: requestID, progress: progress)
        }
    }

    /// Forwards the call under the conditions.
    public func download(_ file: FileInfo) async throws(BackendError) -> Data {
        try await perform(.download, "") { _ throws(BackendError) in
            try await base.download(file)
        }
    }

    /// Forwards the call under the conditions.
    public func markAsRead(_ channelURL: ChannelURL) async throws(BackendError) {
        try await perform(.markAsRead, in: channelURL) { _ throws(BackendError) in
            try await base.markAsRead(channelURL)
        }
    }

    /// Forwards the call under the conditions.
    public func markAsDelivered(_ channelURL: ChannelURL) async throws(BackendError) {
        try await perform(.markAsDelivered, in: channelURL) { _ throws(BackendError) in
            try await base.markAsDelivered(channelURL)
        }
    }

    /// Forwards the call under the conditions.
    public func setTyping(_ isTyping: Bool, in channelURL: ChannelURL) async throws(BackendError) {
        try await perform(.setTyping, in: channelURL) { _ throws(BackendError) in
            try await base.setTyping(isTyping, in: channelURL)
        }
    }
}
