/// A promise of the protocol `Backend`, as stated in its documentation.
public struct BackendPromise: Hashable, Sendable, Codable, Identifiable {
    /// The name of the promise, such as `feed.once`.
    public let id: String

    /// The text of the promise.
    public let sentence: String

    /// Returns the promise with an ID.
    ///
    /// Traps if no promise has it.
    init(id: String) {
        guard let sentence = BackendPromise.sentences[id] else {
            preconditionFailure("`Backend` promises nothing that is called \(id).")
        }
        self.id = id
        self.sentence = sentence
    }

    /// All promises, in the order of the protocol's declarations.
    static let all = list.map { BackendPromise(id: $0.0) }

    private static let sentences = Dictionary(uniqueKeysWithValues: list)
    private static let list = feedPromises + pagePromises + listPromises + writingPromises
}

extension BackendPromise: CustomStringConvertible {
    /// The ID and the text.
    public var description: String { "\(id): \(sentence)" }
}

// The same texts as in `Backend.swift`; a test compares them.
extension BackendPromise {
    /// Promises of all calls, the connection, and the feed.
    private static let feedPromises: [(String, String)] = [
        (
            "errors.channel",
            "A call for a channel that does not exist or that the user has no access to "
                + "throws `notFound` or `refused` and has no effect."
        ),
        (
            "errors.unsupported",
            "A call that needs a missing capability throws `unsupported` and has no "
                + "effect."
        ),
        (
            "connect.user",
            "The session is that of the user in the credentials."
        ),
        (
            "connect.again",
            "Connecting again is allowed in any state and does not change the server's "
                + "data."
        ),
        (
            "disconnect.ends",
            "Later calls throw `notConnected` until the user connects again."
        ),
        (
            "feed.beginning",
            "Without a cursor, the feed first reports every group channel of the user with "
                + "its complete state, ordered by the newest message, newest first. Earlier "
                + "messages are not reported."
        ),
        (
            "feed.complete",
            "Every message that was accepted, edited or deleted after the cursor in one of "
                + "the user's channels is reported, by an event, or by a truncation or a "
                + "changed range of its channel."
        ),
        (
            "feed.order",
            "The events of a channel are in the order in which they happened."
        ),
        (
            "feed.once",
            "A cursor resumes after its batch: reported events are not reported again."
        ),
        (
            "feed.again",
            "A request with the same cursor reports the same events each time, with the "
                + "newer state of messages and channels that have changed since."
        ),
        (
            "feed.cursor",
            "A batch with events that a later batch would not repeat has a cursor of its "
                + "own."
        ),
        (
            "feed.live",
            "`isLive` is false while missed events remain to be reported."
        ),
        (
            "feed.whole",
            "A message is reported with all its fields, and never in an older version than "
                + "before."
        ),
        (
            "feed.sender",
            "The user's own messages are reported too, with their request IDs, to each of "
                + "the user's devices."
        ),
        (
            "feed.members",
            "A channel that the user gains is reported with its complete state, and one that "
                + "the user is invited to with what the server shows to invited users. A "
                + "channel that the user loses is reported as removed, with no events afterwards."
        ),
        (
            "feed.private",
            "Channels that the user has no access to are not reported."
        ),
        (
            "feed.truncation",
            "After a truncation, fetching from the newest message toward older ones returns "
                + "every message that the feed omitted, and those that it had reported before."
        ),
        (
            "feed.history",
            "Messages that an import adds or a retention period removes, without an event "
                + "of their own, are in a range that `historyChanged` reports for their "
                + "channel, and the complete state of the channel is reported."
        ),
        (
            "feed.restart",
            "Cursors stay valid when the server restarts."
        ),
        (
            "feed.epoch",
            "Batches have the epoch of the session, until the server's history is rolled "
                + "back."
        ),
        (
            "feed.expired",
            "A cursor throws `expired` if the server cannot report everything after it, if "
                + "it belongs to another epoch, or if it is unknown. The server neither omits "
                + "events instead nor starts the feed from the beginning."
        ),
    ]

