public import Foundation
public import Models

/// The connection of one user on one device to a chat server.
///
/// The documentation of each method lists promises, each with a name, such as `errors.channel`
/// below. An implementation may fulfill a promise in any way. The sync engine relies only on these
/// promises, and `BackendConformance` of `ScrollbackTesting` checks each of them under its name.
/// The protocol follows three principles:
///
/// 1. **One resumable feed.** Missed events and live events form one stream. Each batch has a
///    cursor, which the engine stores together with the batch. If a server has a changelog and a
///    socket, the backend combines the two without losing or repeating events.
/// 2. **Coverage is reported by cursors, truncations and changed ranges.** The engine never infers
///    it from counts, times or short pages.
/// 3. **Messages are reported in full**, in their current version. Channels are reported as patches
///    of the fields that are known to have changed.
///
/// ``capabilities`` contains the optional features that a backend supports. Calls for other
/// optional features throw `unsupported`, as the default implementations do.
///
/// Each operation of the user has a request ID, which is the same in all attempts. The backend may
/// deduplicate by this ID: it then answers a later attempt like the first one, without executing
/// the operation again. For ``send(_:)``, the capability `deduplicatesRequests` promises this.
///
/// Any task may make calls, and calls may be concurrent. If the calling task is canceled, the call
/// promptly throws `canceled`. The engine cancels calls on other threads than its own, so a backend
/// that blocks the thread that cancels a call does not block the engine. The engine connects again
/// only after the canceled calls have returned. All times are on the server's clock.
///
/// - `errors.channel`: A call for a channel that does not exist or that the user has no access to
///   throws `notFound` or `refused` and has no effect.
/// - `errors.unsupported`: A call that needs a missing capability throws `unsupported` and has no
///   effect.
/// - `errors.epoch`: A call that names a message of another epoch than the server's current one
///   throws `notFound` and has no effect.
///
/// The last promise concerns the calls that change something and name a message: they have a
/// parameter `epoch`, and ``send(_:)`` has `OutboxItem.targetEpoch`. After the server was restored
/// from a backup, the same ID may belong to another message, and a call may reach the server before
/// the feed has reported the new epoch. Therefore the backend sends the epoch to the server, and the
/// server compares it when it executes the call. If the epoch is `nil`, it is unknown, and the
/// server does not compare it. A backend whose epoch never changes may ignore the parameter, as long
/// as the server never uses the ID of a message again.
public protocol Backend: Sendable {
    /// The optional features that the backend supports. They never change.
    var capabilities: BackendCapabilities { get }

    /// The time for which the server recognizes a request ID after the first request; `nil`, the
    /// default, for forever.
    ///
    /// The value never changes. The capability `deduplicatesRequests` is limited to this time. If
    /// an earlier request for a message may have reached the server, and this time has passed since
    /// then, the engine marks the message as failed and does not retry it automatically.
    var deduplicationPeriod: Duration? { get }

    /// Returns the error with which the backend would refuse every message to a channel, according
    /// to the stored state of the channel; `nil`, the default, if there is none.
    ///
    /// The engine calls this method before it stores a message or an edit, and before it uploads a
    /// file, and does neither if there is an error. An example is a channel that is encrypted in a
    /// way that the backend does not support. The method makes no request.
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
    /// The engine makes one call at a time, and requests the next batch after it has committed the
    /// previous one. A batch may be empty, for example if the server limits the duration of a
    /// request.
    ///
    /// The complete state of a channel consists of the fields that ``channel(_:)`` returns: every
    /// field of `GroupChannel` that the backend knows. A patch with the complete state sets all of
    /// these fields, even empty ones, because the device may have stored an older state of the
    /// channel. In the feed, the complete state includes the unread counts. All other calls may omit
    /// the unread counts, and the engine then keeps the stored ones.
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
    /// - `feed.purge`: If all messages of a user are deleted at once, without an event for each, the
    ///   feed reports a `messagesDeleted` with the user.
    /// - `feed.restart`: Cursors stay valid when the server restarts.
    /// - `feed.epoch`: Batches have the epoch of the session, unless the server's history is rolled
    ///   back.
    /// - `feed.expired`: A cursor throws `expired` if the server cannot report everything after it,
    ///   if it belongs to another epoch, or if it is unknown. It must not omit events or start the
    ///   feed from the beginning instead.
    ///
    /// - Parameter cursor: The cursor of the last committed batch; `nil` to start without data.
    /// - Returns: The next events, and the cursor that resumes the feed after them.
    /// - Throws: `expired` if the server cannot report everything after the cursor.
    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch

