// Names of chat SDKs, of earlier versions and of first guesses. The compiler answers each of them with
// the name that replaces it.
public import Foundation
public import Models
public import Sync

/// Renamed: a ``/Models/NewMessage`` has a text, files or both.
@available(*, unavailable, renamed: "NewMessage")
public typealias UserMessageCreateParams = NewMessage

/// Renamed: a ``/Models/NewMessage`` has a text, files or both.
@available(*, unavailable, renamed: "NewMessage")
public typealias FileMessageCreateParams = NewMessage

/// Renamed: a ``/Models/NewMessage`` has a text, files or both.
@available(*, unavailable, renamed: "NewMessage")
public typealias MultipleFilesMessageCreateParams = NewMessage

extension UploadableFile {
    /// Renamed: the label of the data is omitted.
    @available(*, unavailable, renamed: "init(_:name:mimeType:)")
    public init(data: Data, name: String, mimeType: String? = nil) { fatalError() }
}

extension ConnectionState {
    /// Renamed.
    @available(*, unavailable, renamed: "online")
    public static var connected: ConnectionState { fatalError() }

    /// Renamed.
    @available(*, unavailable, renamed: "online")
    public static var open: ConnectionState { fatalError() }

    /// Renamed.
    @available(*, unavailable, renamed: "offline")
    public static var closed: ConnectionState { fatalError() }

    /// Renamed.
    @available(*, unavailable, renamed: "offline")
    public static var disconnected: ConnectionState { fatalError() }
}

extension ChatClientOptions {
    /// Renamed.
    @available(*, unavailable, renamed: "log")
    public var logger: (@Sendable (ChatClient.LogLine) -> Void)? {
        get { fatalError() }
        set { fatalError() }
    }
}

extension ChatClient {
    /// Renamed.
    @available(*, unavailable, renamed: "cachedDataSize()")
    public var cacheSize: Int { fatalError() }
}

extension MessageCollection {
    /// Renamed: the label of the text is omitted.
    @available(*, unavailable, renamed: "send(_:)")
    public func send(text: String) async throws(SyncError) -> OutgoingMessage { fatalError() }

    /// Renamed.
    @available(*, unavailable, renamed: "discard(_:)")
    public func removeFailedMessages(_ messages: [Message]) async throws(SyncError) {
        fatalError()
    }

    /// Renamed.
    @available(*, unavailable, renamed: "send(_:)")
    public func sendUserMessage(_ text: String) async throws(SyncError) -> OutgoingMessage {
        fatalError()
    }

    /// Renamed.
    @available(*, unavailable, renamed: "send(_:keepsCopies:)")
    public func sendFileMessage(_ new: NewMessage) async throws(SyncError) -> OutgoingMessage {
        fatalError()
    }

    /// Renamed.
    @available(*, unavailable, renamed: "delete(_:)")
    public func deleteMessage(_ message: Message) async throws(SyncError) { fatalError() }

    /// Renamed.
    @available(*, unavailable, renamed: "resend(_:replacing:)")
    public func resendUserMessage(_ message: Message) async throws(SyncError) { fatalError() }
}
