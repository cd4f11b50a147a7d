#if Inspector
    import FlyingSocks
    import Foundation
    import Testing

    @testable import ScrollbackInspector

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Tests the inspector's server with clients that are not browsers.
    @MainActor
    @Suite(.timeLimit(.minutes(10))) struct HTTPListenerTests {
        /// A server with its own way of waiting, of the inspector of a story.
        private static func server(
            _ story: InspectorStory, pause: @escaping @Sendable (Duration) async throws -> Void
        ) throws -> (server: InspectorServer, port: UInt16) {
            let server = InspectorServer(
                story.inspector.inspection, token: "secret", port: 0, pause: pause)
            return (server, UInt16(try server.start().port!))
        }

        private static func client(_ port: UInt16) async throws -> AsyncSocket {
            try await AsyncSocket.connected(to: .inet(ip4: "127.0.0.1", port: port), timeout: 60)
        }

        /// Returns all bytes until the server closes the connection.
        private static func rest(_ client: AsyncSocket) async throws -> String {
            var bytes: [UInt8] = []
            while let piece = try? await client.read(atMost: 4096) { bytes += piece }
            try client.close()
            return String(decoding: bytes, as: UTF8.self)
        }

        @Test(arguments: ["Host", "host", "Origin", "Content-Length"])
        func aHeaderThatOccursTwiceIsRefused(_ name: String) async throws {
            let story = try await InspectorStory()
            let port = UInt16(story.address.port!)
            let own =
                switch name.lowercased() {
                case "host": "127.0.0.1:\(port)"
                case "origin": "http://127.0.0.1:\(port)"
                default: "0"
                }
            for values in [[own], [own, "evil.example"], ["evil.example", own], [own, own]] {
                let client = try await Self.client(port)
                var lines = ["GET /secret/overview HTTP/1.1"]
                if name.lowercased() != "host" { lines.append("Host: 127.0.0.1:\(port)") }
                lines += values.map { "\(name): \($0)" }
                try await client.write(Data((lines + ["", ""]).joined(separator: "\r\n").utf8))
                let answer = try await Self.rest(client)
                let status = values.count == 1 ? "HTTP/1.1 200 OK" : "HTTP/1.1 400 Bad Request"
                #expect(answer.hasPrefix(status), "\(values): \(answer)")
            }
            await story.close()
        }

        @Test(arguments: [
            "", "GET / HTTP/1.1", "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
            "GET http://127.0.0.1/ HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost\r\n\r\n",
            "GET / HTTP/1.1\r\n: a\r\n\r\n", "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\nA: b\nHost: c\r\n\r\n",
            "GET / HTTP/1.1\r\nA: \u{0}\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHOST: a\r\n\r\n",
        ])
        func malformedHeadIsRefused(_ head: String) {
            #expect(throws: HTTPRequest.Refusal.self) { try HTTPRequest(head: Data(head.utf8)) }
        }

        @Test func headIsParsed() throws {
            let text =
                "POST /a%20b/?x=1&y=%26+&z HTTP/1.1\r\nHOST:  a \r\nContent-Length: 5\r\n\r\n"
            let request = try HTTPRequest(head: Data(text.utf8))
            #expect(request.method == "POST")
            #expect(request.path == "/a%20b/")
            #expect(request.query == ["x": "1", "y": "&+", "z": ""])
            #expect(request.headers == ["host": "a", "content-length": "5"])
            #expect(try request.bodyCount == 5)
        }

        @Test(arguments: [
            "Content-Length: -1", "Content-Length: +1", "Content-Length: 1, 1",
            "Content-Length: 65537", "Content-Length: 99999999999999999999",
            "Content-Length:", "Transfer-Encoding: chunked",
        ])
        func bodyOfUnknownOrExcessiveLengthIsRefused(_ header: String) throws {
            let head = Data("POST / HTTP/1.1\r\n\(header)\r\n\r\n".utf8)
            let request = try HTTPRequest(head: head)
            #expect(throws: HTTPRequest.Refusal.self) { try request.bodyCount }
        }

        @Test func endlessHeadersAreRefused() async throws {
            let story = try await InspectorStory()
            let client = try await Self.client(UInt16(story.address.port!))
            try await client.write(Data("GET / HTTP/1.1\r\nA: ".utf8))
            try await client.write(Data(repeating: 0x61, count: HTTPRequest.headLimit))
            #expect(try await Self.rest(client).hasPrefix("HTTP/1.1 431 "))
            await story.close()
        }

        @Test func connectionsWithoutACompleteRequestAreClosed() async throws {
            let story = try await InspectorStory()
            let (server, port) = try Self.server(story) { duration in
                // The time for a request passes immediately.
                if duration != HTTPListener.patience { try await Task.sleep(for: duration) }
            }
            for text in ["", "GET /secret/", "GET /secret/overview HTTP/1.1\r\nHost: a\r\n"] {
                let client = try await Self.client(port)
                // The server may have closed the connection already.
                try? await client.write(Data(text.utf8))
                #expect(try await Self.rest(client) == "")
            }
            await server.stop()
            await story.close()
        }

        @Test func numberOfConnectionsIsLimited() async throws {
            let story = try await InspectorStory()
            let (server, port) = try Self.server(story) { _ in
                try await Task.sleep(for: .seconds(3600))
            }
            var clients: [AsyncSocket] = []
            for _ in 0..<HTTPListener.connectionLimit {
                clients.append(try await Self.client(port))
            }
            for _ in 0..<3 {
                #expect(try await Self.rest(try await Self.client(port)) == "")
            }
            for client in clients { try client.close() }
            // The server accepts connections again as soon as it has noticed that the others ended.
            let address = URL(string: "http://127.0.0.1:\(port)/secret/")!
            while (try? await URLRequest("overview", at: address).answer().1) != 200 {
                await Task.yield()
            }
            await server.stop()
            await story.close()
        }
    }
#endif
