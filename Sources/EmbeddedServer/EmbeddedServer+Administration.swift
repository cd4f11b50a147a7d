public import Models

extension EmbeddedServer {
    // MARK: Users

    /// Adds or changes a user, and notifies the members of the user's channels.
    ///
    /// A revoked user may connect again. The call throws `refused` if the ID is empty or too long.
    public func addUser(_ user: User, accessToken: String? = nil) throws(BackendError) {
        try perform { state throws(BackendError) in
            try state.addUser(user, accessToken: accessToken)
        }
    }

    package var userIDs: [UserID] {
        withState { state in state.accounts.keys.sorted() }
    }

    /// Ends the sessions of a user, who may connect again.
    ///
    /// Requests of connected devices fail with `sessionExpired`.
    public func expireSessions(of userID: UserID) {
        withState { state in
            let failure = BackendError(
                .sessionExpired, "the session of \(userID) has expired",
                detail: .sessionKeyExpired)
            state.endSessions(of: userID, with: failure)
        }
    }

    /// Ends the sessions of a user permanently: all requests and `connect` fail with
    /// `sessionRevoked`.
    ///
    /// - Throws: `notFound` if the user does not exist.
    public func revokeUser(_ userID: UserID) throws(BackendError) {
        try perform { state throws(BackendError) in try state.revoke(userID) }
    }

    /// The reports that users have made, oldest first.
    public var reports: [FiledReport] { withState { $0.reports } }

    // MARK: Channels and messages

    /// Creates a group channel, which all users join immediately, and returns it as its creator
    /// sees it.
    ///
    /// Unknown users are added. The call throws `refused` if the channel exists.
    @discardableResult
    public func createChannel(
        _ params: GroupChannelCreateParams, by userID: UserID
    ) throws(BackendError) -> GroupChannel {
        try perform { state throws(BackendError) in
            _ = try state.knownOrNewAccount(userID)
            return try state.createChannel(params, by: userID, joinsAll: true)
        }
    }

    /// Sends an admin message to a group or open channel.
    ///
    /// A silent message does not count as unread, and cannot be the channel's last message. The
    /// call throws `notFound` if the channel does not exist, and `refused` if the text is too long.
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

    /// Deletes all messages that a user has sent, in one channel or, if `url` is `nil`, in all, and
    /// returns their number.
    ///
    /// The feed reports one `messagesDeleted` for each affected channel, and the changelogs each
    /// message. The call reads all messages of the channels. It throws `notFound` if the user or
    /// the channel does not exist.
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
    /// Unknown users and channels are created, and senders become members. A message without an ID
    /// gets one. IDs must be unique on the whole server: if the logs of several channels each count
    /// from 1, give their messages other IDs first. The server's clock determines only the times of
    /// joining.
    ///
    /// For each batch of a thousand messages, the feed reports a `historyChanged` of each affected
    /// channel, and the channel's new state.
    ///
    /// - Parameters:
    ///   - messages: The messages in any order; replies may precede their parents.
    ///   - members: The users who become members of each created channel, besides the senders.
    ///   - isReported: `true` to report each message as a new one, and count it as unread. A
    ///     `historyChanged` is then reported only for messages that are older than existing ones of
    ///     their channel.
    ///   - skipsKnown: `true` to skip messages that their channel already has, so that an
    ///     interrupted import can be repeated.
    /// - Returns: The number of added messages.
    /// - Throws: `refused` if a message has the ID of another one in any channel, or if a name is
    ///   too long. Earlier batches are then written.
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
