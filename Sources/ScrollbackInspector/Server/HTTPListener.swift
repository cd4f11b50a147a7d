#if Inspector
    import FlyingSocks
    import Foundation
    import Models

    /// Listens on the loopback interface, and answers one request on each connection.
    ///
    /// Any process of this machine can connect, so connections and the time for a request are
    /// limited.
    final class HTTPListener: Sendable {
        static let connectionLimit = 64
        /// The time in which a client has to send its request, and to accept each part of the
        /// response.
        static let patience = Duration.seconds(10)

        private let socket: Socket
        private let pause: @Sendable (Duration) async throws -> Void
        private let openCount = Locked(0)

        /// Starts to listen on a port, or on any free one if it is 0; throws `SocketError` if it
        /// cannot be used.
        init(
            port: UInt16, pause: @escaping @Sendable (Duration) async throws -> Void
        ) throws {
            var address = sockaddr_in.inet(port: port)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            socket = try Socket(domain: Int32(sockaddr_in.family))
            self.pause = pause
            do {
                try socket.setValue(true, for: .localAddressReuse)
                #if canImport(Darwin)
                    try socket.setValue(true, for: .noSIGPIPE)
                #endif
                try socket.bind(to: address)
                try socket.listen()
            } catch {
                try? socket.close()
                throw error
            }
        }

        var port: UInt16? {
            guard case .ip4(_, let port) = try? socket.sockname() else { return nil }
            return port
        }

        /// Answers requests until the task is canceled, and then closes all connections.
        func run(_ respond: @escaping @Sendable (HTTPRequest) async -> HTTPResponse) async {
            defer { try? socket.close() }
            let pool = HTTPListener.makePool()
            do {
                try await pool.prepare()
                let listener = try AsyncSocket(socket: socket, pool: pool)
                await withDiscardingTaskGroup { group in
                    group.addTask {
                        // The pool ends when the task is canceled.
                        try? await pool.run()
                    }
                    while !Task.isCancelled {
                        do {
                            let client = try await listener.accept()
                            guard open() else {
                                try? client.close()
                                continue
                            }
                            group.addTask {
                                await self.serve(client, respond)
                                self.openCount.withLock { $0 -= 1 }
                            }
                        } catch {
                            // The process may have too many open files now.
                            try? await pause(.milliseconds(250))
                        }
                    }
                    group.cancelAll()
                }
            } catch {
                // Without a pool, no connection can be accepted.
            }
        }

        private static func makePool() -> some AsyncSocketPool { .make() }

        private func open() -> Bool {
            openCount.withLock { count in
                guard count < HTTPListener.connectionLimit else { return false }
                count += 1
                return true
            }
        }

        private func serve(
            _ client: AsyncSocket, _ respond: @Sendable (HTTPRequest) async -> HTTPResponse
        ) async {
            defer { try? client.close() }
            // Close a connection that fails or takes too long.
            do {
                let response: HTTPResponse
                do {
                    let request = try await withDeadline {
                        try await HTTPListener.request(of: client)
                    }
                    response = await respond(request)
                } catch let refusal as HTTPRequest.Refusal {
                    response = .text(refusal.status, refusal.text)
                }
                try await write(response.head, to: client)
                switch response.body {
                case .data(let data):
                    let size = 1 << 16
                    for start in stride(from: 0, to: data.count, by: size) {
                        try await write(data.dropFirst(start).prefix(size), to: client)
                    }
                case .stream(let pieces):
                    for await piece in pieces { try await write(piece, to: client) }
                }
            } catch {}
        }

        private func write(_ data: Data, to client: AsyncSocket) async throws {
            try await withDeadline { try await client.write(data) }
        }

        private static func request(of client: AsyncSocket) async throws -> HTTPRequest {
            let end = Data("\r\n\r\n".utf8)
            var bytes = Data()
            var head: Range<Data.Index>?
            while head == nil {
                guard bytes.count <= HTTPRequest.headLimit else {
                    throw HTTPRequest.Refusal(
                        status: .headTooLong, text: "The headers are too long.")
                }
                let searched = max(0, bytes.count - end.count)
                bytes += try await client.read(atMost: 4096)
                head = bytes.range(of: end, in: searched..<bytes.count)
            }
            guard let head else { throw SocketError.disconnected }
            var request = try HTTPRequest(head: bytes[..<head.upperBound])
            request.body = bytes[head.upperBound...]
            let count = try request.bodyCount
            while request.body.count < count {
                request.body += try await client.read(atMost: count - request.body.count)
            }
            request.body = request.body.prefix(count)
            return request
        }

        private func withDeadline<Value: Sendable>(
            _ body: @escaping @Sendable () async throws -> Value
        ) async throws -> Value {
            try await withThrowingTaskGroup(of: Value.self) { group in
                group.addTask { try await body() }
                group.addTask { [pause] in
                    try await pause(HTTPListener.patience)
                    throw SocketError.disconnected
                }
                defer { group.cancelAll() }
                guard let value = try await group.next() else { throw CancellationError() }
                return value
            }
        }
    }
#endif
