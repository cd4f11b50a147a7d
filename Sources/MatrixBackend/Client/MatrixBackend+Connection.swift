import Foundation
public import Models

// Signing in and out.
extension MatrixBackend {
    /// Connects a user.
    ///
    /// The tokens of the session are the first of these that exist: the tokens of an earlier
    /// connection of this process, the tokens of the credentials, and the result of a login with
    /// the password.
    ///
    /// - Throws: `refused` if the password is wrong, or the token belongs to another user;
    ///   `sessionExpired` if the same device may sign in again; `sessionRevoked` if the user or the
    ///   device was removed.
    public func connect(as credentials: Credentials) async throws(BackendError) -> BackendSession {
        await disconnect()
        if list.token != nil, lastUser != credentials.userID { forgetUser() }
        lastUser = credentials.userID
        callCount += 1
        let known = tokens.flatMap { $0.user == credentials.userID ? $0.tokens : nil }
        let access = known?.accessToken ?? credentials.accessToken
        var refresh = known?.refreshToken
        if refresh == nil, case .refreshToken(let token) = login { refresh = token }
        session = Session(
            number: callCount, user: credentials.userID, accessToken: access ?? "",
            refreshToken: refresh)
        do throws(BackendError) {
            let user = try await signedIn(credentials.userID, hasToken: access != nil)
            return BackendSession(user: user, epoch: Self.epoch)
        } catch {
            await disconnect()
            throw error
        }
    }

    /// Ends the connection, and cancels all calls in flight; the tokens stay valid.
    public func disconnect() async {
        session = nil
        mayHaveLostRooms = true
        isCatchingUp = true
        for call in calls.values { call.cancel() }
    }

    private func signedIn(_ me: UserID, hasToken: Bool) async throws(BackendError) -> User {
        var found: UserID?
        if hasToken {
            do {
                let reply: WhoAmIReply = try await call(.get("account", "whoami"))
                found = UserID(reply.user_id)
            } catch  where error.code == .sessionExpired {
                tokens = nil
                guard case .password = login else {
                    guard error.detail == .accessTokenNotValid else { throw error }
                    throw BackendError(.sessionRevoked, error.message, detail: .sessionTokenRevoked)
                }
            }
        }
        let user: UserID
        if let found { user = found } else { user = try await signInByPassword(me) }
        guard user == me else {
            throw BackendError(
                .refused, "the token belongs to \(user), not to \(me)", detail: .accessTokenNotValid
            )
        }
        do {
            let profile: ProfileReply = try await call(.get("profile", me.rawValue))
            return User(
                id: me, nickname: profile.displayname ?? "", profileURL: profile.avatar_url ?? "")
        } catch  where error.code == .notFound || error.code == .refused {
            return User(id: me)
        }
    }

    private func signInByPassword(_ me: UserID) async throws(BackendError) -> UserID {
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
        let reply: LoginReply = try await call(request)
        session?.accessToken = reply.access_token
        session?.refreshToken = reply.refresh_token
        keepTokens(reply.device_id)
        return UserID(reply.user_id)
    }

    /// Keeps the tokens of the session for the next connection, and passes them to the app.
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
