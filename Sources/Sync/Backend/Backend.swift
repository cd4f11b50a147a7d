public import Foundation
public import Models

/// What the engine asks of a chat server, as one user on one device.
///
/// A backend is free in how it keeps each promise below; the engine relies on the promises alone, and
/// `BackendConformance` of `ScrollbackTesting` checks them one by one, under the names they have
/// here. Everything follows from three ideas:
///
/// 1. **One resumable feed.** What was missed and what happens now are the same stream, with a cursor
///    that is stored beside its data. Where a server has a changelog and a socket, the race between the
///    two is the backend's to solve, once.
/// 2. **Coverage is told by cursors and holes**, never inferred from counts, times or short pages.
/// 3. **A message is told whole**, as it now is; a channel by what is known to have changed.
///
/// What a backend cannot do, its ``capabilities`` leave out; the calls for it throw `unsupported`, as
/// they do here if they are not implemented.
///
/// What a user writes has a request id: one for each thing that they do, and the engine gives the same
/// for each attempt at it. The backend may deduplicate by it, and answer a later attempt as the first,
/// without doing anything again. For ``send(_:)``, `deduplicatesRequests` says that it does.
///
/// Calls may come from any task, several at once. A task that is canceled makes its call throw
/// `canceled` soon. All times are the server's.
///
/// - `errors.channel`: What is asked of a channel that does not exist, or that the user has no part
///   in, throws `notFound` or `refused`, and has no effect.
/// - `errors.unsupported`: What the capabilities leave out throws `unsupported`, and has no effect.
public protocol Backend: Sendable {
    /// What it can do beside what every backend can; the same from the first call to the last.
    var capabilities: BackendCapabilities { get }

    // MARK: The connection

    /// Lets a user in.
    ///
    /// - `connect.user`: The answer names the user who was asked for.
    /// - `connect.again`: Connecting again, connected or not, is legal, and changes nothing of what
    ///   the server holds.
    ///
    /// - Throws: `sessionRevoked` if the user is not, or no more, let in: what is held on this device
    ///   has to be closed to them. Any other error says nothing about that.
    func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession

    /// Ends the connection, and with it each call that waits.
    ///
    /// - `disconnect.ends`: What is asked afterwards throws `notConnected`, until somebody connects.
    func disconnect() async

    // MARK: The feed

    /// Tells what comes after a cursor: at once if something was missed, else when it happens.
    ///
    /// Pulled, never pushed: the next batch is asked for once the last one is stored. One call at a
    /// time. A batch may be empty, as where a server ends a wait that takes long.
    ///
    /// All there is to know of a channel is what ``channel(_:)`` returns of it: each field of
    /// `GroupChannel` that the backend knows. A patch that tells it sets every one of them, what is
    /// empty too, since the device may hold an older state.
    ///
    /// - `feed.beginning`: Without a cursor, it first tells every group channel of the user, with all
    ///   there is to know of each, the ones of the most recent messages first. No message of before is
    ///   told.
    /// - `feed.complete`: Every message that was accepted, edited or deleted after the cursor in a
    ///   channel of the user is told, as an event or by a hole in its channel.
    /// - `feed.order`: Events of one channel come in the order in which they happened.
    /// - `feed.once`: A cursor goes on behind its batch: what was told is not told again from there.
    /// - `feed.again`: The same cursor tells the same again, however often; of what has changed
    ///   since, the newer state.
    /// - `feed.cursor`: A batch that tells what a later one would not repeat has a cursor of its own.
    /// - `feed.live`: `isLive` is false while something that was missed is still to be told.
    /// - `feed.whole`: A message comes with all its fields, and never older than it was told before.
    /// - `feed.sender`: The user's own messages are told too, with their request ids, on each of the
    ///   user's devices.
    /// - `feed.members`: A channel that the user gets is told with all there is to know of it; one
    ///   that the user loses is told as removed, and nothing of it afterwards.
    /// - `feed.private`: Nothing is told of channels that the user has no part in.
    /// - `feed.hole`: Behind a hole, walking from its cursor to older messages finds all that the feed
    ///   did not tell, and what it had told before.
    /// - `feed.restart`: Cursors outlive a restart of the server.
    /// - `feed.epoch`: Batches name the epoch that `connect` named, until the server's history breaks.
    /// - `feed.expired`: A cursor from which the server cannot tell all, that is of another epoch, or
    ///   that it does not know, throws `expired`; nothing is left out instead, and no feed begins anew.
    ///
    /// - Parameter cursor: Of the last batch that was stored; `nil` to begin with nothing.
    /// - Returns: What is told next, and the cursor behind it.
    /// - Throws: `expired` if the server cannot tell all that came after the cursor.
    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch

    // MARK: Messages

    /// Returns the messages next to an anchor.
    ///
    /// A history is all messages of a channel, replies too, in the order of their positions. It begins
    /// where the user's history was last reset. Both numbers may be 0: the page then has no message, and
    /// the cursors at its anchor.
    ///
    /// - `messages.order`: A page is in the order of positions, and has no message twice.
    /// - `messages.limit`: A page has at most `older` messages before the anchor and at most `newer`
    ///   after it. It may have fewer.
    /// - `messages.whole`: No message that exists lies between two on a page without being on it.
    /// - `messages.cursor`: Pages from cursor to cursor join without a message missing or twice.
    /// - `messages.ends`: A cursor is `nil` only at the end of the history on its side, however few
    ///   messages the page has, none too.
    /// - `messages.walk`: Walking from cursor to cursor comes to an end: a page whose cursor is `nil`.
    /// - `messages.time`: A time divides: what was created before it is older, all else is newer.
    /// - `messages.anchor`: A message as the anchor is on the page, as the oldest of the newer ones;
    ///   a page around one that was deleted throws `expired`, or lies where the message was.
    /// - `messages.steady`: A cursor goes on where it was, whatever was sent or deleted meanwhile.
    /// - `messages.fresh`: A page is no older than what the feed had told when it was asked for.
    /// - `messages.expired`: A cursor or message that the server does not know throws `expired`.
    ///
    /// - Throws: `expired` if the server does not know the cursor or the message any more.
    func messages(
        in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int, newer: Int
    ) async throws(BackendError) -> MessagePage

    /// Returns messages by their ids, of which the engine names a hundred at the most.
    ///
    /// - `lookup.all`: Each id is either among the found or among the gone.
    func lookup(
        _ messageIDs: [MessageID], in channelURL: ChannelURL
    ) async throws(BackendError) -> MessageLookup

    /// Returns the messages that answer one, next to an anchor: a history of its own.
    ///
    /// - `replies.page`: What is promised of a channel's pages holds for a thread's.
    func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage

    /// Returns how many messages were created from one time on, and before another.
    ///
    /// - `count.exact`: The count is that of the messages which the pages show.
    ///
    /// - Parameters:
    ///   - channelURL: The channel.
    ///   - lower: The earliest time counted; `nil` for the beginning.
    ///   - upper: The earliest time not counted any more; `nil` for the end.
    /// - Returns: The number of messages.
    /// - Throws: `unsupported` without `counts`.
    func countMessages(
        in channelURL: ChannelURL, from lower: Timestamp?, to upper: Timestamp?
    ) async throws(BackendError) -> Int

    // MARK: Changelogs

    /// Returns what became of a channel's messages since a point: those that were edited, as they
    /// are now, and those that were deleted.
    ///
    /// Messages that the caller never had may be among them, and new ones.
    ///
    /// - `messageChanges.complete`: Page after page, every message that was edited, reacted to or
    ///   deleted since the point is there.
    /// - `messageChanges.token`: Each answer has a token to go on from, the last one too; it has not
    ///   been the token of the page before, as long as there is more.
    /// - `messageChanges.ends`: The pages come to an end.
    /// - `messageChanges.expired`: A point since which the server cannot tell all, or a token that it
    ///   does not know, throws `expired`.
    ///
    /// - Throws: `expired` if the server cannot tell all that changed since then.
    func messageChanges(
        in channelURL: ChannelURL, since point: ChangelogPoint
    ) async throws(BackendError) -> MessageChangelog

    /// Returns what became of the user's group channels since a point.
    ///
    /// - `channelChanges.complete`: Page after page, every channel that is new or has changed is
    ///   there, and every one that is the user's no more.
    /// - `channelChanges.token`: Each answer has a token to go on from, the last one too; it has not
    ///   been the token of the page before, as long as there is more.
    /// - `channelChanges.ends`: The pages come to an end.
    /// - `channelChanges.expired`: A point since which the server cannot tell all, or a token that it
    ///   does not know, throws `expired`.
    ///
    /// - Throws: `expired` if the server cannot tell all that changed since then.
    func channelChanges(
        since point: ChangelogPoint
    ) async throws(BackendError) -> GroupChannelChangelog

    // MARK: Channels

