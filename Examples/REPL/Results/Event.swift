/// An event that the prompt reports: a line of text for people, and a name with values for
/// programs.
struct Event: Sendable {
    let name: Name

    /// The line, whose first character shows the kind of event: see ``Listener``.
    let text: String

    let values: Values

    init(_ name: Name, _ text: String, _ values: Values = [:]) {
        (self.name, self.text, self.values) = (name, text, values)
    }

    /// Returns the event as reported to a device that is not the current one.
    func received(by device: String) -> Event {
        Event(name, "\(device)| \(text)", values.merging([.device: device]) { $1 })
    }

    /// The kinds of events.
    ///
    /// DO NOT CHANGE a name: scripts read them.
    enum Name: String, CaseIterable {
        case channelBanned = "channel_banned"
        case channelCaughtUp = "channel_caught_up"
        case channelChanged = "channel_changed"
        case channelDelivered = "channel_delivered"
        case channelFrozen = "channel_frozen"
        case channelHidden = "channel_hidden"
        case channelLeft = "channel_left"
        case channelRead = "channel_read"
        case channelRemoved = "channel_removed"
        case channelUnfrozen = "channel_unfrozen"
        case connected
        case connectionLost = "connection_lost"
        case connectionRestored = "connection_restored"
        case connectionStopped = "connection_stopped"
        case damageFound = "damage_found"
        case disconnected
        case historyLost = "history_lost"
        case historyReset = "history_reset"
        case hugeGap = "huge_gap"
        case invited
        case invitationDeclined = "invitation_declined"
        case leftOut = "left_out"
        case memberCountChanged = "member_count_changed"
        case mentioned
        case messageCanceled = "message_canceled"
        case messageDeleted = "message_deleted"
        case messageFailed = "message_failed"
        case messageReceived = "message_received"
        case messageSent = "message_sent"
        case messageUpdated = "message_updated"
        case messagesEvicted = "messages_evicted"
        case metadataChanged = "metadata_changed"
        case operatorsChanged = "operators_changed"
        case participantCountChanged = "participant_count_changed"
        case pinnedMessagesChanged = "pinned_messages_changed"
        case reactionsChanged = "reactions_changed"
        case rowsChanged = "rows_changed"
        case sessionClosed = "session_closed"
        case sessionRenewed = "session_renewed"
        case storeChanged = "store_changed"
        case syncFailed = "sync_failed"
        case threadChanged = "thread_changed"
        case threadEnded = "thread_ended"
        case typing
        case unreadChanged = "unread_changed"
        case uploaded
        case userBanned = "user_banned"
        case userEntered = "user_entered"
        case userExited = "user_exited"
        case userJoined = "user_joined"
        case userLeft = "user_left"
        case userMuted = "user_muted"
        case userUnbanned = "user_unbanned"
        case userUnmuted = "user_unmuted"
    }
}