    // MARK: Messages

    /// Returns a page of messages around an anchor.
    ///
    /// A channel's history consists of all messages, including replies, in the order of their
    /// positions. If the user has reset the history, it begins at the last reset. If `older` and
    /// `newer` are 0, the page is empty, and both of its cursors are at the anchor.
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
    /// - `messages.same`: All calls that return a message to a user return it with the same value in
    ///   every field of `Message`: pages of channels and threads, lookups, changelogs, searches, and
    ///   the calls that write it.
    /// - `messages.sent`: Every message in an answer or in the feed has an ID and the sending status
    ///   `succeeded`. The backend sets the status.
    ///
    /// - Throws: `expired` if the server no longer knows the cursor or the message.
    func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage

    /// Returns messages by their IDs. The engine passes at most a hundred IDs.
    ///
    /// - `lookup.all`: Each ID is either in the found messages or in the IDs that are gone.
    func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup

    /// Returns the reactions to messages, by the IDs of the messages. The engine passes at most a
    /// hundred IDs.
    ///
    /// A backend with `separateReactions` may omit the reactions of the messages that other calls
    /// return, and of edited messages of the feed. The requirements for these messages do not apply
    /// to the omitted reactions. The engine keeps the reactions that it has stored, and requests
    /// those of shown messages. The feed reports each reaction that is added or removed.
    ///
    /// - `reactions.all`: The answer contains every reaction to the messages, and reflects all
    ///   events that the feed had reported when the reactions were requested. A message without
    ///   reactions may be missing, and a message that does not exist is missing.
    ///
    /// - Throws: `unsupported` without `separateReactions`.
    func reactions(
        of messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> [MessageID: [Reaction]]

    /// Returns a page of the replies to a message around an anchor. The replies form a history of
    /// their own.
    ///
    /// - `replies.page`: The promises for pages of a channel apply to pages of a thread.
    func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage

    /// Returns the number of messages in a range of creation times.
    ///
    /// - `count.exact`: The count equals the number of messages on the pages of that range.
    ///
    /// - Parameters:
    ///   - channelURL: The URL of the channel.
    ///   - lower: The lower bound, inclusive; `nil` for the start of the history.
    ///   - upper: The upper bound, exclusive; `nil` for the end of the history.
    /// - Returns: The number of messages.
    /// - Throws: `unsupported` without `counts`.
    func countMessages(
        in channelURL: ChannelURL, from lower: Timestamp?, to upper: Timestamp?
    ) async throws(BackendError) -> Int

    /// Returns a page of the messages that match a search, in all channels that the user can read.
    ///
    /// The server searches by its own rules, because the engine ignores the messages that do not
    /// match by those of ``/Models/SearchQuery``. It may ignore everything in the parameters except
    /// the words to find: quotes, excluded words, the channels, and the other filters. It need not
    /// find the beginnings of words, nor words in the names of files.
    ///
    /// - `search.words`: The pages together contain every message whose text has all words to find,
    ///   and no message that lacks one of them. The server may treat the forms of a word as equal.
    /// - `search.order`: The newest message comes first. An edited message is sorted by
    ///   the time of its creation or of its last edit.
    /// - `search.pages`: The pages contain no message twice, and miss none, even if messages are
    ///   sent or deleted between two pages.
    /// - `search.current`: Deleted messages are not found, and edited ones only by their new text.
    /// - `search.private`: Only messages that the user can read are found.
    ///
    /// - Parameters:
    ///   - params: The text as the user has typed it, and the filters. The order is not used.
    ///   - cursor: The cursor of the previous page; `nil` for the first page.
    ///   - limit: The maximum number of messages in the page.
    /// - Returns: A page of complete messages, and the cursor of the next page.
    /// - Throws: `expired` if the server no longer knows the cursor.
    func searchMessages(
        matching params: MessageSearchParams, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Message>

    // MARK: Changelogs

    /// Returns the changes of a channel's messages since a point in time or in the feed: edited
    /// messages in their current version, and deleted messages.
    ///
    /// The changes may also include new messages, and messages that the caller has never received.
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
    /// the filter, because the engine applies it too.
    ///
    /// - Returns: A page of changes with complete messages.
    /// - Throws: `expired` if the server cannot report all changes since the point.
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
    /// `params` filters the new and changed channels to report; `nil` stands for all. The backend
    /// may ignore the filter, because the engine applies it too.
    ///
    /// - Returns: A page of changes with complete channels.
    /// - Throws: `expired` if the server cannot report all changes since the point.
    func channelChanges(
        since point: ChangelogPoint, params: GroupChannelChangelogParams?
    ) async throws(BackendError) -> GroupChannelChangelog

    // MARK: Channels

    /// Returns a page of the group channels that match a query, in the query's order.
    ///
    /// - `channels.query`: The pages together contain every matching channel once, in the query's
    ///   order, provided that nothing changes in the meantime.
    ///
    /// - Parameters:
    ///   - query: The filters and the order; its `limit` is the maximum number of channels in a
    ///     page.
    ///   - cursor: The cursor of the previous page; `nil` for the first page.
    /// - Returns: A page of channels, and the cursor of the next page.
    /// - Throws: `expired` if the server no longer knows the cursor.
    func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel>

    /// Returns a group channel with its complete state.
    ///
    /// - `channel.same`: The state equals that in the channel list and in the feed. An unread count
    ///   is that of the feed, or 0 if the backend omits it.
    func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel

    /// Returns a page of the members of a group channel, ordered by their IDs.
    ///
    /// - `members.all`: The pages together contain each joined and each invited member once.
    func members(
        of channelURL: ChannelURL, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Member>

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
    /// - Parameter item: An outbox item whose `operation` is `send`. Its `uploadedFiles` contain
    ///   the results of ``upload(_:from:requestID:progress:)``. Its `attempts` is 1 if no earlier
    ///   request with its request ID can have reached the server, and greater otherwise. Its
    ///   `targetEpoch` is the epoch of the message or poll that the message refers to.
    /// - Returns: The message.
    /// - Throws: `refused`, with the detail, if the user is muted or the channel is frozen;
    ///   `notFound` if the message refers to a message of another epoch.
    func send(_ item: OutboxItem) async throws(BackendError) -> Message

    /// Edits a message of the user.
    ///
    /// - `update.version`: The message's `updatedAt` becomes later.
    /// - `update.absent`: Properties that the update does not contain keep their values.
    /// - `update.owner`: The server refuses an edit by a user who did not send the message.
    ///
    /// All attempts of an edit have the same `requestID`, by which the backend may deduplicate.
    ///
    /// - Returns: The complete message after the edit.
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
    /// All attempts of a deletion have the same `requestID`. A backend that deduplicates by it does
    /// not throw `notFound` for a second attempt. If a backend throws `notFound`, the engine treats
    /// the message as deleted.
    ///
    /// - Throws: `refused` if the user may not delete the message; `notFound` if the message is
    ///   gone.
    func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID,
        epoch: ServerEpoch?
    ) async throws(BackendError)

    /// Adds or removes a reaction.
    ///
    /// - `react.idempotent`: A user has a reaction at most once, however often it is added, and not
    ///   at all after it was removed.
    /// - `react.version`: The time of the event is later than that of the previous event for the
    ///   same key.
    ///
    /// All attempts of a change have the same `requestID`, by which the backend may deduplicate.
    ///
    /// - Returns: The event that the members receive.
    /// - Throws: `notFound` if the message is gone.
    func react(
        _ action: ReactionEventAction, with key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> ReactionEvent

    // MARK: Polls

    /// Creates a poll; a message that is sent with the poll's ID shows the poll.
    ///
    /// - `poll.options`: The poll and each of its options have IDs, and a message that is sent with
    ///   the poll's ID contains the poll.
    ///
    /// - Parameter poll: The title, the texts of the options, and whether a user may vote for
    ///   several options.
    /// - Returns: The poll.
    /// - Throws: `refused` if the title or the options are missing.
    func createPoll(_ poll: Poll) async throws(BackendError) -> Poll

    /// Votes in the poll of a message.
    ///
    /// - `vote.reported`: A vote replaces the earlier vote of the user; a vote for no option
    ///   withdraws it. The feed reports the message to the members, with the new counts and a later
    ///   time of the poll's last change. Each user receives their own `votedOptionIDs`.
    ///
    /// `optionIDs` may contain several options only if the poll allows it.
    ///
    /// - Returns: The message.
    /// - Throws: `notFound` if the message is gone or has no poll; `refused` if the poll is closed
    ///   or has no such option.
    func vote(
        for optionIDs: [Int64], inPollOf messageID: MessageID, in channelURL: ChannelURL,
        epoch: ServerEpoch?
    ) async throws(BackendError) -> Message

    // MARK: Files

    /// Uploads a file.
    ///
    /// - `upload.bytes`: Downloading the file returns the same bytes.
    ///
    /// - Parameters:
    ///   - file: The name, type and thumbnail sizes of the file, without its data and path.
    ///   - source: The bytes of the file.
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
    func download(_ file: FileInfo) async throws(BackendError) -> Data

    // MARK: Receipts and typing

    /// Marks a channel as read up to the current time.
    ///
    /// - `read.reported`: The feed reports the receipt to the members, and the user's unread count
    ///   becomes 0.
    func markAsRead(_ channelURL: ChannelURL) async throws(BackendError)

    /// Marks a message and all newer ones of its channel as unread.
    ///
    /// - `unread.reported`: The feed reports two facts to the user's devices: the user has read the
    ///   messages before this one, and the unread count includes this message and all newer ones of
    ///   other users.
    ///
    /// - Throws: `notFound` if the message does not exist.
    func markAsUnread(
        from messageID: MessageID, in channelURL: ChannelURL, epoch: ServerEpoch?
    ) async throws(BackendError)

    /// Marks the messages of a channel up to the current time as delivered to this device.
    ///
    /// - `delivered.reported`: The feed reports the receipt to the members.
    func markAsDelivered(_ channelURL: ChannelURL) async throws(BackendError)

    /// Reports whether the user is typing.
    ///
    /// - `typing.reported`: The feed reports the typing users to connected members.
    ///
    /// The server ends the typing of a user who sends a message, leaves the channel or disconnects. A
    /// server may not notice that a device has lost the network. Therefore the engine also ends it:
    /// when its own connection ends, and after ``SyncOptions/typingTimeout`` without another report.
    /// While a user goes on typing, the client repeats the call with each key press, at most once in
    /// each interval of its `typingThrottle`. If the server has no timeout of its own, let the feed
    /// repeat the report from time to time.
    func setTyping(_ isTyping: Bool, in channelURL: ChannelURL) async throws(BackendError)

    // MARK: Managing channels

    /// Creates a group channel with the user as member and operator.
    ///
    /// - `create.members`: Each listed user is a joined or an invited member of the channel.
    /// - `create.distinct`: If the parameters ask for a distinct channel, and one with the same
    ///   users exists, that channel is returned.
    func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(BackendError) -> GroupChannel

    /// Changes the name, cover image, data, custom type or metadata of a group channel.
    ///
    /// - `updateChannel.absent`: Properties that the patch does not contain keep their values.
    func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(BackendError) -> GroupChannel

    /// Deletes a group channel with its messages for all members.
    ///
    /// - `deleteChannel.gone`: Each member loses the channel.
    func deleteChannel(_ url: ChannelURL) async throws(BackendError)

    /// Invites users to a group channel.
    ///
    /// - `invite.reported`: Each invited user is a joined or an invited member of the channel.
    func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(BackendError)

    /// Accepts or declines an invitation to a group channel.
    ///
    /// - `invitation.answer`: A user who accepts has joined. A user who declines loses the channel.
    /// - `invitation.none`: An answer of a user who has no invitation is refused, even if the user
    ///   is a member.
    func answerInvitation(to url: ChannelURL, accepts: Bool) async throws(BackendError)

    /// Joins a public group channel.
    func join(_ url: ChannelURL) async throws(BackendError) -> GroupChannel

    /// Leaves a group channel.
    ///
    /// - `leave.loses`: The user loses the channel, and the number of its members decreases by one.
    func leave(_ url: ChannelURL) async throws(BackendError)

    /// Hides a group channel from the user's list, or shows it again.
    ///
    /// - `hide.state`: The channel has the given hidden state. A new message ends
    ///   `hiddenAllowAutoUnhide` but not `hiddenPreventAutoUnhide`.
    func hide(_ url: ChannelURL, until state: HiddenState) async throws(BackendError)

    /// Resets the history of a group channel for this user only, and returns the new lower bound.
    ///
    /// - `reset.history`: No page, lookup or count of the user contains messages that were created
    ///   before the lower bound, and the channel has the bound as its `messageOffset`. Other users
    ///   keep all messages.
    func resetMyHistory(of url: ChannelURL) async throws(BackendError) -> Timestamp

    /// Pins a message to a group channel, or unpins it.
    ///
    /// - `pin.reported`: The channel's pinned messages contain the message until it is unpinned or
    ///   deleted, and the feed reports each change to the members.
    ///
    /// - Throws: `notFound` if the message does not exist.
    func setPinned(
        _ isPinned: Bool, _ messageID: MessageID, in channelURL: ChannelURL, epoch: ServerEpoch?
    ) async throws(BackendError)

    // MARK: Moderating

    /// Sets the role of members of a channel: operator or ordinary member.
    ///
    /// - `role.reported`: The list of members and the channel's state show the users with the role,
    ///   and the feed reports the change to the members.
    ///
    /// - Throws: `refused` if the caller is not an operator of the channel; `notFound` if one of
    ///   the users is not a member, and the call then has no effect.
    func setRole(
        _ role: Role, of userIDs: [UserID], in url: ChannelURL
    ) async throws(BackendError)

    /// Freezes a channel, so that only operators can send messages, or unfreezes it.
    ///
    /// - `freeze.refuses`: While the channel is frozen, messages of other users are refused with
    ///   `channelFrozen`.
    func setFrozen(_ isFrozen: Bool, for url: ChannelURL) async throws(BackendError)

    /// Mutes or bans a user.
    ///
    /// - `mute.refuses`: Messages of a muted user are refused with `mutedInChannel`.
    /// - `ban.loses`: A banned user loses the channel and cannot join again during the ban.
    /// - `restrict.self`: A user cannot mute or ban themselves: this is refused and has no effect.
    ///
    /// The restriction lasts until `end`, or without a limit if `end` is `nil`. The feed need not
    /// report that a restriction has ended. `reason` is for display.
    ///
    /// - Throws: `refused` if the caller is not an operator of the channel.
    func restrict(
        _ userID: UserID, in url: ChannelURL, as restriction: RestrictionType,
        until end: Timestamp?,
        reason: String
    ) async throws(BackendError)

    /// Ends a restriction imposed by ``restrict(_:in:as:until:reason:)``.
    func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(BackendError)

    /// Returns a page of the muted or banned users of a channel, ordered by their IDs.
    ///
    /// - `restricted.all`: The pages together contain each user whose restriction has not ended
    ///   once, with the reason and the end of the restriction.
    ///
    /// - Throws: `refused` if the caller is not an operator of the channel.
    func restrictedUsers(
        of url: ChannelURL, as restriction: RestrictionType, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<RestrictedUser>

    // MARK: Blocking and reporting

    /// Blocks or unblocks another user for the current user. The server decides what a block
    /// prevents.
    ///
    /// - `block.listed`: Until the block ends, the blocked user is in the current user's list on
    ///   all devices, and in no other user's list because of it.
    ///
    /// - Throws: `notFound` if there is no such user; `refused` if the user is the current user.
    func setBlocked(_ isBlocked: Bool, _ userID: UserID) async throws(BackendError)

    /// Returns a page of the users whom the current user has blocked, ordered by their IDs.
    ///
    /// - `blocked.all`: The pages together contain each blocked user once.
    func blockedUsers(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<User>

    /// Reports a message, a user or a channel to the moderators of the service.
    ///
    /// - `report.missing`: A report of a message, user or channel that does not exist, or that the
    ///   user cannot see, throws `notFound` or `refused`.
    func report(
        _ report: ModerationReport, epoch: ServerEpoch?
    ) async throws(BackendError)

    // MARK: Open channels

    /// Returns a page of the open channels, newest first.
    func openChannels(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<OpenChannel>

    /// Returns an open channel.
    func openChannel(_ url: ChannelURL) async throws(BackendError) -> OpenChannel

    /// Creates an open channel with the user as operator.
    func createOpenChannel(
        _ params: OpenChannelCreateParams
    ) async throws(BackendError) -> OpenChannel

    /// Enters an open channel. Until the user exits, the user can fetch its messages, and the feed
    /// reports new ones.
    ///
    /// - `open.live`: Users in the channel receive the messages that are sent from then on, and
    ///   none of the earlier ones.
    func enter(_ url: ChannelURL) async throws(BackendError) -> OpenChannel

    /// Exits an open channel.
    ///
    /// Disconnecting also exits it.
    func exit(_ url: ChannelURL) async throws(BackendError)
}
