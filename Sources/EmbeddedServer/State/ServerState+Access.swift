import Models
import Store

extension ServerState {
    /// The maximum length of an ID or URL in bytes.
    static let nameLimit = 1024

    func account(_ userID: UserID) throws(BackendError) -> Account {
        guard let account = accounts[userID] else {
            throw BackendError(.notFound, "there is no user \(userID)", detail: .userNotExist)
        }
        return account
    }

    func knownOrNewAccount(_ userID: UserID) throws(BackendError) -> Account {
        if let account = accounts[userID] { return account }
        guard !conditions.requiresKnownUsers else { return try account(userID) }
        return try makeAccount(userID)
    }

    func makeAccount(_ userID: UserID) throws(BackendError) -> Account {
        try checkName(userID.rawValue, "the user's id")
        let account = Account(User(id: userID))
        accounts[userID] = account
        store(account)
        return account
    }

    func checkName(_ name: String, _ what: String) throws(BackendError) {
        if name.isEmpty {
            throw BackendError(.refused, "\(what) is empty", detail: .missingParameter)
        }
        if name.utf8.count > Self.nameLimit {
            throw BackendError(
                .refused, "\(what) has more than \(Self.nameLimit) bytes",
                detail: .parameterTooLong)
        }
    }

    func channel(_ url: ChannelURL) throws(BackendError) -> ServerChannel {
        guard let number = numbers[url], let channel = channels[number] else {
            throw BackendError(.notFound, "there is no channel \(url)", detail: .channelNotFound)
        }
        return channel
    }

    func groupChannel(_ url: ChannelURL) throws(BackendError) -> ServerChannel {
        let channel = try channel(url)
        if channel.isOpen {
            throw BackendError(
                .notFound, "channel \(url) is an open channel, not a group channel",
                detail: .channelNotFound)
        }
        return channel
    }

    func openChannelState(_ url: ChannelURL) throws(BackendError) -> ServerChannel {
        let channel = try channel(url)
        if !channel.isOpen {
            throw BackendError(
                .notFound, "channel \(url) is a group channel, not an open channel",
                detail: .channelNotFound)
        }
        return channel
    }

    /// Returns a channel that a user has joined, is invited to, or has entered.
    func readableChannel(
        _ url: ChannelURL, for userID: UserID
    ) throws(BackendError) -> ServerChannel {
        let channel = try channel(url)
        if channel.isOpen ? channel.participants[userID] == nil : channel.members[userID] == nil {
            throw notMember(userID, channel)
        }
        return channel
    }

    func joinedChannel(
        _ url: ChannelURL, by userID: UserID
    ) throws(BackendError) -> ServerChannel {
        let channel = try groupChannel(url)
        guard channel.members[userID]?.state == .joined else { throw notMember(userID, channel) }
        return channel
    }

    func writableChannel(
        _ url: ChannelURL, for userID: UserID
    ) throws(BackendError) -> ServerChannel {
        let channel = try readableChannel(url, for: userID)
        if !channel.isOpen && channel.members[userID]?.state != .joined {
            throw notMember(userID, channel)
        }
        let isOperator = channel.isOperator(userID)
        if channel.isFrozen && !isOperator {
            throw BackendError(
                .refused, "channel \(url) is frozen: only its operators can send messages",
                detail: .channelFrozen)
        }
        if channel.restriction(.muted, of: userID, at: now()) != nil {
            throw BackendError(
                .refused, "\(userID) is muted in channel \(url)", detail: .mutedInChannel)
        }
        return channel
    }

    func moderatedChannel(
        _ url: ChannelURL, by userID: UserID
    ) throws(BackendError) -> ServerChannel {
        let channel = try channel(url)
        if !channel.isOpen && channel.members[userID] == nil { throw notMember(userID, channel) }
        guard channel.isOperator(userID) else {
            throw BackendError(
                .refused, "\(userID) is not an operator of channel \(url)", detail: .notAuthorized)
        }
        return channel
    }

    private func notMember(_ userID: UserID, _ channel: ServerChannel) -> BackendError {
        ban(of: userID, from: channel)
            ?? BackendError(
                .refused, "\(userID) is not a member of channel \(channel.url)", detail: .notMember)
    }

    /// Returns the error of a call of a banned user; `nil` if the user is not banned.
    func ban(of userID: UserID, from channel: ServerChannel) -> BackendError? {
        guard channel.restriction(.banned, of: userID, at: now()) != nil else { return nil }
        return BackendError(
            .refused, "\(userID) is banned from channel \(channel.url)", detail: .banned)
    }
}
