#if Inspector
    import Foundation
    import Models
    import Sync

    /// The HTTP server of an inspector, on the loopback interface.
    ///
    /// Any web page in a browser on this machine can send requests to the port. Therefore the
    /// server requires the token in the path, the loopback address as the host, and the page as the
    /// origin, if there is one.
    final class InspectorServer: Sendable {
        private let inspection: Inspection
        private let token: String
        private let port: UInt16
        private let pause: @Sendable (Duration) async throws -> Void
        private let running = Locked<Task<Void, Never>?>(nil)
        private let authority = Locked<Set<String>>([])

        init(
            _ inspection: Inspection, token: String, port: UInt16,
            pause: @escaping @Sendable (Duration) async throws -> Void = {
                try await Task.sleep(for: $0)
            }
        ) {
            self.inspection = inspection
            self.token = token
            self.port = port
            self.pause = pause
        }

        /// Starts to listen, and returns the page's address; throws `unavailable` if the port is
        /// used.
        func start() throws(InspectorError) -> URL {
            let listener: HTTPListener
            do {
                listener = try HTTPListener(port: port, pause: pause)
            } catch {
                throw InspectorError(
                    .unavailable,
                    "the inspector cannot listen on the port: choose another one, or 0 for any",
                    cause: error)
            }
            guard let port = listener.port,
                let url = URL(string: "http://127.0.0.1:\(port)/\(token)/")
            else {
                throw InspectorError(.unavailable, "the inspector's port is unknown")
            }
            authority.withLock { $0 = ["127.0.0.1:\(port)", "localhost:\(port)"] }
            let task = Task { [weak self] in
                await listener.run { [weak self] request in
                    await self?.respond(to: request)
                        ?? .text(.notFound, "The inspector has stopped.")
                }
            }
            running.withLock { $0 = task }
            return url
        }

        func stop() async {
            let task = running.withLock { $0.take() }
            task?.cancel()
            await task?.value
        }

        func cancel() { running.withLock { $0.take() }?.cancel() }

        // MARK: Requests

        func respond(to request: HTTPRequest) async -> HTTPResponse {
            let hosts = authority.withLock { $0 }
            guard let host = request.headers["host"], hosts.contains(host.lowercased()) else {
                return .text(.forbidden, "The host of the request is not the inspector's address.")
            }
            if let origin = request.headers["origin"],
                !hosts.contains(where: { origin.lowercased() == "http://\($0)" })
            {
                return .text(.forbidden, "The request comes from another page.")
            }
            let parts = request.path.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 3, parts[0].isEmpty, token.isEqual(to: parts[1]) else {
                return .text(.notFound, "There is no such page.")
            }
            switch (request.method, parts[2]) {
            case ("GET", ""): return .page(Page.html(nonce: Page.makeNonce()))
            case ("GET", "events"): return .events(await inspection.monitor.open())
            case ("GET", let name): return await report(String(name), Query(request.query))
            case ("POST", "action"): return await perform(request)
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
                return failure(error)
            }
        }

        private func perform(_ request: HTTPRequest) async -> HTTPResponse {
            guard inspection.options.allowsActions else {
                return .text(.forbidden, "The app does not allow actions.")
            }
            // A form on another page cannot send this content type.
            guard request.headers["content-type"] == "application/json" else {
                return .text(.badRequest, "The request is not JSON.")
            }
            do {
                let action = try JSONDecoder().decode(ActionRequest.self, from: request.body)
                let result = try await inspection.actions.perform(action)
                return .json(.ok, try JSONEncoder().encode(["result": result]))
            } catch {
                return failure(error)
            }
        }

        private func failure(_ error: any Error) -> HTTPResponse {
            .text(.conflict, TextMask(isOn: inspection.options.masksTexts).shown(error))
        }
    }

    extension HTTPResponse {
        static func text(_ status: Status, _ text: String) -> HTTPResponse {
            HTTPResponse(
                status: status, type: "text/plain; charset=utf-8", body: .data(Data(text.utf8)))
        }

        fileprivate static func json(_ status: Status, _ json: Data) -> HTTPResponse {
            HTTPResponse(status: status, type: "application/json", body: .data(json))
        }

        fileprivate static func page(_ page: Page) -> HTTPResponse {
            HTTPResponse(
                status: .ok, type: "text/html; charset=utf-8",
                headers: [
                    ("Content-Security-Policy", page.policy), ("X-Frame-Options", "DENY"),
                ], body: .data(page.html))
        }

        fileprivate static func events(_ events: AsyncStream<Data>) -> HTTPResponse {
            HTTPResponse(status: .ok, type: "text/event-stream", body: .stream(events))
        }
    }

    extension String {
        /// Compares two texts in a time that does not depend on the first difference.
        fileprivate func isEqual(to other: some StringProtocol) -> Bool {
            let (left, right) = (Array(utf8), Array(other.utf8))
            guard left.count == right.count else { return false }
            return zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
        }
    }
#endif
