import Foundation
import Models

// Sending requests, which ``disconnect()`` cancels.
extension MatrixBackend {
    func call<Reply: Decodable>(
        _ request: MatrixRequest, as type: Reply.Type = Reply.self
    ) async throws(BackendError) -> Reply {
        try decode(try await reply(to: request).body, of: request)
    }

    private func decode<Reply: Decodable>(
        _ body: Data, of request: MatrixRequest
    ) throws(BackendError) -> Reply {
        do { return try JSONDecoder().decode(Reply.self, from: body) } catch {
            throw BackendError(
                .unanswered,
                "the response to \(request.path.joined(separator: "/")) cannot be decoded: \(error)",
                detail: .malformedData)
        }
    }

    /// Sends a request, and returns its successful reply.
    ///
    /// If the access token has expired and there is a refresh token, the request is sent once more
    /// with a renewed token.
    func reply(to request: MatrixRequest) async throws(BackendError) -> HTTPReply {
        guard let session else {
            throw BackendError(.notConnected, "no user is connected: call connect(as:) first")
        }
        do {
            return try await reply(to: request, token: session.accessToken)
        } catch  where error.code == .sessionExpired && request.isAuthorized {
            let token = try await renewedToken(after: session, or: error)
            return try await reply(to: request, token: token)
        }
    }

    private func reply(
        to request: MatrixRequest, token: String
    ) async throws(BackendError) -> HTTPReply {
        let number = session?.number
        try limits.check(request.kind, at: options.instant())
        let http = try request.http(at: homeserver, token: token)
        callCount += 1
        let (id, transport) = (callCount, options.transport)
        let task = Task { () async -> Result<HTTPReply, BackendError> in
            do throws(BackendError) { return .success(try await transport.send(http)) } catch {
                return .failure(error)
            }
        }
        calls[id] = task
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        calls[id] = nil
        // The session may have ended during the request.
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

    /// Renews the access token.
    ///
    /// Concurrent calls share one renewal.
    private func renewedToken(
        after old: Session, or expiry: BackendError
    ) async throws(BackendError) -> String {
        if let renewal { return try await renewal.value.get() }
        guard let session, session.number == old.number, let refreshToken = session.refreshToken
        else { throw expiry }
        // Another call renewed the token while this one was in flight.
        guard session.accessToken == old.accessToken else { return session.accessToken }
        let task = Task { () async -> Result<String, BackendError> in
            do throws(BackendError) {
                return .success(try await self.renew(refreshToken))
            } catch {
                return .failure(error)
            }
        }
        renewal = task
        defer { renewal = nil }
        return try await task.value.get()
    }

    private func renew(_ refreshToken: String) async throws(BackendError) -> String {
        var request = MatrixRequest.post("refresh", body: ["refresh_token": .string(refreshToken)])
        request.isAuthorized = false
        let reply = try await self.reply(to: request, token: "")
        let decoded: RefreshReply = try decode(reply.body, of: request)
        session?.accessToken = decoded.access_token
        session?.refreshToken = decoded.refresh_token ?? refreshToken
        keepTokens(deviceID)
        return decoded.access_token
    }

    /// Performs an operation for each element, at most eight at a time, and returns the results in
    /// order.
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
