public import Models

// Operations of an app's own backend, which users of the server cannot perform.
extension EmbeddedServer {
    // MARK: Users

    /// Adds a user, or changes an existing one and notifies the members of the user's channels.
    ///
    /// A user who was revoked may then connect again.
    ///
    /// - Parameters:
    ///   - user: The user, with name and profile image.
    ///   - accessToken: The token that is required to connect; `nil` for none.
    /// - Throws: `refused` if the ID is empty or too long.
    public func addUser(_ user: User, accessToken: String? = nil) throws(BackendError) {
        try perform { state throws(BackendError) in
            try state.addUser(user, accessToken: accessToken)
        }
    }

    /// The IDs of all users, in ascending order.
    package var userIDs: [UserID] {
        withState { state in state.accounts.keys.sorted() }
    }

    /// Ends the sessions of a user.
    ///
    /// The user may connect again. The requests of the user's connected devices fail with
    /// `sessionExpired`.
    public func expireSessions(of userID: UserID) {
        withState { state in
            let failure = BackendError(
                .sessionExpired, "the session of \(userID) has expired",
                detail: .sessionKeyExpired)
            state.endSessions(of: userID, with: failure)
        }
    }

    /// Ends the sessions of a user permanently.
    ///
    /// All requests of the user, including `connect`, fail with `sessionRevoked`.
    ///
    /// - Throws: `notFound` if the user does not exist.
    public func revokeUser(_ userID: UserID) throws(BackendError) {
        try perform { state throws(BackendError) in try state.revoke(userID) }
    }

    /// The reports that users have made, oldest first.
    public var reports: [FiledReport] { withState { $0.reports } }

    // MARK: Channels and messages

    /// Creates a group channel, which all users join immediately.
    ///
    /// - Parameters:
    ///   - params: The properties of the channel. Users who do not exist are added.
    ///   - userID: The creator, who is also the channel's operator.
    /// - Returns: The channel as its creator sees it.
    /// - Throws: `refused` if the channel exists.
    @discardableResult
    public func createChannel(
        _ params: GroupChannelCreateParams, by userID: UserID
    ) throws(BackendError) -> GroupChannel {
        try perform { state throws(BackendError) in
            _ = try state.knownOrNewAccount(userID)
            return try state.createChannel(params, by: userID, joinsAll: true)
        }
    }

    /// Sends an admin message.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - url: The URL of a group or open channel.
    ///   - data: Custom data of the app.
    ///   - customType: The app's own type of the message.
    ///   - isSilent: A Boolean value that indicates whether the message does not count as unread,
    ///     and cannot be the channel's last message.
    /// - Returns: The message.
    /// - Throws: `notFound` if the channel does not exist, `refused` if the text is too long.
    @discardableResult
    public func sendAdminMessage(
        _ text: String, to url: ChannelURL, data: String = "", customType: String = "",
        isSilent: Bool = false
    ) throws(BackendError) -> Message {
        try perform { state throws(BackendError) in
            try state.sendAdminMessage(
                text, to: url, data: data, customType: customType, isSilent: isSilent)
        }
    }

    /// Deletes a message of any user.
    ///
    /// - Throws: `notFound` if the message does not exist.
    public func deleteMessage(_ id: MessageID, in url: ChannelURL) throws(BackendError) {
        try perform { state throws(BackendError) in try state.deleteAsAdmin(id, in: url) }
    }

    /// Deletes all messages that a user has sent.
    ///
    /// The feed reports one `messagesDeleted` for each affected channel, and the changelogs report
    /// each message.
    ///
    /// - Parameters:
    ///   - userID: The user who has sent the messages.
    ///   - url: The URL of a channel; `nil` for all channels.
    /// - Returns: The number of deleted messages.
    /// - Throws: `notFound` if the user or the channel does not exist.
    /// - Complexity: O(*n*) in the number of messages of the channels.
    @discardableResult
    public func deleteMessages(
        ofSender userID: UserID, in url: ChannelURL? = nil
    ) throws(BackendError) -> Int {
        try perform { state throws(BackendError) in
            try state.deleteMessages(ofSender: userID, in: url)
        }
    }

    /// Deletes a group or open channel with its messages.
    ///
    /// - Throws: `notFound` if the channel does not exist.
    public func deleteChannel(_ url: ChannelURL) throws(BackendError) {
        try perform { state throws(BackendError) in try state.remove(try state.channel(url)) }
    }

    /// Imports messages with their own times, senders and IDs.
    ///
    /// Users and channels that do not exist are created, and senders become members of the channel.
    /// A message without an ID gets one. IDs must be unique on the whole server: if the logs of
    /// several channels each count from 1, give their messages other IDs before importing them. The
    /// server's clock only determines the times at which members join.
    ///
    /// Messages are written in batches of a thousand. The write of a batch also adds two events to
    /// the feed for each affected channel: a `historyChanged` with the times of the batch's
    /// messages, and the channel's new state. Because of the `historyChanged`, a device does not
    /// consider its history complete before it has fetched these messages.
    ///
    /// - Parameters:
    ///   - messages: The messages in any order; replies may precede their parents.
    ///   - members: The users who become members of each created channel, in addition to the
    ///     senders.
    ///   - isReported: A Boolean value that indicates whether the feed reports each message as a
    ///     new one, and the server counts it as unread. If it is `true`, a `historyChanged` is
    ///     reported only for imported messages that are older than existing messages of their
    ///     channel.
    ///   - skipsKnown: A Boolean value that indicates whether to skip messages whose IDs their
    ///     channel already has, so that an interrupted import can be repeated.
    /// - Returns: The number of messages that were added.
    /// - Throws: `refused` if a message has the ID of another message in any channel, or if a name
    ///   is too long. The batches before the error have then been written.
    /// - Complexity: O(*n*) in the number of messages. Replies cost more than other messages.
    @discardableResult
    public func importMessages(
        _ messages: [Message], members: [UserID] = [], isReported: Bool = false,
        skipsKnown: Bool = false
    ) throws(BackendError) -> Int {
        var rest = messages[...]
        var count = 0
        while !rest.isEmpty {
            let batch = Array(rest.prefix(1000))
            rest = rest.dropFirst(1000)
            count += try perform { state throws(BackendError) in
                try state.importMessages(
                    batch, members: members, isReported: isReported,
                    skipsKnown: skipsKnown)
            }
        }
        return count
    }
}
