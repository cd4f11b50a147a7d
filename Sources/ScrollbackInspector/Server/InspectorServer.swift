#if Inspector
    import FlyingFox
    import FlyingSocks
    import Foundation
    import Models
    import Sync

    /// The HTTP server of an inspector, on the loopback interface.
    ///
    /// Any web page in a browser on this machine can send requests to the port. Therefore the
    /// server refuses a request unless its path contains the token, its host is the loopback
    /// address, and its origin, if it has one, is the page.
    final class InspectorServer: Sendable {
        private let inspection: Inspection
        private let token: String
        private let server: HTTPServer
        private let running = Locked<Task<Void, Never>?>(nil)
        private let authority = Locked<Set<String>>([])

        init(_ inspection: Inspection, token: String, port: UInt16) {
            self.inspection = inspection
            self.token = token
            var address = sockaddr_in.inet(port: port)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            // Use a long timeout, because checking a large store for damage may take longer than
            // the default one.
            server = HTTPServer(address: address, timeout: 600, logger: .disabled)
        }

        /// Starts to listen.
        ///
        /// - Returns: The address of the page.
        /// - Throws: ``InspectorError`` with code `unavailable`.
        func start() async throws(InspectorError) -> URL {
            await server.appendRoute("*") { [weak self] request in
                await self?.respond(to: request) ?? HTTPResponse(statusCode: .notFound)
            }
            // Wait until listening has started or failed.
            let (results, result) = AsyncStream<(any Error)?>.makeStream()
            let task = Task { [server] in
                do {
                    try await server.run()
                } catch {
                    result.yield(error)
                }
            }
            running.withLock { $0 = task }
            let listening = Task { [server] in
                try await server.waitUntilListening()
                result.yield(nil)
            }
            defer { listening.cancel() }
            var first = results.makeAsyncIterator()
            if let error = await first.next() ?? nil {
                throw InspectorError(
                    .unavailable,
                    "the inspector cannot listen on the port: choose another one, or 0 for any",
                    cause: error)
            }
            guard case .ip4(_, let port)? = await server.listeningAddress,
                let url = URL(string: "http://127.0.0.1:\(port)/\(token)/")
            else {
                throw InspectorError(.unavailable, "the inspector's port is unknown")
            }
            authority.withLock { $0 = ["127.0.0.1:\(port)", "localhost:\(port)"] }
            return url
        }

        func stop() async {
            await server.stop()
            cancel()
        }

        /// Stops the server without waiting.
        func cancel() { running.withLock { $0.take() }?.cancel() }

        // MARK: Requests

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            let hosts = authority.withLock { $0 }
            guard let host = request.headers[.host], hosts.contains(host.lowercased()) else {
                return .text(.forbidden, "The host of the request is not the inspector's address.")
            }
            if let origin = request.headers[HTTPHeader("Origin")],
                !hosts.contains(where: { origin.lowercased() == "http://\($0)" })
            {
                return .text(.forbidden, "The request comes from another page.")
            }
            let parts = request.target.path().split(
                separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].isEmpty, token.isEqual(to: parts[1]) else {
                return .text(.notFound, "There is no such page.")
            }
            switch (request.method, parts[2]) {
            case (.GET, ""): return .page(Page.html(nonce: Page.makeNonce()))
            case (.GET, "events"): return .events(await inspection.monitor.open())
            case (.GET, let name):
                var values: [String: String] = [:]
                for item in request.query { values[item.name] = item.value }
                return await report(String(name), Query(values))
            case (.POST, "action"): return await perform(request)
            default: return .text(.methodNotAllowed, "The inspector has no such method.")
            }
        }

        private func report(_ name: String, _ query: Query) async -> HTTPResponse {
            do {
                guard let json = try await inspection.report(name, query) else {
                    return .text(.notFound, "There is no such report.")
                }
                return .json(.ok, json)
            } catch {
                return .failure(error)
            }
        }

        private func perform(_ request: HTTPRequest) async -> HTTPResponse {
            guard inspection.options.allowsActions else {
                return .text(.forbidden, "The app does not allow actions.")
            }
            // Require this content type, because a form on another page cannot send it.
            guard request.headers[.contentType] == "application/json" else {
                return .text(.badRequest, "The request is not JSON.")
            }
            do {
                let body = try await request.bodyData
                let action = try JSONDecoder().decode(ActionRequest.self, from: body)
                let result = try await inspection.actions.perform(action)
                return .json(.ok, try JSONEncoder().encode(["result": result]))
            } catch {
                return .failure(error)
            }
        }
    }

    extension HTTPResponse {
        private static func make(
            _ code: HTTPStatusCode, _ type: String, _ body: HTTPBodySequence,
            _ more: [HTTPHeader: String] = [:]
        ) -> HTTPResponse {
            var headers = HTTPHeaders()
            headers[.contentType] = type
            headers[.cacheControl] = "no-store"
            headers[HTTPHeader("X-Content-Type-Options")] = "nosniff"
            headers[HTTPHeader("Referrer-Policy")] = "no-referrer"
            headers[HTTPHeader("Cross-Origin-Resource-Policy")] = "same-origin"
            for (name, value) in more { headers[name] = value }
            return HTTPResponse(statusCode: code, headers: headers, body: body)
        }

        fileprivate static func text(_ code: HTTPStatusCode, _ text: String) -> HTTPResponse {
            make(code, "text/plain; charset=utf-8", HTTPBodySequence(data: Data(text.utf8)))
        }

        fileprivate static func json(_ code: HTTPStatusCode, _ json: Data) -> HTTPResponse {
            make(
                code, "application/json",
                HTTPBodySequence(data: json, suggestedBufferSize: 1 << 16))
        }

        fileprivate static func page(_ page: Page) -> HTTPResponse {
            make(
                .ok, "text/html; charset=utf-8",
                HTTPBodySequence(data: page.html, suggestedBufferSize: 1 << 16),
                [
                    HTTPHeader("Content-Security-Policy"): page.policy,
                    HTTPHeader("X-Frame-Options"): "DENY",
                ])
        }

        fileprivate static func events(_ events: AsyncStream<Data>) -> HTTPResponse {
            make(.ok, "text/event-stream", HTTPBodySequence(from: EventBody(events: events)))
        }

        fileprivate static func failure(_ error: any Error) -> HTTPResponse {
            let message =
                switch error {
                case let error as BadRequest: error.message
                case let error as SyncError: "\(error.code): \(error.message)"
                default: "\(error)"
                }
            return text(.conflict, message)
        }
    }

    extension String {
        /// Compares two texts.
        ///
        /// The time that this takes does not depend on the position of the first difference.
        fileprivate func isEqual(to other: some StringProtocol) -> Bool {
            let (left, right) = (Array(utf8), Array(other.utf8))
            guard left.count == right.count else { return false }
            return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }

    /// A body of server-sent events, which are sent as they occur.
    private struct EventBody: AsyncBufferedSequence {
        typealias Element = UInt8

        let events: AsyncStream<Data>

        func makeAsyncIterator() -> Iterator { Iterator(events: events.makeAsyncIterator()) }

        struct Iterator: AsyncBufferedIteratorProtocol {
            var events: AsyncStream<Data>.Iterator
            private var rest = Data()

            init(events: AsyncStream<Data>.Iterator) { self.events = events }

            @concurrent mutating func next() async -> UInt8? {
                while rest.isEmpty {
                    guard let event = await events.next() else { return nil }
                    rest = event
                }
                return rest.popFirst()
            }

            @concurrent mutating func nextBuffer(suggested count: Int) async -> Data? {
                await events.next()
            }
        }
    }
#endif
