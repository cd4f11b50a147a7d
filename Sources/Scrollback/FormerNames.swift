// Names of chat SDKs, of earlier versions and of first guesses. The compiler answers each with its
// replacement.
public import Foundation
public import Models
public import Store
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

/// Renamed.
@available(*, unavailable, renamed: "LinkPreview")
public typealias OGMetaData = LinkPreview

/// Renamed; code that names the type imports the module Models.
@available(*, unavailable, message: "import Models, and use LinkPreviewImage")
public typealias OGImage = LinkPreviewImage

/// A channel is identified by its URL, as servers call it.
@available(*, unavailable, renamed: "ChannelURL")
public typealias ChannelID = ChannelURL

extension Message {
    /// Renamed.
    @available(*, unavailable, renamed: "linkPreview")
    public var ogMetaData: LinkPreview? { fatalError() }
}

extension MessageType {
    /// Renamed.
    @available(*, unavailable, renamed: "text")
    public static var user: MessageType { fatalError() }
}

extension MessageTypeFilter {
    /// Renamed.
    @available(*, unavailable, renamed: "text")
    public static var user: MessageTypeFilter { fatalError() }
}

extension GroupChannel {
    /// Renamed: the current user may not write; notifications are not affected.
    @available(*, unavailable, renamed: "isCurrentUserMuted")
    public var isMuted: Bool { fatalError() }
}

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

    /// Renamed: messages are pinned, and channels are kept in the cache.
    @available(*, unavailable, renamed: "setKeptInCache(_:for:)")
    public func setPinned(_ isPinned: Bool, for url: ChannelURL) async throws(SyncError) {
        fatalError()
    }

    /// Renamed.
    @available(*, unavailable, renamed: "liftRestriction(_:of:in:)")
    public func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(SyncError) { fatalError() }

    /// Renamed.
    @available(*, unavailable, renamed: "forward(_:to:)")
    public func copy(
        _ message: Message, to url: ChannelURL
    ) async throws(SyncError) -> OutgoingMessage { fatalError() }

    /// Renamed.
    @available(*, unavailable, renamed: "readPushInbox()")
    public func absorbPushes() async throws(SyncError) -> ReceivedPushes { fatalError() }
}

extension SyncEngine {
    /// Renamed.
    @available(*, unavailable, renamed: "setKeptInCache(_:for:)")
    public func setPinned(_ isPinned: Bool, for url: ChannelURL) throws(SyncError) { fatalError() }

    /// Renamed: it also discards edits, deletions and reactions.
    @available(*, unavailable, renamed: "discardFailedItems(_:)")
    public func removeFailedMessages(_ ids: [RequestID]) throws(SyncError) -> [RequestID] {
        fatalError()
    }

    /// Renamed.
    @available(*, unavailable, renamed: "readPushInbox()")
    public func absorbPushes() throws(SyncError) -> ReceivedPushes { fatalError() }
}

extension StoreReader {
    /// Renamed.
    @available(*, unavailable, renamed: "isKeptInCache(_:)")
    public func isPinned(_ url: ChannelURL) throws(StoreError) -> Bool { fatalError() }

    /// Renamed.
    @available(*, unavailable, renamed: "channelURLsKeptInCache()")
    public func pinnedChannelURLs() throws(StoreError) -> [ChannelURL] { fatalError() }
}

extension Batch {
    /// Renamed.
    @available(*, unavailable, renamed: "setKeptInCache(_:for:)")
    public func setPinned(_ isPinned: Bool, for url: ChannelURL) throws(StoreError) { fatalError() }
}

extension MessageCollection {
    /// Renamed: the label of the text is omitted.
    @available(*, unavailable, renamed: "send(_:)")
    public func send(text: String) async throws(SyncError) -> OutgoingMessage { fatalError() }

    /// Renamed: it also discards edits, deletions and reactions.
    @available(*, unavailable, renamed: "discardFailedItems(_:)")
    public func removeFailedMessages(_ ids: [RequestID]) async throws(SyncError) -> [RequestID] {
        fatalError()
    }

    /// Renamed: it also discards edits, deletions and reactions.
    @available(*, unavailable, renamed: "discardAllFailedItems()")
    public func removeAllFailedMessages() async throws(SyncError) -> [RequestID] { fatalError() }

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

    /// Renamed.
    @available(*, unavailable, renamed: "loadPrevious()")
    public func loadOlder() async throws -> [Message] { fatalError() }

    /// Renamed.
    @available(*, unavailable, renamed: "loadNext()")
    public func loadNewer() async throws -> [Message] { fatalError() }

    /// Renamed.
    @available(*, unavailable, renamed: "allChanges()")
    public var changes: AsyncStream<CollectionChange<MessageItem>> { fatalError() }
}

extension GroupChannelCollection {
    /// Renamed.
    @available(*, unavailable, renamed: "loadMore()")
    public func loadNext() { fatalError() }

    /// Renamed.
    @available(*, unavailable, renamed: "channels")
    public var items: [GroupChannel] { fatalError() }

    /// Renamed.
    @available(*, unavailable, renamed: "allChanges()")
    public var changes: AsyncStream<CollectionChange<GroupChannel>> { fatalError() }
}
