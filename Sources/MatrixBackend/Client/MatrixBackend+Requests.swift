import Foundation
import Models
import Sync

// Sending requests, which ``disconnect()`` cancels.
extension MatrixBackend {
    func call<Reply: Decodable>(
        _ request: MatrixRequest, as type: Reply.Type = Reply.self
    ) async throws(BackendError) -> Reply {
        try decode(try await reply(to: request).body, of: request)
    }

    /// Requests a number of events, and fewer of them while the reply cannot be read.
    ///
    /// It may be too long: one event can take several hundred kilobytes.
    func call<Reply: Decodable>(
        upTo limit: Int, _ request: (_ limit: Int) -> MatrixRequest
    ) async throws(BackendError) -> Reply {
        var limit = limit
        while true {
            do { return try await call(request(limit)) } catch
                where error.detail == .malformedData && limit > 1
            {
                limit = max(limit / 8, 1)
            }
        }
    }

    private func decode<Reply: Decodable>(
        _ body: Data, of request: MatrixRequest
    ) throws(BackendError) -> Reply {
        do {
            return try JSONDecoder.decode(Reply.self, ofReply: body, mayBeCut: request.mayBeCut)
        } catch {
            throw BackendError(
                .unanswered,
                "the response to \(request.path.joined(separator: "/")) cannot be decoded: \(error)",
                detail: .malformedData)
        }
    }

    /// A rejected access token is renewed up to twice: there are attempts with the token of the
    /// session, of a refresh, and of a login.
    ///
    /// Throws `sessionExpired` or `sessionRevoked` if the token cannot be renewed.
    func reply(to request: MatrixRequest) async throws(BackendError) -> HTTPReply {
        guard let session else {
            throw BackendError(.notConnected, "no user is connected: call connect(as:) first")
        }
        guard request.isAuthorized else { return try await reply(to: request, token: "") }
        var token = session.accessToken
        for _ in 0..<2 {
            do { return try await reply(to: request, token: token) } catch  where error.endsSession
            {
                let rejection = try await confirmed(error, of: request, token)
                guard rejection.code == .sessionExpired else { throw rejection }
                token = try await renewedToken(after: token, session.number, or: rejection)
            }
        }
        do { return try await reply(to: request, token: token) } catch  where error.endsSession {
            throw try await confirmed(error, of: request, token).endOfSession
        }
    }

    /// Returns the reason for which the homeserver rejects a token.
    ///
    /// A homeserver passes on the errors of other servers, for example while it joins a room.
    /// Throws `refused` if it accepts the token itself.
    private func confirmed(
        _ rejection: BackendError, of request: MatrixRequest, _ token: String
    ) async throws(BackendError) -> BackendError {
        if [["sync"], ["account", "whoami"]].contains(request.path) { return rejection }
        do { _ = try await reply(to: .get("account", "whoami"), token: token) } catch
            where error.endsSession
        { return error }
        throw BackendError(.refused, rejection.message)
    }

