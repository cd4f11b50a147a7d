/// One sentence of what the protocol `Backend` promises, as its documentation has it.
public struct BackendPromise: Hashable, Sendable, Codable, Identifiable {
    /// What the promise is called, such as `feed.once`.
    public let id: String

    /// What is promised.
    public let sentence: String

    /// The promise with an id that is in the list.
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
    /// The id and the sentence.
    public var description: String { "\(id): \(sentence)" }
}

// Word for word what `Backend.swift` says; a test compares them.
extension BackendPromise {
    /// General, the connection, and the feed.
    private static let feedPromises: [(String, String)] = [
        (
            "errors.channel",
            "What is asked of a channel that does not exist, or that the user has no part "
                + "in, throws `notFound` or `refused`, and has no effect."
        ),
        (
            "errors.unsupported",
            "What the capabilities leave out throws `unsupported`, and has no effect."
        ),
        (
            "connect.user",
            "The answer names the user who was asked for."
        ),
        (
            "connect.again",
            "Connecting again, connected or not, is legal, and changes nothing of what "
                + "the server holds."
        ),
        (
            "disconnect.ends",
            "What is asked afterwards throws `notConnected`, until somebody connects."
        ),
        (
            "feed.beginning",
            "Without a cursor, it first tells every group channel of the user, with all "
                + "there is to know of each, the ones of the most recent messages first. No "
                + "message of before is told."
        ),
        (
            "feed.complete",
            "Every message that was accepted, edited or deleted after the cursor in a "
                + "channel of the user is told, as an event or by a hole in its channel."
        ),
        (
            "feed.order",
            "Events of one channel come in the order in which they happened."
        ),
        (
            "feed.once",
            "A cursor goes on behind its batch: what was told is not told again from "
                + "there."
        ),
        (
            "feed.again",
            "The same cursor tells the same again, however often; of what has changed "
                + "since, the newer state."
        ),
        (
            "feed.cursor",
            "A batch that tells what a later one would not repeat has a cursor of its "
                + "own."
        ),
        (
            "feed.live",
            "`isLive` is false while something that was missed is still to be told."
        ),
        (
            "feed.whole",
            "A message comes with all its fields, and never older than it was told "
                + "before."
        ),
        (
            "feed.sender",
            "The user's own messages are told too, with their request ids, on each of the "
                + "user's devices."
        ),
        (
            "feed.members",
            "A channel that the user gets is told with all there is to know of it; one "
                + "that the user loses is told as removed, and nothing of it afterwards."
        ),
        (
            "feed.private",
            "Nothing is told of channels that the user has no part in."
        ),
        (
            "feed.hole",
            "Behind a hole, walking from its cursor to older messages finds all that the "
                + "feed did not tell, and what it had told before."
        ),
        (
            "feed.restart",
            "Cursors outlive a restart of the server."
        ),
        (
            "feed.epoch",
            "Batches name the epoch that `connect` named, until the server's history "
                + "breaks."
        ),
        (
            "feed.expired",
            "A cursor from which the server cannot tell all, that is of another epoch, or "
                + "that it does not know, throws `expired`; nothing is left out instead, and no "
                + "feed begins anew."
        ),
    ]

    /// Pages of messages.
    private static let pagePromises: [(String, String)] = [
        (
            "messages.order",
            "A page is in the order of positions, and has no message twice."
        ),
        (
            "messages.limit",
            "A page has at most `older` messages before the anchor and at most `newer` "
                + "after it. It may have fewer."
        ),
        (
            "messages.whole",
            "No message that exists lies between two on a page without being on it."
        ),
        (
            "messages.cursor",
            "Pages from cursor to cursor join without a message missing or twice."
        ),
        (
            "messages.ends",
            "A cursor is `nil` only at the end of the history on its side, however few "
                + "messages the page has, none too."
        ),
        (
            "messages.walk",
            "Walking from cursor to cursor comes to an end: a page whose cursor is `nil`."
        ),
        (
            "messages.time",
            "A time divides: what was created before it is older, all else is newer."
        ),
        (
            "messages.anchor",
            "A message as the anchor is on the page, as the oldest of the newer ones; a "
                + "page around one that was deleted throws `expired`, or lies where the message "
                + "was."
        ),
        (
            "messages.steady",
            "A cursor goes on where it was, whatever was sent or deleted meanwhile."
        ),
        (
            "messages.fresh",
            "A page is no older than what the feed had told when it was asked for."
        ),
        (
            "messages.expired",
            "A cursor or message that the server does not know throws `expired`."
        ),
        (
            "lookup.all",
            "Each id is either among the found or among the gone."
        ),
        (
            "replies.page",
            "What is promised of a channel's pages holds for a thread's."
        ),
        (
            "count.exact",
            "The count is that of the messages which the pages show."
        ),
    ]

