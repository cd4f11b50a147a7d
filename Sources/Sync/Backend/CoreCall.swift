public import Foundation
public import Models

/// The calls that the engine itself makes, each of which is a method of ``Backend``.
public enum CoreCall {
    /// A call of ``Backend/connect(as:)``.
    public struct Connect: BackendCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("connect", changesServer: false)

        /// The credentials.
        public var credentials: Credentials
        /// The user's ID.
        public var subject: String { credentials.userID.rawValue }
        /// The other parameters.
        public var detail: String { subject }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> BackendSession {
            try await backend.connect(as: credentials)
        }
    }

    /// A call of ``Backend/feed(since:)``.
    public struct Feed: BackendCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("feed", changesServer: false)

        /// The start.
        public var since: FeedCursor?
        /// The other parameters.
        public var detail: String { since == nil ? "from the beginning" : "" }

        package init(since: FeedCursor?) { self.since = since }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> FeedBatch {
            try await backend.feed(since: since)
        }
    }

    /// A call of ``Backend/messages(in:at:older:newer:)``.
    public struct Messages: ChannelCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("messages", changesServer: false)

        /// The channel's URL.
        public var channelURL: ChannelURL
        /// The anchor.
        public var anchor: MessageAnchor
        /// The maximum number of older messages.
        public var older: Int
        /// The maximum number of newer messages.
        public var newer: Int
        /// The other parameters.
        public var detail: String { "\(anchor.text), \(older) older, \(newer) newer" }

        package init(channelURL: ChannelURL, anchor: MessageAnchor, older: Int, newer: Int) {
            self.channelURL = channelURL
            self.anchor = anchor
            self.older = older
            self.newer = newer
        }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> MessagePage {
            try await backend.messages(in: channelURL, at: anchor, older: older, newer: newer)
        }
    }

    /// A call of ``Backend/messages(of:in:at:older:)``.
    public struct MessagesOfKinds: ChannelCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration(
            "messagesOfKinds", needs: .kindFilter, changesServer: false)

        /// The kinds.
        public var kinds: MessageKinds
        /// The channel's URL.
        public var channelURL: ChannelURL
        /// The anchor.
        public var anchor: MessageAnchor
        /// The maximum number of older messages.
        public var older: Int
        /// The other parameters.
        public var detail: String { "\(kinds), \(anchor.text), \(older) older" }

        package init(
            kinds: MessageKinds, channelURL: ChannelURL, anchor: MessageAnchor, older: Int
        ) {
            self.kinds = kinds
            self.channelURL = channelURL
            self.anchor = anchor
            self.older = older
        }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> MessagePage {
            try await backend.messages(of: kinds, in: channelURL, at: anchor, older: older)
        }
    }

    /// A call of ``Backend/replies(to:in:at:older:newer:)``.
    public struct Replies: ChannelCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("replies", changesServer: false)

        /// The parent message's ID.
        public var parentID: MessageID
        /// The channel's URL.
        public var channelURL: ChannelURL
        /// The anchor.
        public var anchor: MessageAnchor
        /// The maximum number of older messages.
        public var older: Int
        /// The maximum number of newer messages.
        public var newer: Int
        /// The other parameters.
        public var detail: String {
            "to \(parentID), \(anchor.text), \(older) older, \(newer) newer"
        }

        package init(
            parentID: MessageID, channelURL: ChannelURL, anchor: MessageAnchor, older: Int,
            newer: Int
        ) {
            self.parentID = parentID
            self.channelURL = channelURL
            self.anchor = anchor
            self.older = older
            self.newer = newer
        }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> MessagePage {
            try await backend.replies(
                to: parentID, in: channelURL, at: anchor, older: older, newer: newer)
        }
    }

    /// A call of ``Backend/lookup(_:in:)``.
    public struct Lookup: ChannelCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("lookup", changesServer: false)

        /// The messages' IDs.
        public var messageIDs: [MessageID]
        /// The channel's URL.
        public var channelURL: ChannelURL
        /// The other parameters.
        public var detail: String { "\(messageIDs.count) messages" }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> MessageLookup {
            try await backend.lookup(messageIDs, in: channelURL)
        }
    }

    /// A call of ``Backend/reactions(of:in:)``.
    public struct Reactions: ChannelCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("reactions", changesServer: false)

        /// The messages' IDs.
        public var messageIDs: [MessageID]
        /// The channel's URL.
        public var channelURL: ChannelURL
        /// The other parameters.
        public var detail: String { "of \(messageIDs.count) messages" }

        /// Makes the call.
        public func make(
            on backend: any Backend
        ) async throws(BackendError) -> [MessageID: [Reaction]] {
            try await backend.reactions(of: messageIDs, in: channelURL)
        }
    }

    /// A call of ``Backend/messageChanges(in:since:params:)``.
    public struct MessageChanges: ChannelCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("messageChanges", changesServer: false)

        /// The channel's URL.
        public var channelURL: ChannelURL
        /// The start.
        public var since: ChangelogPoint
        /// The filter; `nil` for all changes.
        public var params: MessageChangelogParams?

        package init(
            channelURL: ChannelURL, since: ChangelogPoint, params: MessageChangelogParams? = nil
        ) {
            self.channelURL = channelURL
            self.since = since
            self.params = params
        }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> MessageChangelog {
            try await backend.messageChanges(in: channelURL, since: since, params: params)
        }
    }

    /// A call of ``Backend/channelChanges(since:params:)``.
    public struct ChannelChanges: BackendCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("channelChanges", changesServer: false)

        /// The start.
        public var since: ChangelogPoint
        /// The filter; `nil` for all changes.
        public var params: GroupChannelChangelogParams?

        package init(since: ChangelogPoint, params: GroupChannelChangelogParams? = nil) {
            self.since = since
            self.params = params
        }

        /// Makes the call.
        public func make(
            on backend: any Backend
        ) async throws(BackendError) -> GroupChannelChangelog {
            try await backend.channelChanges(since: since, params: params)
        }
    }

    /// A call of ``Backend/channels(matching:after:)``.
    public struct Channels: BackendCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("channels", changesServer: false)

        /// The filters and the order.
        public var query: GroupChannelListQuery
        /// The previous page's cursor.
        public var cursor: PageCursor?
        /// The other parameters.
        public var detail: String { cursor == nil ? "first page" : "next page" }

        package init(query: GroupChannelListQuery, cursor: PageCursor? = nil) {
            self.query = query
            self.cursor = cursor
        }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> Page<GroupChannel> {
            try await backend.channels(matching: query, after: cursor)
        }
    }

    /// A call of ``Backend/channel(_:)``.
    public struct Channel: ChannelCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("channel", changesServer: false)

        /// The channel's URL.
        public var channelURL: ChannelURL

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> GroupChannel {
            try await backend.channel(channelURL)
        }
    }

    /// A call of ``Backend/send(_:)``.
    public struct Send: ChannelCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("send")

        /// The outbox item.
        public var item: OutboxItem
        /// The channel's URL.
        public var channelURL: ChannelURL { item.channelURL }
        /// The other parameters.
        public var detail: String { item.requestID.rawValue }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> Message {
            try await backend.send(item)
        }
    }

    /// A call of ``Backend/update(_:in:with:requestID:epoch:)``.
    public struct Update: ChannelCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("update")

        /// The message's ID.
        public var messageID: MessageID
        /// The channel's URL.
        public var channelURL: ChannelURL
        /// The edit.
        public var update: MessageUpdate
        /// The request ID.
        public var requestID: RequestID
        /// The message's epoch; `nil` if unknown.
        public var epoch: ServerEpoch?
        /// The other parameters.
        public var detail: String { messageID.rawValue }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> Message {
            try await backend.update(
                messageID, in: channelURL, with: update, requestID: requestID, epoch: epoch)
        }
    }

    /// A call of ``Backend/delete(_:in:requestID:epoch:)``.
    public struct Delete: ChannelCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("delete")

        /// The message's ID.
        public var messageID: MessageID
        /// The channel's URL.
        public var channelURL: ChannelURL
        /// The request ID.
        public var requestID: RequestID
        /// The message's epoch; `nil` if unknown.
        public var epoch: ServerEpoch?
        /// The other parameters.
        public var detail: String { messageID.rawValue }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) {
            try await backend.delete(
                messageID, in: channelURL, requestID: requestID, epoch: epoch)
        }
    }

    /// A call of ``Backend/react(_:with:to:in:requestID:epoch:)``.
    public struct React: ChannelCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("react")

        /// The action.
        public var action: ReactionEventAction
        /// The reaction's key.
        public var key: String
        /// The message's ID.
        public var messageID: MessageID
        /// The channel's URL.
        public var channelURL: ChannelURL
        /// The request ID.
        public var requestID: RequestID
        /// The message's epoch; `nil` if unknown.
        public var epoch: ServerEpoch?
        /// The other parameters.
        public var detail: String { messageID.rawValue }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> ReactionEvent {
            try await backend.react(
                action, with: key, to: messageID, in: channelURL, requestID: requestID,
                epoch: epoch)
        }
    }

    /// A call of ``Backend/upload(_:from:requestID:progress:)``.
    public struct Upload: BackendCall {
        /// The declaration.
        public static let declaration = CallDeclaration("upload")

        /// The file.
        public var file: UploadableFile
        /// The file's bytes.
        public var source: UploadSource
        /// The request ID.
        public var requestID: RequestID
        /// A closure to call with the progress.
        public var progress: @Sendable (TransferProgress) -> Void
        /// The request ID.
        public var subject: String { requestID.rawValue }
        /// The other parameters.
        public var detail: String { requestID.rawValue }

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> FileInfo {
            try await backend.upload(file, from: source, requestID: requestID, progress: progress)
        }
    }

    /// A call of ``Backend/download(_:)``.
    public struct Download: BackendCall, Hashable {
        /// The declaration.
        public static let declaration = CallDeclaration("download", changesServer: false)

        /// The file.
        public var file: FileInfo

        /// Makes the call.
        public func make(on backend: any Backend) async throws(BackendError) -> Data {
            try await backend.download(file)
        }
    }

    /// The types of all core calls.
    public static let types: [any BackendCall.Type] = [
        Connect.self, Feed.self, Messages.self, MessagesOfKinds.self, Replies.self, Lookup.self,
        Reactions.self, MessageChanges.self, ChannelChanges.self, Channels.self, Channel.self,
        Send.self, Update.self, Delete.self, React.self, Upload.self, Download.self,
    ]
}