    /// Promises of message pages.
    private static let pagePromises: [(String, String)] = [
        (
            "messages.order",
            "A page is in the order of positions and has no duplicates."
        ),
        (
            "messages.limit",
            "A page has at most `older` messages before the anchor and at most `newer` "
                + "messages after it. It may have fewer."
        ),
        (
            "messages.whole",
            "A page contains every existing message between its oldest and its newest one that are "
                + "not outliers. Without different clocks, it has no outliers."
        ),
        (
            "messages.cursor",
            "Pages from cursor to cursor connect without missing or duplicate messages."
        ),
        (
            "messages.ends",
            "A cursor is `nil` only at the end of the history in its direction. A page "
                + "with few or no messages does not imply that."
        ),
        (
            "messages.walk",
            "Following the cursors in one direction ends with a page whose cursor is "
                + "`nil`."
        ),
        (
            "messages.time",
            "A time as the anchor separates messages that were created before it, which "
                + "are older, from all others, which are newer."
        ),
        (
            "messages.anchor",
            "A message as the anchor is on the page, as the oldest of the newer messages. "
                + "If the message was deleted, the call throws `expired` or returns the page at "
                + "its former position."
        ),
        (
            "messages.steady",
            "A cursor keeps its position when messages are sent or deleted."
        ),
        (
            "messages.fresh",
            "A page is not older than the feed's reports at the time of the request."
        ),
        (
            "messages.expired",
            "An unknown cursor or message throws `expired`."
        ),
        (
            "lookup.all",
            "Each ID is either in the found messages or in the IDs that are gone."
        ),
        (
            "replies.page",
            "The promises for pages of a channel apply to pages of a thread."
        ),
        (
            "count.exact",
            "The count equals the number of messages on the pages of that range."
        ),
    ]

    /// Promises of changelogs and channels.
    private static let listPromises: [(String, String)] = [
        (
            "messageChanges.complete",
            "The pages together contain every message that was edited, reacted to or "
                + "deleted since the point."
        ),
        (
            "messageChanges.token",
            "Each page has a token to continue from, including the last one. While more "
                + "pages follow, it differs from the token of the previous page."
        ),
        (
            "messageChanges.ends",
            "The number of pages is finite."
        ),
        (
            "messageChanges.expired",
            "A point throws `expired` if the server cannot report everything since then, "
                + "and so does an unknown token."
        ),
        (
            "channelChanges.complete",
            "The pages together contain every channel that is new or has changed, and "
                + "every channel that the user has lost."
        ),
        (
            "channelChanges.token",
            "Each page has a token to continue from, including the last one. While more "
                + "pages follow, it differs from the token of the previous page."
        ),
        (
            "channelChanges.ends",
            "The number of pages is finite."
        ),
        (
            "channelChanges.expired",
            "A point throws `expired` if the server cannot report everything since then, "
                + "and so does an unknown token."
        ),
        (
            "channels.query",
            "The pages together contain every matching channel once, in the query's order, "
                + "provided that nothing changes in the meantime."
        ),
        (
            "channel.same",
            "The state equals that in the channel list and in the feed."
        ),
        (
            "members.all",
            "The pages together contain each joined and each invited member once."
        ),
    ]