    private func reply(
        to request: MatrixRequest, token: String
    ) async throws(BackendError) -> HTTPReply {
        let number = session?.number
        try limits.check(request.kind, at: options.instant())
        let http = try request.http(
            at: homeserver, token: token, maximumByteCount: options.maximumReplyByteCount)
        callCount += 1
        let (id, transport, policy) = (callCount, options.transport, addressPolicy)
        let task = Task { () async -> Result<HTTPReply, BackendError> in
            do throws(BackendError) {
                return .success(
                    try await transport.reply(
                        to: http, leavesOrigin: request.isOfFile, policy))
            } catch {
                return .failure(error)
            }
        }
        calls[id] = task
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancelWithoutWaiting()
        }
        calls[id] = nil
        guard session?.number == number else {
            throw BackendError(.notConnected, "the session has ended")
        }
        if Task.isCancelled { throw BackendError(.canceled, "the call was canceled") }
        let reply = try result.get()
        guard !(200..<300).contains(reply.status) else { return reply }
        let error = BackendError(reply, to: request)
        if error.code == .throttled {
            limits.pause(
                request.kind, for: error.retryAfter ?? .seconds(1), at: options.instant())
        }
        throw error
    }

    /// Renews the rejected token `old`; concurrent calls share one renewal.
    private func renewedToken(
        after old: String, _ number: Int, or rejection: BackendError
    ) async throws(BackendError) -> String {
        guard let session, session.number == number else { throw rejection }
        // Another call renewed the token while this one was in flight.
        guard session.accessToken == old else { return session.accessToken }
        if let renewal { return try await renewal.value.get() }
        let task = Task { () async -> Result<String, BackendError> in
            do throws(BackendError) {
                return .success(try await self.renewToken(after: rejection))
            } catch {
                return .failure(error)
            }
        }
        renewal = task
        defer { renewal = nil }
        return try await task.value.get()
    }

    private func renewToken(after rejection: BackendError) async throws(BackendError) -> String {
        if let refreshToken = session?.refreshToken {
            do {
                return try await refresh(refreshToken)
            } catch  where !error.isTransient && error.code != .canceled {
                session?.refreshToken = nil
            }
        }
        tokens = nil
        guard case .password = login, let user = session?.user else {
            throw rejection.endOfSession
        }
        let owner: UserID
        do {
            owner = try await signInByPassword(user)
        } catch  where error.code == .refused {
            // The password has changed.
            throw rejection.endOfSession
        }
        guard owner == user else { throw rejection.endOfSession }
        return session?.accessToken ?? ""
    }

    private func refresh(_ refreshToken: String) async throws(BackendError) -> String {
        var request = MatrixRequest.post("refresh", body: ["refresh_token": .string(refreshToken)])
        request.isAuthorized = false
        request.kind = .signingIn
        let decoded: RefreshReply = try await call(request)
        let token = decoded.access_token.text
        session?.refreshToken = decoded.refresh_token?.text ?? refreshToken
        if session?.isRefreshTokenOwn == false { try await checkOwner(ofToken: token) }
        session?.accessToken = token
        keepTokens(deviceID)
        return token
    }

    /// Throws `refused` if a token that a refresh token has returned belongs to another user.
    private func checkOwner(ofToken token: String) async throws(BackendError) {
        let request = MatrixRequest.get("account", "whoami")
        let owner: WhoAmIReply = try decode(
            try await reply(to: request, token: token).body, of: request)
        guard let user = session?.user, user.rawValue == owner.user_id.text else {
            throw BackendError(
                .refused, "the refresh token belongs to \(owner.user_id.text)",
                detail: .accessTokenNotValid)
        }
        session?.isRefreshTokenOwn = true
    }

    /// Returns the results in order, with at most eight operations at a time.
    ///
    /// The tasks return a `Result`, because the errors of a throwing task group are not typed.
    func concurrently<Element: Sendable, Value: Sendable>(
        _ elements: [Element],
        _ body: @escaping @Sendable (Element) async throws(BackendError) -> Value
    ) async throws(BackendError) -> [Value] {
        guard elements.count > 1 else {
            guard let element = elements.first else { return [] }
            return [try await body(element)]
        }
        let results = await withTaskGroup(of: (Int, Result<Value, BackendError>).self) { group in
            var results = [Result<Value, BackendError>?](repeating: nil, count: elements.count)
            for (index, element) in elements.enumerated() {
                if index >= 8, let (done, result) = await group.next() { results[done] = result }
                group.addTask {
                    do throws(BackendError) {
                        return (index, .success(try await body(element)))
                    } catch { return (index, .failure(error)) }
                }
            }
            for await (done, result) in group { results[done] = result }
            return results
        }
        var values: [Value] = []
        for result in results { if let result { values.append(try result.get()) } }
        return values
    }
}

extension BackendError {
    fileprivate var endsSession: Bool { code == .sessionExpired || code == .sessionRevoked }

    /// After a soft logout, the same device may sign in again and keep its data.
    fileprivate var endOfSession: BackendError {
        guard code == .sessionExpired, detail == .accessTokenNotValid else { return self }
        return BackendError(.sessionRevoked, message, detail: .sessionTokenRevoked)
    }
}