    /// Returns a page of the group channels that a query is for, in its order.
    ///
    /// - `channels.query`: Page after page, every channel that belongs to the query is there, once,
    ///   in the order of the query, as long as nothing changes meanwhile.
    ///
    /// - Parameters:
    ///   - query: Which channels, and in which order; its `limit` is how many a page has at most.
    ///   - cursor: Where the last page ended; `nil` for the first page.
    /// - Returns: Some of the channels, and where the list goes on.
    /// - Throws: `expired` if the server does not know the cursor any more.
    func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel>

    /// Returns a group channel, with all there is to know of it.
    ///
    /// - `channel.same`: It is what the list and the feed say of it.
    func channel(_ url: ChannelURL) async throws(BackendError) -> GroupChannel

    /// Returns the members of a group channel, by their ids.
    ///
    /// - `members.all`: Page after page, each member is there once: who has joined, and who is invited.
    func members(
        of channelURL: ChannelURL, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Member>

    // MARK: Writing messages

    /// Makes a message of a draft.
    ///
    /// - `send.message`: The message has an id, a position, the draft's request id, and what the
    ///   draft's params say.
    /// - `send.once`: Where requests are deduplicated, the same request id of the same user makes one
    ///   message, however late the second attempt, and whatever became of the first answer.
    /// - `send.deleted`: A message that was deleted since is not made again by its request id.
    /// - `send.order`: Messages that are sent one after the other have their positions in that order,
    ///   but for servers whose clocks disagree.
    /// - `send.told`: When the answer comes, the message is in the history, and the feed tells it.
    ///
    /// - Parameter draft: Its `operation` is `send`. Of files, what ``upload(_:requestID:progress:)``
    ///   returned stands in its `uploadedFiles`.
    /// - Returns: The message.
    /// - Throws: `refused`, with the detail, where one is muted or the channel is frozen.
    func send(_ draft: Draft) async throws(BackendError) -> Message

    /// Changes a message of the user's own.
    ///
    /// - `update.version`: The message's `updatedAt` is later than before.
    /// - `update.absent`: What the update does not name stays as it was.
    /// - `update.owner`: Whoever did not send the message is refused.
    ///
    /// - Parameters:
    ///   - messageID: Which message.
    ///   - channelURL: Its channel.
    ///   - update: What is to change.
    ///   - requestID: Names this change, in each attempt; the backend may deduplicate by it.
    /// - Returns: The whole message, as it now is.
    /// - Throws: `refused` if it may not be changed, `notFound` if it is gone.
    func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID
    ) async throws(BackendError) -> Message

    /// Deletes a message of the user's own, or any where the user moderates the channel.
    ///
    /// - `delete.gone`: The message is in no page, lookup or count any more, for nobody.
    /// - `delete.owner`: Whoever may not delete the message is refused.
    /// - `delete.twice`: Deleting what is gone throws `notFound`.
    ///
    /// - Parameters:
    ///   - messageID: Which message.
    ///   - channelURL: Its channel.
    ///   - requestID: Names this deletion, in each attempt. A backend that deduplicates by it does
    ///     not throw `notFound` for a second attempt; without, the engine takes that for done.
    /// - Throws: `refused` if it may not be deleted, `notFound` if it is gone.
    func delete(
        _ messageID: MessageID, in channelURL: ChannelURL, requestID: RequestID
    ) async throws(BackendError)

    /// Gives a reaction, or takes it back.
    ///
    /// - `react.idempotent`: A user has a reaction once, however often it is given or taken back.
    /// - `react.version`: The event's time is later than that of the event before on the same key.
    ///
    /// - Parameters:
    ///   - action: Whether the reaction is given or taken back.
    ///   - key: Which reaction.
    ///   - messageID: To which message.
    ///   - channelURL: Its channel.
    ///   - requestID: Names this reaction, in each attempt; the backend may deduplicate by it.
    /// - Returns: What the members are told of it.
    /// - Throws: `notFound` if the message is gone.
    func react(
        _ action: ReactionEventAction, _ key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID
    ) async throws(BackendError) -> ReactionEvent

    // MARK: Files

