import Models
import Sync

extension BackendPromise {
    static func named(_ id: String) -> BackendPromise {
        guard let promise = byID[id] else {
            preconditionFailure("No call has a promise with the ID \(id).")
        }
        return promise
    }

    /// All promises, in the order of their declarations.
    static let all = core + StandardRequests.types.flatMap { $0.declaration.promises }

    private static let byID = Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) })
    private static let core = texts.split(separator: "\n").map { line in
        let colon = line.firstIndex(of: ":") ?? line.endIndex
        return BackendPromise(String(line[..<colon]), String(line[colon...].dropFirst(2)))
    }
}

extension BackendPromise {
    // The texts are those of `Backend.swift`; a test compares them.
    private static let texts = """
        errors.channel: A call for a channel that does not exist or that the user has no access to \
        throws `notFound` or `refused` and has no effect.
        errors.unsupported: A call that needs a missing capability throws `unsupported` and has no \
        effect.
        errors.epoch: A call that names a message of another epoch than the server's current one \
        throws `notFound` and has no effect.
        connect.user: The session is that of the user in the credentials.
        connect.again: Connecting again is allowed in any state and does not change the server's \
        data.
        disconnect.ends: Later calls throw `notConnected` until the user connects again.
        feed.beginning: Without a cursor, the feed first reports every group channel of the user \
        with its complete state; the channel with the newest message comes first. It does not \
        report messages that were sent before.
        feed.complete: Every message that was accepted, edited or deleted after the cursor in one \
        of the user's channels is reported, by an event, or by a truncation or a changed range of \
        its channel.
        feed.order: The events of a channel are in the order in which they happened.
        feed.once: A request with the cursor of a batch does not report the events of that batch \
        again.
        feed.again: A request with the same cursor reports the same events each time, with the \
        newer state of messages and channels that have changed since.
        feed.fresh: A batch has no older state of a channel than another call had returned when \
        the batch was requested.
        feed.cursor: A batch with events has a cursor of its own, unless a later batch repeats \
        these events.
        feed.live: `isLive` is false while missed events remain to be reported.
        feed.wait: If there are no events, a live feed waits for the next one, at least for a \
        second, unless the server can only be polled.
        feed.whole: A message is reported with all its fields, as a lookup returns it, and never \
        in a version older than one that was reported before.
        feed.sender: The user's own messages are reported too, with their request IDs, to each of \
        the user's devices.
        feed.members: A channel that the user joins is reported with its complete state, and a \
        channel that the user is invited to with the state that the server shows to invited users. \
        A channel that the user loses is reported as removed, and none of its events are reported \
        afterwards.
        feed.private: Channels that the user has no access to are not reported.
        feed.truncation: After a truncation, pages from the newest message toward older ones \
        contain every message that the feed omitted, and the messages that it had reported before.
        feed.history: If an import adds messages, or a retention period removes them, without an \
        event for each, the feed reports a `historyChanged` whose range contains them, and the \
        complete state of their channel.
        feed.purge: If all messages of a user are deleted at once, without an event for each, the \
        feed reports a `messagesDeleted` with the user.
        feed.restart: Cursors stay valid when the server restarts.
        feed.epoch: Batches have the epoch of the session, unless the server's history is rolled \
        back.
        feed.expired: A cursor throws `expired` if the server cannot report everything after it, \
        if it belongs to another epoch, or if it is unknown. It must not omit events or start the \
        feed from the beginning instead.
        messages.order: A page is in the order of positions and has no duplicates.
        messages.limit: A page has at most `older` messages older than the anchor, and at most \
        `newer` messages that are newer or the anchor itself. It may have fewer.
        messages.whole: Between the oldest and the newest message of a page that are not outliers, \
        the page contains every existing message. A server whose clocks do not differ has no \
        outliers.
        messages.cursor: A page at a cursor continues the page that the cursor came from: between \
        the two, no message is missing or repeated.
        messages.ends: A cursor is `nil` only at the end of the history in its direction. A page \
        with few or no messages need not be the last one.
        messages.walk: Following the cursors in one direction ends with a page whose cursor is \
        `nil`.
        messages.time: If the anchor is a time, messages that were created before it count as \
        older, and all others as newer.
        messages.anchor: If the anchor is a message, it is on the page, as the oldest of the newer \
        messages. If it was deleted, the call throws `expired` or returns the page at its former \
        position.
        messages.steady: A cursor keeps its position when messages are sent or deleted.
        messages.fresh: A page reflects all events that the feed had reported when the page was \
        requested.
        messages.expired: An unknown cursor or message throws `expired`.
        messages.same: All calls that return a message to a user return it with the same value in \
        every field of `Message`: pages of channels and threads, lookups, changelogs, searches, \
        and the calls that write it.
        messages.sent: Every message in an answer or in the feed has an ID and the sending status \
        `succeeded`. The backend sets the status.
        kinds.page: The promises for pages of a channel apply to its messages of the kinds.
        lookup.all: Each ID is either in the found messages or in the IDs that are gone.
        reactions.all: The answer contains every reaction to the messages, and reflects all events \
        that the feed had reported when the reactions were requested. A message without reactions \
        may be missing, and a message that does not exist is missing.
        replies.page: The promises for pages of a channel apply to pages of a thread.
        messageChanges.complete: The pages together contain every message that was edited, reacted \
        to or deleted since the point.
        messageChanges.token: Each page has a token to continue from, including the last one. \
        While more pages follow, it differs from the token of the previous page.
        messageChanges.ends: The number of pages is finite.
        messageChanges.expired: The call throws `expired` if the server cannot report everything \
        since the point, or does not know the token.
        channelChanges.complete: The pages together contain every channel that is new or has \
        changed, and every channel that the user has lost.
        channelChanges.token: Each page has a token to continue from, including the last one. \
        While more pages follow, it differs from the token of the previous page.
        channelChanges.ends: The number of pages is finite.
        channelChanges.expired: The call throws `expired` if the server cannot report everything \
        since the point, or does not know the token.
        channels.query: The pages together contain every matching channel once, in the query's \
        order, provided that nothing changes in the meantime.
        channel.same: The state equals that in the channel list and in the feed. An unread count is \
        that of the feed, or 0 if the backend omits it.
        send.message: The message has an ID, a position, the item's request ID, and every field of \
        the item's message and parameters for which the server has a place.
        send.once: If the backend deduplicates requests, two requests of a device with the same \
        request ID create one message, even if the first response was lost, provided that the \
        second request is made within ``deduplicationPeriod``. If the backend deduplicates across \
        devices, the same applies to requests of different devices of a user.
        send.deleted: If a message was deleted, a request with its request ID does not create it \
        again.
        send.order: Messages that are sent one after the other have positions in that order, \
        unless the server has clocks that differ.
        send.reported: When the call returns, the message is in the history, and the feed reports \
        it.
        update.version: The message's `updatedAt` becomes later.
        update.absent: Properties that the update does not contain keep their values.
        update.owner: The server refuses an edit by a user who did not send the message.
        delete.gone: No page, lookup or count of any user contains the message any longer.
        delete.owner: The server refuses a deletion by a user who may not delete the message.
        delete.twice: Deleting a message that is gone throws `notFound`.
        react.idempotent: A user has a reaction at most once, however often it is added, and not \
        at all after it was removed.
        react.version: The time of the event is later than that of the previous event for the same \
        key.
        upload.bytes: Downloading the file returns the same bytes.
        """
}