    /// Promises of the operations of users.
    private static let writingPromises: [(String, String)] = [
        (
            "send.message",
            "The message has an ID, a position, the item's request ID, and the content of "
                + "the item's parameters."
        ),
        (
            "send.once",
            "If the backend deduplicates requests, two requests of a device with the same "
                + "request ID create one message, even if the first response was lost, and "
                + "however late the second one is within ``deduplicationPeriod``. If it "
                + "deduplicates across devices, so do two requests of a user."
        ),
        (
            "send.deleted",
            "A request ID whose message was deleted does not create the message again."
        ),
        (
            "send.order",
            "Messages that are sent one after the other have positions in that order, "
                + "unless the server has several clocks that differ."
        ),
        (
            "send.reported",
            "When the call returns, the message is in the history, and the feed reports "
                + "it."
        ),
        (
            "update.version",
            "The message's `updatedAt` becomes later."
        ),
        (
            "update.absent",
            "Properties that the update does not contain keep their values."
        ),
        (
            "update.owner",
            "The server refuses an edit by a user who did not send the message."
        ),
        (
            "delete.gone",
            "The message is no longer in any page, lookup or count of any user."
        ),
        (
            "delete.owner",
            "The server refuses a deletion by a user without the right to it."
        ),
        (
            "delete.twice",
            "Deleting a message that is gone throws `notFound`."
        ),
        (
            "react.idempotent",
            "A user holds a reaction at most once, however often it is added or removed."
        ),
        (
            "react.version",
            "The time of the event is later than that of the previous event for the same "
                + "key."
        ),
        (
            "poll.options",
            "The poll and each of its options have IDs, and a message that is sent with the "
                + "poll's ID contains the poll."
        ),
        (
            "vote.reported",
            "A vote replaces the earlier vote of the user; no option ends it. The feed reports "
                + "the message with the new counts to the members, and with a later time of the "
                + "poll's last change. `votedOptionIDs` are those of the user who reads the "
                + "message."
        ),
        (
            "upload.bytes",
            "Downloading the file returns the same bytes."
        ),
        (
            "read.reported",
            "The feed reports it to the members, and the user's unread count becomes 0."
        ),
        (
            "unread.reported",
            "The feed reports to the user's devices that the user has read up to before the "
                + "message, and an unread count that includes it and all newer messages of "
                + "others."
        ),
        (
            "delivered.reported",
            "The feed reports it to the members."
        ),
        (
            "typing.reported",
            "The feed reports the typing users to connected members."
        ),
        (
            "create.members",
            "Each listed user has the channel, as joined or invited."
        ),
        (
            "create.distinct",
            "A distinct channel is returned again for the same users, if the parameters "
                + "ask for it."
        ),
        (
            "updateChannel.absent",
            "Properties that the patch does not contain keep their values."
        ),
        (
            "deleteChannel.gone",
            "Each member loses the channel."
        ),
        (
            "invite.reported",
            "Each invited user has the channel, as joined or invited."
        ),
        (
            "invitation.answer",
            "A user who accepts has joined. A user who declines loses the channel."
        ),
        (
            "invitation.none",
            "An answer without an invitation is refused, also of a member."
        ),
        (
            "leave.loses",
            "The user loses the channel, and the number of its members decreases by one."
        ),
        (
            "hide.state",
            "The channel has the given hidden state. A new message ends "
                + "`hiddenAllowAutoUnhide` but not `hiddenPreventAutoUnhide`."
        ),
        (
            "reset.history",
            "Messages that were created before that time are no longer in any page, lookup "
                + "or count of the user, and the channel has the time as its `messageOffset`. "
                + "Other users keep all messages."
        ),
        (
            "pin.reported",
            "The message is one of the channel's pinned messages until its pin is removed or "
                + "it is deleted, and the feed reports that to the members."
        ),
        (
            "role.reported",
            "The users have the role in the list of members and in the channel's state, and "
                + "the feed reports that to the members."
        ),
        (
            "freeze.refuses",
            "While the channel is frozen, messages of other users are refused with "
                + "`channelFrozen`."
        ),
        (
            "mute.refuses",
            "Messages of a muted user are refused with `mutedInChannel`."
        ),
        (
            "ban.loses",
            "A banned user loses the channel and cannot join again during the ban."
        ),
        (
            "restrict.self",
            "A user cannot mute or ban themselves: this is refused and has no effect."
        ),
        (
            "restricted.all",
            "The pages together contain each user once whose restriction has not ended, with "
                + "its reason and its end."
        ),
        (
            "block.listed",
            "The user is in the list of blocked users until the block ends, also on the user's "
                + "other devices, and in no other user's list."
        ),
        (
            "blocked.all",
            "The pages together contain each blocked user once."
        ),
        (
            "report.missing",
            "What does not exist, or what the user cannot see, cannot be reported: the call "
                + "throws `notFound` or `refused`."
        ),
        (
            "open.live",
            "Users in the channel receive the messages that are sent from then on, and "
                + "none of the earlier ones."
        ),
    ]
}
