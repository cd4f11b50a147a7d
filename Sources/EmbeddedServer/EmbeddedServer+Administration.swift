public import Models

// What the application's own server does beside what its users do.
extension EmbeddedServer {
    // MARK: Users

    /// Adds a user, or changes who they are.
    ///
    /// Who was revoked is let in again. The members of the user's channels hear of it.
    ///
    /// - Parameters:
    ///   - user: The user, with a name and a picture.
    ///   - accessToken: What has to be shown when connecting; `nil` for nothing.
    /// - Throws: `refused` if the id is empty or too long.
    public func addUser(_ user: User, accessToken: String? = nil) throws(BackendError) {
        try perform { state throws(BackendError) in
            try state.addUser(user, accessToken: accessToken)
        }
    }

    /// The ids of all users, in alphabetical order.
    package var userIDs: [UserID] {
        withState { state in state.accounts.keys.sorted() }
    }

    /// Ends the sessions of a user, who may connect again: what they ask fails as `sessionExpired`.
    public func expireSessions(of userID: UserID) {
        withState { state in
            let failure = BackendError(
                .sessionExpired, "the session of \(userID) has expired",
                detail: .sessionKeyExpired)
            state.endSessions(of: userID, with: failure)
        }
    }

    /// Ends the sessions of a user for good: what they ask fails as `sessionRevoked`, connecting too.
    ///
    /// - Throws: `notFound` if there is no such user.
    public func revokeUser(_ userID: UserID) throws(BackendError) {
        try perform { state throws(BackendError) in try state.revoke(userID) }
    }

    // MARK: Channels and messages

    /// Creates a group channel in which all have joined; the first moderates it.
    ///
    /// - Parameters:
    ///   - params: What it is to be. Users who are new are added.
    ///   - userID: Who creates it.
    /// - Returns: The channel as its creator sees it.
    /// - Throws: `refused` if there is such a channel already.
    @discardableResult
    public func createChannel(
        _ params: GroupChannelCreateParams, by userID: UserID
    ) throws(BackendError) -> GroupChannel {
        try perform { state throws(BackendError) in
            _ = try state.knownOrNewAccount(userID)
            return try state.createChannel(params, by: userID, joinsAll: true)
        }
    }

    /// Sends what the channel itself says.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - url: The channel, group or open.
    ///   - data: What the application attaches.
    ///   - customType: The application's own kind of message.
    ///   - isSilent: Whether it counts neither as unread nor as the last message.
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

    /// Deletes a channel, group or open, with its messages.
    ///
    /// - Throws: `notFound` if there is no such channel.
    public func deleteChannel(_ url: ChannelURL) throws(BackendError) {
        try perform { state throws(BackendError) in try state.remove(try state.channel(url)) }
    }

    /// Takes in messages as they are, with their times, and ids where they have some.
    ///
    /// Users and channels that are new are created, senders become members, and nothing of it is unread.
    /// An id names one message of the whole server, so logs of several channels that each count from 1
    /// need other ids. Reads no clock but for who joins when.
    ///
    /// - Parameters:
    ///   - messages: In any order, replies before what they answer too.
    ///   - members: Who else is in each channel that is created.
    ///   - tellsFeed: Whether the feed tells them, as messages that have just come; then they are
    ///     unread too.
    ///   - passesOverKnown: Whether messages are passed over that their channel has already, by their
    ///     ids, so that an import that was interrupted can be done again.
    /// - Returns: How many were taken in.
    /// - Throws: `refused` if one has the id of another, in whichever channel; then those before it, in
    ///   batches of a thousand, are there.
    /// - Complexity: O(*n*) in the messages; replies cost more.
    @discardableResult
    public func importMessages(
        _ messages: [Message], members: [UserID] = [], tellsFeed: Bool = false,
        passesOverKnown: Bool = false
    ) throws(BackendError) -> Int {
        var rest = messages[...]
        var count = 0
        while !rest.isEmpty {
            let batch = Array(rest.prefix(1000))
            rest = rest.dropFirst(1000)
            count += try perform { state throws(BackendError) in
                try state.importMessages(
                    batch, members: members, tellsFeed: tellsFeed,
                    passesOverKnown: passesOverKnown)
            }
        }
        return count
    }
}
