import Foundation
public import Models
import Sync

extension MatrixBackend {
    /// Connects a user with the first tokens that exist: those of an earlier connection of this
    /// process, those of the credentials, and those of a login with the password.
    ///
    /// - Throws: `refused` if the password is wrong, the token belongs to another user, or the
    ///   address is not that of a homeserver or not allowed (see
    ///   ``Options/allowsUnencryptedHTTP``); `sessionExpired` if the same device may sign in again;
    ///   `sessionRevoked` if the user or the device was removed. Later calls throw the last two
    ///   errors too, if the tokens cannot be renewed.
    public func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        try addressPolicy.check(homeserver, isBase: true)
        await disconnect()
        limits = RateLimits()
        if lastUser != credentials.userID { forgetUser() }
        lastUser = credentials.userID
        callCount += 1
        session = Session(
            number: callCount, user: credentials.userID, accessToken: "", refreshToken: nil)
        do throws(BackendError) {
            let user = try await signedIn(credentials)
            return BackendSession(user: user, epoch: Self.epoch)
        } catch {
            await disconnect()
            guard error.code == .notFound || error.code == .unsupported else { throw error }
            throw BackendError(
                .refused, "there is no Matrix homeserver at \(homeserver): \(error.message)",
                detail: error.detail)
        }
    }

    /// Ends the connection, and cancels all calls in flight; the tokens stay valid.
    public func disconnect() async {
        session = nil
        mayHaveLostRooms = true
        isCatchingUp = true
        known.removeAll()
        newestMessages = [:]
        for call in calls.values { call.cancelWithoutWaiting() }
    }

    var addressPolicy: AddressPolicy {
        AddressPolicy(allowsUnencrypted: options.allowsUnencryptedHTTP)
    }

    private func signedIn(_ credentials: Credentials) async throws(BackendError) -> User {
        let me = credentials.userID
        let user: UserID
        if let found = try await userOfTokens(credentials) {
            user = found
        } else {
            user = try await signInByPassword(me)
        }
        guard user == me else {
            throw BackendError(
                .refused, "the token belongs to \(user), not to \(me)", detail: .accessTokenNotValid
            )
        }
        do {
            let profile: ProfileReply = try await call(.get("profile", me.rawValue))
            return User(
                id: me, nickname: profile.displayname?.text ?? "",
                profileURL: profile.avatar_url?.text ?? "")
        } catch  where error.code == .notFound || error.code == .refused {
            return User(id: me)
        }
    }

    private func userOfTokens(_ credentials: Credentials) async throws(BackendError) -> UserID? {
        var candidates: [(access: String, refresh: String?, isOwn: Bool)] = []
        if let tokens, tokens.user == credentials.userID {
            candidates.append((tokens.tokens.accessToken, tokens.tokens.refreshToken, true))
        }
        if let access = credentials.accessToken, access != candidates.first?.access {
            var refresh: String?
            if case .refreshToken(let token) = login { refresh = token }
            candidates.append((access, refresh, false))
        }
        var failure: BackendError?
        for candidate in candidates {
            session?.accessToken = candidate.access
            session?.refreshToken = candidate.refresh
            session?.isRefreshTokenOwn = candidate.isOwn
            do {
                let reply: WhoAmIReply = try await call(.get("account", "whoami"))
                return UserID(reply.user_id.text)
            } catch  where error.code == .sessionExpired || error.code == .sessionRevoked {
                failure = error
            }
        }
        if let failure { throw failure }
        return nil
    }

    func signInByPassword(_ me: UserID) async throws(BackendError) -> UserID {
        guard case .password(let password) = login else {
            throw BackendError(
                .refused, "\(me) has neither an access token nor a password",
                detail: .accessTokenNotValid)
        }
        var body: [String: JSONValue] = [
            "type": "m.login.password",
            "identifier": ["type": "m.id.user", "user": .string(me.rawValue)],
            "password": .string(password), "refresh_token": true,
            "initial_device_display_name": "Scrollback",
        ]
        body["device_id"] = deviceID.map { .string($0) }
        var request = MatrixRequest.post("login", body: .object(body))
        request.isAuthorized = false
        request.kind = .signingIn
        let reply: LoginReply = try await call(request)
        session?.accessToken = reply.access_token.text
        session?.refreshToken = reply.refresh_token?.text
        session?.isRefreshTokenOwn = true
        keepTokens(reply.device_id?.text)
        return UserID(reply.user_id.text)
    }

    func keepTokens(_ deviceID: String?) {
        guard let session else { return }
        let new = Tokens(
            accessToken: session.accessToken, refreshToken: session.refreshToken,
            deviceID: deviceID)
        tokens = (session.user, new)
        options.onTokens(new)
    }

    private func forgetUser() {
        list = RoomList()
        people = [:]
        seen = SeenEvents()
        ownReactions.removeAll()
        eventTimes.removeAll()
        pageTokens = PageTokens()
        pageStarts.removeAll()
        failedRooms = [:]
        (unansweredCounts, unansweredRooms) = ([:], [:])
        staleRooms = [:]
        (lateLastMessages, roomsWithoutLastMessage) = ([], [])
        reportedOnce = nil
        newestEvents = [:]
        unreportedReaders = []
    }

    var me: UserID {
        get throws(BackendError) {
            guard let session else {
                throw BackendError(.notConnected, "no user is connected: call connect(as:) first")
            }
            return session.user
        }
    }
}
