import Models

/// One device of a user, from connecting to disconnecting.
final class Session {
    /// Tells it from the device's connections before and after.
    let number: Int
    let userID: UserID
    /// Why its requests fail, if the server has ended it.
    var failure: BackendError?
    /// The open channels that it has entered, and the newest entry of the log when it did.
    var entered: [ChannelNumber: LogSequence] = [:]
    /// The channels in which others began or ceased to type.
    var typingChanged: Set<ChannelNumber> = []
    /// The open channels that changed.
    var openChannelsChanged: Set<ChannelNumber> = []
    /// Who has entered those open channels since the feed last told, and who has exited.
    var participantsChanged: [ChannelNumber: [UserID: Bool]] = [:]
    /// Whether its feed has told all that was missed.
    var isLive = false
    /// The call that waits for its feed to go on.
    var waiter: (number: Int, continuation: CheckedContinuation<Wake, Never>)?

    init(_ number: Int, _ userID: UserID) {
        self.number = number
        self.userID = userID
    }

    var hasNews: Bool { !typingChanged.isEmpty || !openChannelsChanged.isEmpty }

    func resume(_ wake: Wake) {
        waiter?.continuation.resume(returning: wake)
        waiter = nil
    }

    /// Ends one wait, if it is still the one that waits.
    func cancelWait(_ number: Int) {
        if waiter?.number == number { resume(.failed(.canceled)) }
    }
}

/// Why a call waits no more.
enum Wake: Sendable {
    /// There may be something to tell.
    case lookAgain
    case failed(BackendError)
}

extension ServerState {
    /// Lets a user in on a device.
    func connect(
        _ client: Int, as credentials: Credentials
    ) throws(BackendError) -> BackendSession {
        let account = try account(connecting: credentials)
        if let old = sessions[client], old.failure != nil || old.userID != credentials.userID {
            disconnect(client)
        }
        if sessions[client] == nil {
            sessions[client] = Session(newNumber(), credentials.userID)
        }
        sessions[client]?.isLive = false
        var info = AppInfo()
        info.uploadSizeLimit = conditions.maximumFileSize
        info.usesReactions = conditions.capabilities.contains(.reactions)
        return BackendSession(user: account.user, epoch: epoch, appInfo: info)
    }

    private func account(connecting credentials: Credentials) throws(BackendError) -> Account {
        let userID = credentials.userID
        guard let account = accounts[userID] else {
            guard !conditions.requiresKnownUsers else {
                throw BackendError(
                    .sessionRevoked, "there is no user \(userID)", detail: .userNotExist)
            }
            return try makeAccount(userID)
        }
        if account.isRevoked {
            throw BackendError(
                .sessionRevoked, "user \(userID) is let in no more", detail: .sessionTokenRevoked)
        }
        if let token = account.accessToken, token != credentials.accessToken {
            throw BackendError(
                .sessionRevoked, "the access token is not that of \(userID)",
                detail: .accessTokenNotValid)
        }
        return account
    }

    /// Ends a connection: its wait, its typing, and its part in open channels.
    func disconnect(_ client: Int) {
        guard let session = sessions.removeValue(forKey: client) else { return }
        for number in session.entered.keys {
            guard let channel = channels[number] else { continue }
            removeParticipant(session.userID, from: channel)
        }
        if !sessions.values.contains(where: { $0.userID == session.userID }) {
            endTyping(of: session.userID)
        }
        session.resume(.failed(.notConnected))
    }

    /// The session of a client that may ask, of one connection or, if none is named, of any.
    func session(_ client: Int, connection: Int? = nil) throws(BackendError) -> Session {
        guard let session = sessions[client], connection ?? session.number == session.number else {
            throw .notConnected
        }
        if let failure = session.failure { throw failure }
        return session
    }

    /// Ends all sessions of a user, so that what they ask fails.
    func endSessions(of userID: UserID, with failure: BackendError) {
        for session in sessions.values where session.userID == userID {
            session.failure = failure
            session.resume(.failed(failure))
        }
    }

    /// Lets the feeds go on that have something to tell.
    func wake() {
        guard !touched.isEmpty else { return }
        for (client, session) in sessions where session.waiter != nil {
            let isConcerned =
                touched.clients.contains(client) || touched.users.contains(session.userID)
                || touched.channels.contains { number in
                    session.entered[number] != nil
                        || accounts[session.userID]?.channels.contains(number) == true
                }
            if isConcerned { session.resume(.lookAgain) }
        }
        touched = Touched()
    }
}

extension BackendError {
    static let notConnected = BackendError(
        .notConnected, "nobody is connected here", detail: .connectionRequired)
}