    /// Changelogs and channels.
    private static let listPromises: [(String, String)] = [
        (
            "messageChanges.complete",
            "Page after page, every message that was edited, reacted to or deleted since "
                + "the point is there."
        ),
        (
            "messageChanges.token",
            "Each answer has a token to go on from, the last one too; it has not been the "
                + "token of the page before, as long as there is more."
        ),
        (
            "messageChanges.ends",
            "The pages come to an end."
        ),
        (
            "messageChanges.expired",
            "A point since which the server cannot tell all, or a token that it does not "
                + "know, throws `expired`."
        ),
        (
            "channelChanges.complete",
            "Page after page, every channel that is new or has changed is there, and "
                + "every one that is the user's no more."
        ),
        (
            "channelChanges.token",
            "Each answer has a token to go on from, the last one too; it has not been the "
                + "token of the page before, as long as there is more."
        ),
        (
            "channelChanges.ends",
            "The pages come to an end."
        ),
        (
            "channelChanges.expired",
            "A point since which the server cannot tell all, or a token that it does not "
                + "know, throws `expired`."
        ),
        (
            "channels.query",
            "Page after page, every channel that belongs to the query is there, once, in "
                + "the order of the query, as long as nothing changes meanwhile."
        ),
        (
            "channel.same",
            "It is what the list and the feed say of it."
        ),
        (
            "members.all",
            "Page after page, each member is there once: who has joined, and who is "
                + "invited."
        ),
    ]

    /// What users do.
    private static let writingPromises: [(String, String)] = [
        (
            "send.message",
            "The message has an id, a position, the draft's request id, and what the "
                + "draft's params say."
        ),
        (
            "send.once",
            "Where requests are deduplicated, the same request id of the same user makes "
                + "one message, however late the second attempt, and whatever became of the "
                + "first answer."
        ),
        (
            "send.deleted",
            "A message that was deleted since is not made again by its request id."
        ),
        (
            "send.order",
            "Messages that are sent one after the other have their positions in that "
                + "order, but for servers whose clocks disagree."
        ),
        (
            "send.told",
            "When the answer comes, the message is in the history, and the feed tells it."
        ),
        (
            "update.version",
            "The message's `updatedAt` is later than before."
        ),
        (
            "update.absent",
            "What the update does not name stays as it was."
        ),
        (
            "update.owner",
            "Whoever did not send the message is refused."
        ),
        (
            "delete.gone",
            "The message is in no page, lookup or count any more, for nobody."
        ),
        (
            "delete.owner",
            "Whoever may not delete the message is refused."
        ),
        (
            "delete.twice",
            "Deleting what is gone throws `notFound`."
        ),
        (
            "react.idempotent",
            "A user has a reaction once, however often it is given or taken back."
        ),
        (
            "react.version",
            "The event's time is later than that of the event before on the same key."
        ),
        (
            "upload.bytes",
            "Downloading it returns its bytes."
        ),
        (
            "read.told",
            "The feed tells it to the members, and the user's unread count is none."
        ),
        (
            "delivered.told",
            "The feed tells it to the members."
        ),
        (
            "typing.told",
            "The feed tells those who are connected who is typing."
        ),
        (
            "create.members",
            "Each user who was named has the channel, joined or invited."
        ),
        (
            "create.distinct",
            "The same users are given the same channel, if that was asked for."
        ),
        (
            "updateChannel.absent",
            "What the patch does not name stays as it was."
        ),
        (
            "deleteChannel.gone",
            "Each member loses it."
        ),
        (
            "invite.told",
            "Whoever is invited has the channel, joined or invited."
        ),
        (
            "invitation.answer",
            "Who accepts has joined, and who declines has the channel no more."
        ),
        (
            "leave.loses",
            "The user loses the channel; the other members have one less."
        ),
        (
            "hide.state",
            "The channel's hidden state is the one asked for; a new message ends "
                + "`hiddenAllowAutoUnhide`, and not `hiddenPreventAutoUnhide`."
        ),
        (
            "reset.history",
            "No message that was created before then is in a page, lookup or count of the "
                + "user any more, and the channel says so in `messageOffset`; others have all "
                + "of them."
        ),
        (
            "freeze.refuses",
            "Others are refused with `channelFrozen` meanwhile."
        ),
        (
            "mute.refuses",
            "Who is muted is refused with `mutedInChannel`."
        ),
        (
            "ban.loses",
            "Who is banned loses the channel, and cannot come back meanwhile."
        ),
        (
            "open.live",
            "Who has entered is told what is sent; nobody is told what was sent before."
        ),
    ]
}
