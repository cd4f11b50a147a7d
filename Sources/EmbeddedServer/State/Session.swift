import Models

final class Session {
    let number: Int
    let userID: UserID
    /// The error of requests after the server has ended the connection.
    var failure: BackendError?
    /// The entered open channels, with the newest entry at that time.
    var entered: [ChannelNumber: LogSequence] = [:]
    var typingChanged: Set<ChannelNumber> = []
    var openChannelsChanged: Set<ChannelNumber> = []
    /// The users who have entered (`true`) or exited (`false`) open channels since the last report.
    var participantsChanged: [ChannelNumber: [UserID: Bool]] = [:]
    var isLive = false
    var waiter: (number: Int, continuation: CheckedContinuation<Wake, Never>)?

    init(_ number: Int, _ userID: UserID) {
        self.number = number
        self.userID = userID
    }

    var hasPendingEvents: Bool { !typingChanged.isEmpty || !openChannelsChanged.isEmpty }

    func resume(_ wake: Wake) {
        waiter?.continuation.resume(returning: wake)
        waiter = nil
    }

    func cancelWait(_ number: Int) {
        if waiter?.number == number { resume(.failed(.canceled)) }
    }
}

enum Wake: Sendable {
    case checkAgain
    case failed(BackendError)
}

extension ServerState {
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
        info.uploadSizeLimit = conditions.maximumFileByteCount
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
        if account.isRevoked { throw .revoked(userID) }
        if let token = account.accessToken, token != credentials.accessToken {
            throw BackendError(
                .sessionRevoked, "the access token does not belong to \(userID)",
                detail: .accessTokenNotValid)
        }
        return account
    }

    /// Ends a connection, its pending call and its typing, and exits its open channels.
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

    /// Returns the session; throws if its connection is not `connection`.
    func session(_ client: Int, connection: Int? = nil) throws(BackendError) -> Session {
        guard let session = sessions[client], connection ?? session.number == session.number else {
            throw .notConnected
        }
        if let failure = session.failure { throw failure }
        return session
    }

    func endSessions(of userID: UserID, with failure: BackendError) {
        for session in sessions.values where session.userID == userID {
            session.failure = failure
            session.resume(.failed(failure))
        }
    }

    /// Resumes the waiting feed calls that the current request concerns.
    func wake() {
        guard !touched.isEmpty else { return }
        for (client, session) in sessions where session.waiter != nil {
            let isConcerned =
                touched.clients.contains(client) || touched.users.contains(session.userID)
                || touched.channels.contains { number in
                    session.entered[number] != nil
                        || accounts[session.userID]?.channels.contains(number) == true
                }
            if isConcerned { session.resume(.checkAgain) }
        }
        touched = Touched()
    }
}

extension BackendError {
    static let notConnected = BackendError(
        .notConnected, "no user is connected: call connect(as:) first", detail: .connectionRequired)

    static func revoked(_ userID: UserID) -> BackendError {
        BackendError(
            .sessionRevoked, "the session of \(userID) was revoked", detail: .sessionTokenRevoked)
    }
}
