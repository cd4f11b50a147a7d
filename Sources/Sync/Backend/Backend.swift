public import Foundation
public import Models

/// The connection of one user on one device to a chat server.
///
/// Each method lists named promises, such as `errors.channel` below. The sync engine relies only on
/// these promises, and `BackendConformance` of `ScrollbackTesting` checks each of them under its
/// name. The protocol follows three principles:
///
/// 1. **One resumable feed.** Missed events and live events form one stream. Each batch has a
///    cursor, which the engine stores together with the batch. A backend whose server has a
///    changelog and a socket combines the two without losing or repeating events.
/// 2. **Coverage is reported by cursors, truncations and changed ranges.** The engine never infers
///    it from counts, times or short pages.
/// 3. **Messages are reported in full**, in their current version. Channels are reported as patches
///    of the fields that are known to have changed.
///
/// The protocol contains the calls that the engine itself needs; optional ones throw `unsupported`
/// by default. All other operations of a server, such as ``MarkAsRead``, are ``requests``.
///
/// Each operation of the user has a request ID, which is the same in all attempts. The backend may
/// deduplicate by this ID: it then answers a later attempt like the first one, without executing
/// the operation again. The capability `deduplicatesRequests` promises this for ``send(_:)``.
///
/// Any task may make calls, also concurrently. If the calling task is canceled, the call promptly
/// throws `canceled`. A backend may block the thread that cancels a call, which is not the engine's
/// own. The engine connects again only after the canceled calls have returned. All times are on the
/// server's clock.
///
/// - `errors.channel`: A call for a channel that does not exist or that the user has no access to
///   throws `notFound` or `refused` and has no effect.
/// - `errors.unsupported`: A call that needs a missing capability throws `unsupported` and has no
///   effect.
/// - `errors.epoch`: A call that names a message of another epoch than the server's current one
///   throws `notFound` and has no effect.
///
/// The last promise concerns the calls that change something and name a message: they have a
/// parameter or property `epoch`, and ``send(_:)`` has `OutboxItem.targetEpoch`. After the server
/// was restored from a backup, the same ID may belong to another message, and a call may arrive
/// before the feed has reported the new epoch. Therefore the server compares the epoch when it
/// executes the call, unless it is `nil`, that is, unknown. A backend whose epoch never changes may
/// ignore it if the server never uses the ID of a message again.
public protocol Backend: Sendable {
    /// The optional features that the backend supports. They never change.
    var capabilities: BackendCapabilities { get }

    /// The time for which the server recognizes a request ID after the first request; `nil`, the
    /// default, for forever.
    ///
    /// It never changes, and limits the capability `deduplicatesRequests`: if this time has passed
    /// since an earlier request for a message that may have reached the server, the engine marks
    /// the message as failed and does not retry it automatically.
    var deduplicationPeriod: Duration? { get }

    /// Returns the error with which the backend would refuse every message to a channel, according
    /// to its stored state; `nil`, the default, if there is none.
    ///
    /// An example is a channel whose encryption the backend does not support. After an error, the
    /// engine neither stores a message or an edit, nor uploads a file. The method makes no request.
    func sendingRefusal(in channel: GroupChannel) -> BackendError?

    // MARK: The connection

    /// Connects a user.
    ///
    /// - `connect.user`: The session is that of the user in the credentials.
    /// - `connect.again`: Connecting again is allowed in any state and does not change the server's
    ///   data.
    ///
    /// - Throws: `sessionRevoked` if the user is not, or no longer, allowed to connect. Only after
    ///   this error does the client remove the user's cached data from this device.
    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession

    /// Ends the connection, and cancels all calls in flight.
    ///
    /// - `disconnect.ends`: Later calls throw `notConnected` until the user connects again.
    func disconnect() async

    // MARK: The feed