    /// Uploads a file, and returns what a message says of it.
    ///
    /// - `upload.bytes`: Downloading it returns its bytes.
    ///
    /// - Parameters:
    ///   - file: What is to be uploaded: its data, or the file at its path.
    ///   - requestID: Of the draft that it is a part of.
    ///   - progress: Is called now and then, on any thread, with growing numbers.
    /// - Returns: What a message says of the file, with an address.
    /// - Throws: `refused` with `fileSizeLimitExceeded` if the file is too large.
    func upload(
        _ file: UploadableFile, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo

    /// Returns the bytes of a file that a message names.
    func download(_ file: FileInfo) async throws(BackendError) -> Data

    // MARK: Receipts and typing

    /// Tells that the user has read a channel up to now.
    ///
    /// - `read.told`: The feed tells it to the members, and the user's unread count is none.
    func markAsRead(_ channelURL: ChannelURL) async throws(BackendError)

    /// Tells that the messages of a channel up to now have come to this device.
    ///
    /// - `delivered.told`: The feed tells it to the members.
    func markAsDelivered(_ channelURL: ChannelURL) async throws(BackendError)

    /// Tells that the user is typing, or is no more.
    ///
    /// - `typing.told`: The feed tells those who are connected who is typing.
    func setTyping(_ isTyping: Bool, in channelURL: ChannelURL) async throws(BackendError)

    // MARK: Managing channels

    /// Creates a group channel; the user is a member, and moderates it.
    ///
    /// - `create.members`: Each user who was named has the channel, joined or invited.
    /// - `create.distinct`: The same users are given the same channel, if that was asked for.
    func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(BackendError) -> GroupChannel

    /// Changes what a group channel says of itself: its name, picture, data, custom type, metadata.
    ///
    /// - `updateChannel.absent`: What the patch does not name stays as it was.
    func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(BackendError) -> GroupChannel

    /// Deletes a group channel with its messages, for all.
    ///
    /// - `deleteChannel.gone`: Each member loses it.
    func deleteChannel(_ url: ChannelURL) async throws(BackendError)

    /// Invites users into a group channel.
    ///
    /// - `invite.told`: Whoever is invited has the channel, joined or invited.
    func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(BackendError)

    /// Answers an invitation: joins the channel, or loses it.
    ///
    /// - `invitation.answer`: Who accepts has joined, and who declines has the channel no more.
    func answerInvitation(to url: ChannelURL, accepts: Bool) async throws(BackendError)

    /// Joins a public group channel.
    func join(_ url: ChannelURL) async throws(BackendError) -> GroupChannel

    /// Leaves a group channel.
    ///
    /// - `leave.loses`: The user loses the channel; the other members have one less.
    func leave(_ url: ChannelURL) async throws(BackendError)

    /// Hides a group channel from the user's list, or shows it again.
    ///
    /// - `hide.state`: The channel's hidden state is the one asked for; a new message ends
    ///   `hiddenAllowAutoUnhide`, and not `hiddenPreventAutoUnhide`.
    func hide(_ url: ChannelURL, _ state: HiddenState) async throws(BackendError)

    /// Begins the history of a group channel anew for the user alone; returns its first time.
    ///
    /// - `reset.history`: No message that was created before then is in a page, lookup or count of
    ///   the user any more, and the channel says so in `messageOffset`; others have all of them.
    func resetMyHistory(of url: ChannelURL) async throws(BackendError) -> Timestamp

    // MARK: Moderating

    /// Freezes a channel, so that only who moderates it may send, or ends that.
    ///
    /// - `freeze.refuses`: Others are refused with `channelFrozen` meanwhile.
    func setFrozen(_ isFrozen: Bool, _ url: ChannelURL) async throws(BackendError)

    /// Mutes or bans a user.
    ///
    /// - `mute.refuses`: Who is muted is refused with `mutedInChannel`.
    /// - `ban.loses`: Who is banned loses the channel, and cannot come back meanwhile.
    ///
    /// - Parameters:
    ///   - userID: Who.
    ///   - url: The channel.
    ///   - restriction: Whether the user is muted or banned.
    ///   - end: When it ends by itself, which the feed need not tell; `nil` for never.
    ///   - reason: What is said of it.
    /// - Throws: `refused` if the user does not moderate the channel.
    func restrict(
        _ userID: UserID, in url: ChannelURL, _ restriction: RestrictionType, until end: Timestamp?,
        reason: String
    ) async throws(BackendError)

    /// Ends what ``restrict(_:in:_:until:reason:)`` began.
    func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(BackendError)

    // MARK: Open channels

    /// Returns a page of the open channels, the newest first.
    func openChannels(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<OpenChannel>

    /// Returns an open channel.
    func openChannel(_ url: ChannelURL) async throws(BackendError) -> OpenChannel

    /// Creates an open channel; the user moderates it.
    func createOpenChannel(
        _ params: OpenChannelCreateParams
    ) async throws(BackendError) -> OpenChannel

    /// Enters an open channel: its messages can be had, and are told live, until one exits.
    ///
    /// - `open.live`: Who has entered is told what is sent; nobody is told what was sent before.
    func enter(_ url: ChannelURL) async throws(BackendError) -> OpenChannel

    /// Exits an open channel. Disconnecting does too.
    func exit(_ url: ChannelURL) async throws(BackendError)
}
