public import Models

// The operations of an application's own server, in addition to those of users.
extension EmbeddedServer {
    // MARK: Users

    /// Adds or changes a user.
    ///
    /// A revoked user is accepted again. The members of the user's channels are notified.
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

    /// The ids of all users, in alphabetical order.
    package var userIDs: [UserID] {
        withState { state in state.accounts.keys.sorted() }
    }

    /// Ends the sessions of a user, who may connect again: their requests fail with
    /// `sessionExpired`.
    public func expireSessions(of userID: UserID) {
        withState { state in
            let failure = BackendError(
                .sessionExpired, "the session of \(userID) has expired",
                detail: .sessionKeyExpired)
            state.endSessions(of: userID, with: failure)
        }
    }

    /// Ends the sessions of a user permanently: their requests, including connecting, fail with
    /// `sessionRevoked`.
    ///
    /// - Throws: `notFound` if there is no such user.
    public func revokeUser(_ userID: UserID) throws(BackendError) {
        try perform { state throws(BackendError) in try state.revoke(userID) }
    }

    // MARK: Channels and messages

    /// Creates a group channel with all users as joined members and the creator as operator.
    ///
    /// - Parameters:
    ///   - params: The properties of the channel. Unknown users are added.
    ///   - userID: The creator.
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
    ///   - data: Custom data of the application.
    ///   - customType: The application's own type of the message.
    ///   - isSilent: A Boolean value that indicates whether the message neither counts as unread
    ///     nor becomes the last message.
    /// - Returns: The message.
    /// - Throws: `notFound` if there is no such channel, `refused` if the text is too long.
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

    /// Deletes any message.
    ///
    /// - Throws: `notFound` if there is no such message.
    public func deleteMessage(_ id: MessageID, in url: ChannelURL) throws(BackendError) {
        try perform { state throws(BackendError) in try state.deleteAsAdmin(id, in: url) }
    }

    /// Deletes a group or open channel with its messages.
    ///
    /// - Throws: `notFound` if there is no such channel.
    public func deleteChannel(_ url: ChannelURL) throws(BackendError) {
        try perform { state throws(BackendError) in try state.remove(try state.channel(url)) }
    }

    /// Adds messages with the times, senders and ids that they have.
    ///
    /// Users and channels that do not exist are created, and senders become members. A message
    /// without an id gets one. An id names one message of the whole server, so logs of several
    /// channels that each count from 1 need other ids. The clock is read only for the times at
    /// which members join.
    ///
    /// Messages are written in batches of a thousand. The same write adds to the feed of each
    /// channel concerned a `historyChanged` with the times of its messages in the batch, and the
    /// channel as it is then, so a device never shows its history as complete without them.
    ///
    /// - Parameters:
    ///   - messages: The messages in any order; replies may come before their parents.
    ///   - members: The users who are members of each channel that is created, besides the senders.
    ///   - isReported: A Boolean value that indicates whether the feed delivers each message as a
    ///     new one, and the server counts it as unread. A `historyChanged` then covers only
    ///     imported messages that are older than existing messages of their channel.
    ///   - passesOverKnown: A Boolean value that indicates whether to skip messages whose ids their
    ///     channel already has, so that an interrupted import can be repeated.
    /// - Returns: The number of messages that were added.
    /// - Throws: `refused` if a message has the id of another one in any channel, or a name is too
    ///   long; then the batches before it are written.
    /// - Complexity: O(*n*) in the messages; replies cost more.
    @discardableResult
    public func importMessages(
        _ messages: [Message], members: [UserID] = [], isReported: Bool = false,
        passesOverKnown: Bool = false
    ) throws(BackendError) -> Int {
        var rest = messages[...]
        var count = 0
        while !rest.isEmpty {
            let batch = Array(rest.prefix(1000))
            rest = rest.dropFirst(1000)
            count += try perform { state throws(BackendError) in
                try state.importMessages(
                    batch, members: members, isReported: isReported,
                    passesOverKnown: passesOverKnown)
            }
        }
        return count
    }
}