    /// Returns the next batch of events after a cursor, as soon as there is an event.
    ///
    /// The engine requests the next batch after it has committed the previous one. A batch may be
    /// empty, for example if the server limits the duration of a request.
    ///
    /// The complete state of a channel consists of every field of `GroupChannel` that the backend
    /// knows, as ``channel(_:)`` returns them. A patch with the complete state sets all of these
    /// fields, even empty ones, because the device may have stored an older state. Only the feed
    /// must include the unread counts and receipts; if other calls omit them, the engine keeps the
    /// stored ones.
    ///
    /// - `feed.beginning`: Without a cursor, the feed first reports every group channel of the user
    ///   with its complete state; the channel with the newest message comes first. It does not
    ///   report messages that were sent before.
    /// - `feed.complete`: Every message that was accepted, edited or deleted after the cursor in
    ///   one of the user's channels is reported, by an event, or by a truncation or a changed range
    ///   of its channel.
    /// - `feed.order`: The events of a channel are in the order in which they happened.
    /// - `feed.once`: A request with the cursor of a batch does not report the events of that batch
    ///   again.
    /// - `feed.again`: A request with the same cursor reports the same events each time, with the
    ///   newer state of messages and channels that have changed since.
    /// - `feed.fresh`: A batch has no older state of a channel than another call had returned when
    ///   the batch was requested.
    /// - `feed.cursor`: A batch with events has a cursor of its own, unless a later batch repeats
    ///   these events.
    /// - `feed.live`: `isLive` is false while missed events remain to be reported.
    /// - `feed.wait`: If there are no events, a live feed waits for the next one, at least for a
    ///   second, unless the server can only be polled.
    /// - `feed.whole`: A message is reported with all its fields, as a lookup returns it, and never
    ///   in a version older than one that was reported before.
    /// - `feed.sender`: The user's own messages are reported too, with their request IDs, to each
    ///   of the user's devices.
    /// - `feed.members`: A channel that the user joins is reported with its complete state, and a
    ///   channel that the user is invited to with the state that the server shows to invited users.
    ///   A channel that the user loses is reported as removed, and none of its events are reported
    ///   afterwards.
    /// - `feed.private`: Channels that the user has no access to are not reported.
    /// - `feed.truncation`: After a truncation, pages from the newest message toward older ones
    ///   contain every message that the feed omitted, and the messages that it had reported before.
    /// - `feed.history`: If an import adds messages, or a retention period removes them, without an
    ///   event for each, the feed reports a `historyChanged` whose range contains them, and the
    ///   complete state of their channel.
    /// - `feed.purge`: If all messages of a user are deleted at once, without an event for each,
    ///   the feed reports a `messagesDeleted` with the user.
    /// - `feed.restart`: Cursors stay valid when the server restarts.
    /// - `feed.epoch`: Batches have the epoch of the session, unless the server's history is rolled
    ///   back.
    /// - `feed.expired`: A cursor throws `expired` if the server cannot report everything after it,
    ///   if it belongs to another epoch, or if it is unknown. It must not omit events or start the
    ///   feed from the beginning instead.
    ///
    /// `cursor` is that of the last committed batch; `nil` starts without data.
    ///
    /// - Throws: `expired`.
    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch

    // MARK: Messages

    /// Returns a page of messages around an anchor.
    ///
    /// A channel's history consists of all messages, including replies, in the order of their
    /// positions, since the user's last reset of the history. If `older` and `newer` are 0, the
    /// page is empty, and both of its cursors are at the anchor.
    ///
    /// - `messages.order`: A page is in the order of positions and has no duplicates.
    /// - `messages.limit`: A page has at most `older` messages older than the anchor, and at most
    ///   `newer` messages that are newer or the anchor itself. It may have fewer.
    /// - `messages.whole`: Between the oldest and the newest message of a page that are not
    ///   outliers, the page contains every existing message. A server whose clocks do not differ
    ///   has no outliers.
    /// - `messages.cursor`: A page at a cursor continues the page that the cursor came from:
    ///   between the two, no message is missing or repeated.
    /// - `messages.ends`: A cursor is `nil` only at the end of the history in its direction. A page
    ///   with few or no messages need not be the last one.
    /// - `messages.walk`: Following the cursors in one direction ends with a page whose cursor is
    ///   `nil`.
    /// - `messages.time`: If the anchor is a time, messages that were created before it count as
    ///   older, and all others as newer.
    /// - `messages.anchor`: If the anchor is a message, it is on the page, as the oldest of the
    ///   newer messages. If it was deleted, the call throws `expired` or returns the page at its
    ///   former position.
    /// - `messages.steady`: A cursor keeps its position when messages are sent or deleted.
    /// - `messages.fresh`: A page reflects all events that the feed had reported when the page was
    ///   requested.
    /// - `messages.expired`: An unknown cursor or message throws `expired`.
    /// - `messages.same`: All calls that return a message to a user return it with the same value
    ///   in every field of `Message`: pages of channels and threads, lookups, changelogs, searches,
    ///   and the calls that write it.
    /// - `messages.sent`: Every message in an answer or in the feed has an ID and the sending
    ///   status `succeeded`. The backend sets the status.
    func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage

    /// Returns a page of the messages of some kinds that are older than an anchor.
    ///
    /// `Message.kinds(for:)` decides which message is of which kind. The engine also stores
    /// messages of other kinds on the page. An anchor may be a cursor of
    /// ``messages(in:at:older:newer:)``.
    ///
    /// - `kinds.page`: The promises for pages of a channel apply to its messages of the kinds.
    ///
    /// - Throws: `unsupported` without `kindFilter`, and if the server cannot filter by one of the
    ///   kinds, or not in this channel. The engine then fetches the whole history.
    func messages(
        of kinds: MessageKinds, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int
    ) async throws(BackendError) -> MessagePage

    /// Returns messages by their IDs, of which the engine passes at most a hundred.
    ///
    /// - `lookup.all`: Each ID is either in the found messages or in the IDs that are gone.
    func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup

    /// Returns the reactions to messages, of which the engine passes at most a hundred IDs.
    ///
    /// A backend with `separateReactions` may omit the reactions of the messages that other calls
    /// return, and of edited messages of the feed, whatever their promises say. The engine keeps
    /// the stored reactions, and requests those of shown messages. The feed reports each reaction
    /// that is added or removed.
    ///
    /// - `reactions.all`: The answer contains every reaction to the messages, and reflects all
    ///   events that the feed had reported when the reactions were requested. A message without
    ///   reactions may be missing, and a message that does not exist is missing.
    func reactions(
        of messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> [MessageID: [Reaction]]

    /// Returns a page of the replies to a message, which form a history of their own, around an
    /// anchor.
    ///
    /// - `replies.page`: The promises for pages of a channel apply to pages of a thread.
    func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage

    // MARK: Changelogs
    //
    // A server that has only a feed needs no changelogs: by default, both calls throw
    // `unsupported`, and the engine fetches again what may have changed.

    /// Returns the changes of a channel's messages since a point in time or in the feed: edited
    /// messages in their current version, and deleted messages.
    ///
    /// The changes may include new messages, and messages that the caller has never received.
    ///
    /// - `messageChanges.complete`: The pages together contain every message that was edited,
    ///   reacted to or deleted since the point.
    /// - `messageChanges.token`: Each page has a token to continue from, including the last one.
    ///   While more pages follow, it differs from the token of the previous page.
    /// - `messageChanges.ends`: The number of pages is finite.
    /// - `messageChanges.expired`: The call throws `expired` if the server cannot report everything
    ///   since the point, or does not know the token.
    ///
    /// `params` filters the edited messages to report; `nil` stands for all. The backend may ignore
    /// it, because the engine filters too.
    func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint, params: MessageChangelogParams?
    ) async throws(BackendError) -> MessageChangelog

    /// Returns the changes of the user's group channels since a point in time or in the feed.
    ///
    /// - `channelChanges.complete`: The pages together contain every channel that is new or has
    ///   changed, and every channel that the user has lost.
    /// - `channelChanges.token`: Each page has a token to continue from, including the last one.
    ///   While more pages follow, it differs from the token of the previous page.
    /// - `channelChanges.ends`: The number of pages is finite.
    /// - `channelChanges.expired`: The call throws `expired` if the server cannot report everything
    ///   since the point, or does not know the token.
    ///
    /// `params` filters the new and changed channels, which are reported with their complete state;
    /// `nil` stands for all. The backend may ignore it, because the engine filters too.
    func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?
    ) async throws(BackendError) -> GroupChannelChangelog

    // MARK: Channels

    /// Returns a page of at most `query.limit` group channels that match a query, in its order.
    ///
    /// - `channels.query`: The pages together contain every matching channel once, in the query's
    ///   order, provided that nothing changes in the meantime.
    ///
    /// - Throws: `expired` if the server no longer knows the cursor.
    func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel>

    /// Returns a group channel with its complete state.
    ///
    /// - `channel.same`: The state equals that in the channel list and in the feed. An unread count
    ///   is that of the feed, or 0 if the backend omits it.
    func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel

    // MARK: Writing messages

    /// Sends a message.
    ///
    /// - `send.message`: The message has an ID, a position, the item's request ID, and every field
    ///   of the item's message and parameters for which the server has a place.
    /// - `send.once`: If the backend deduplicates requests, two requests of a device with the same
    ///   request ID create one message, even if the first response was lost, provided that the
    ///   second request is made within ``deduplicationPeriod``. If the backend deduplicates across
    ///   devices, the same applies to requests of different devices of a user.
    /// - `send.deleted`: If a message was deleted, a request with its request ID does not create it
    ///   again.
    /// - `send.order`: Messages that are sent one after the other have positions in that order,
    ///   unless the server has clocks that differ.
    /// - `send.reported`: When the call returns, the message is in the history, and the feed
    ///   reports it.
    ///
    /// - Parameter item: An outbox item whose `operation` is `send`. Its `uploadedFile(at:)`
    ///   returns a result of ``upload(_:from:requestID:progress:)``. Its `attempts` is 1 if no
    ///   earlier request with its request ID can have reached the server, and greater otherwise.
    ///   Its `targetEpoch` is the epoch of the message or poll that the message refers to.
    /// - Returns: The message.
    /// - Throws: `refused`, with the detail, if the user is muted or the channel is frozen;
    ///   `notFound` if the message refers to a message of another epoch.
    func send(_ item: OutboxItem) async throws(BackendError) -> Message

    /// Edits a message of the user, and returns the complete message after the edit.
    ///
    /// - `update.version`: The message's `updatedAt` becomes later.
    /// - `update.absent`: Properties that the update does not contain keep their values.
    /// - `update.owner`: The server refuses an edit by a user who did not send the message.
    ///
    /// - Throws: `refused` if the user may not edit the message; `notFound` if the message is gone.
    func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> Message

    /// Deletes a message of the user or, if the user is an operator of the channel, any message.
    ///
    /// - `delete.gone`: No page, lookup or count of any user contains the message any longer.
    /// - `delete.owner`: The server refuses a deletion by a user who may not delete the message.
    /// - `delete.twice`: Deleting a message that is gone throws `notFound`.
    ///
    /// A backend that deduplicates by the `requestID` does not throw `notFound` for a second
    /// attempt; after `notFound`, the engine treats the message as deleted.
    ///
    /// - Throws: `refused` if the user may not delete the message; `notFound` if the message is
    ///   gone.
    func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID,
        epoch: ServerEpoch?
    ) async throws(BackendError)

    /// Adds or removes a reaction, and returns the event that the members receive.
    ///
    /// - `react.idempotent`: A user has a reaction at most once, however often it is added, and not
    ///   at all after it was removed.
    /// - `react.version`: The time of the event is later than that of the previous event for the
    ///   same key.
    ///
    /// - Throws: `notFound` if the message is gone.
    func react(
        _ action: ReactionEventAction, with key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> ReactionEvent

    // MARK: Files

    /// Uploads a file.
    ///
    /// - `upload.bytes`: Downloading the file returns the same bytes.
    ///
    /// - Parameters:
    ///   - file: The name, type and thumbnail sizes of the file, without its data and path.
    ///   - source: The file's bytes.
    ///   - requestID: The request ID of the outbox item that contains the file.
    ///   - progress: A closure to call from time to time, on any thread, with increasing numbers.
    /// - Returns: The description of the file for the message, with a URL.
    /// - Throws: `refused` with the detail `fileSizeLimitExceeded` if the file is too large; the
    ///   errors that `source` throws.
    func upload(
        _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo

    /// Returns the bytes of a message's file.
    ///
    /// The client keeps them by the file's URL, size and custom type, which must therefore never
    /// get other bytes.
    func download(_ file: FileInfo) async throws(BackendError) -> Data

    // MARK: Requests

    /// The requests that the backend supports, with their handlers; none by default.
    ///
    /// The table may depend on the server, and is valid while the user is connected.
    ///
    /// ```swift
    /// var requests: RequestHandlers {
    ///     var handlers = RequestHandlers()
    ///     handlers.on(MarkAsRead.self) { request throws(BackendError) in
    ///         try await self.http.post("channels/\(request.channelURL)/read")
    ///     }
    ///     return handlers
    /// }
    /// ```
    var requests: RequestHandlers { get }

    /// Executes a request by its handler in ``requests``, or throws `unsupported` if it has none.
    func perform<Request: BackendRequest>(
        _ request: Request
    ) async throws(BackendError) -> Request.Answer
}
