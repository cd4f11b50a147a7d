import Foundation
import MatrixBackend
import Models
import ScrollbackTesting
import Sync
import Testing

/// Tests the promises of `HTTPTransport` with servers on loopback ports.
@Suite(.timeLimit(.minutes(10))) struct HTTPTransportTests {
    private let transport = URLSessionTransport()

    private func request(
        _ server: LoopbackServer, maximumByteCount: Int = 1 << 20
    ) -> HTTPRequest {
        HTTPRequest("GET", server.url, maximumByteCount: maximumByteCount)
    }

    @Test(arguments: [301, 302, 303, 307, 308], ["GET", "POST"])
    func redirectIsReturnedAndNotFollowed(status: Int, method: String) async throws {
        let other = try LoopbackServer { $0.reply() }
        let target = other.url.absoluteString
        let server = try LoopbackServer { $0.reply(status, "Location: \(target)/there") }
        var request = request(server)
        request.method = method
        request.headers["Authorization"] = "Bearer token"
        if method == "POST" { request.body = .data(Data("{}".utf8)) }
        let reply = try await transport.send(request)
        #expect(reply.status == status && reply.location == "\(target)/there")
        #expect(server.tokens == ["token"])
        #expect(other.requests == [])
        server.stop()
        other.stop()
    }

    @Test func endlessReplyEndsAtItsLimit() async throws {
        let (ended, recorder) = AsyncStream<Void>.makeStream()
        let server = try LoopbackServer { connection in
            connection.write("HTTP/1.1 200 OK\r\n\r\n")
            // On Linux, Foundation handles no other request while bytes arrive as fast as it reads
            // them. It reads small pieces faster.
            let piece = Data(repeating: 0x20, count: 256)
            while connection.write(piece) {}
            recorder.yield()
        }
        let error = await #expect(throws: BackendError.self) {
            try await transport.send(request(server, maximumByteCount: 1 << 20))
        }
        #expect(error?.code == .unanswered && error?.detail == .malformedData)
        // The transport closes the connection.
        for await _ in ended { break }
        server.stop()
    }

    /// Servers of other users can make a field of `/sync` long, and the client cannot exclude it.
    @Test func unneededFieldsDoNotCount() async throws {
        let long = String(repeating: "x", count: 1 << 20)
        let server = try LoopbackServer {
            $0.reply(body: #"{"to_device": {"events": ["\#(long)"]}, "next_batch": "s"}"#)
        }
        var request = request(server, maximumByteCount: 100)
        request.unneededFields = [UnneededField("to_device")]
        let reply = try await transport.send(request)
        #expect(
            String(decoding: reply.body, as: UTF8.self)
                == #"{"to_device":null, "next_batch": "s"}"#)
        request.unneededFields = [UnneededField("next_batch")]
        let error = await #expect(throws: BackendError.self) { try await transport.send(request) }
        #expect(error?.detail == .malformedData)
        server.stop()
    }

    @Test(arguments: [(9, true), (10, true), (11, false)])
    func declaredSizeIsLimited(count: Int, isAccepted: Bool) async throws {
        let server = try LoopbackServer { $0.reply(body: String(repeating: "x", count: count)) }
        let result = await Result { () async throws(BackendError) in
            try await transport.send(request(server, maximumByteCount: 10)).body.count
        }
        #expect((try? result.get()) == (isAccepted ? count : nil))
        server.stop()
    }

    @Test(arguments: [204, 304]) func declaredSizeMayBeNegative(status: Int) async throws {
        let server = try LoopbackServer {
            $0.write("HTTP/1.1 \(status) Status\r\nContent-Length: \(Int64.min)\r\n\r\n")
        }
        var request = request(server)
        request.unneededFields = [UnneededField("to_device")]
        #expect(try await transport.send(request).status == status)
        server.stop()
    }

    @Test func unreachableServerIsNotConnected() async throws {
        let server = try LoopbackServer { $0.reply() }
        server.stop()
        let error = await #expect(throws: BackendError.self) {
            try await transport.send(
                HTTPRequest("GET", URL(string: "http://127.0.0.1:1")!, maximumByteCount: 9))
        }
        #expect(error?.code == .notConnected)
    }

    @Test func statusThatAsksForAPasswordIsReturned() async throws {
        let server = try LoopbackServer {
            $0.reply(401, #"WWW-Authenticate: Basic realm="x""#, body: #"{"errcode": "M"}"#)
        }
        let reply = try await transport.send(request(server))
        #expect(reply.status == 401 && reply.body == Data(#"{"errcode": "M"}"#.utf8))
        server.stop()
    }

    @Test(arguments: ["gibberish\r\n\r\n", "HTTP/9.9 999\r\n\r\n", "\0\u{1}\u{2}", ""])
    func replyThatIsNotHTTPIsUnanswered(text: String) async throws {
        let server = try LoopbackServer { $0.write(text) }
        let error = await #expect(throws: BackendError.self) {
            try await transport.send(request(server))
        }
        #expect(error?.code == .unanswered)
        server.stop()
    }

    @Test func canceledRequestThrowsAtOnce() async throws {
        let arrived = AsyncStream<Void>.makeStream()
        let release = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { _ in
            arrived.continuation.yield()
            release.wait()
        }
        let task = Task { try await transport.send(request(server)).status }
        for await _ in arrived.stream { break }
        task.cancel()
        let error = await #expect(throws: BackendError.self) { try await task.value }
        #expect(error?.code == .canceled)
        release.signal()
        server.stop()
    }

    /// A member of a room may keep files on a server that does not answer.
    @Test func downloadsDoNotDelayOtherRequests() async throws {
        let (arrivals, recorder) = AsyncStream<Void>.makeStream()
        let release = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { connection in
            if connection.request.hasSuffix("/file") {
                recorder.yield()
                release.wait()
            }
            connection.reply()
        }
        var file = request(server)
        file.url = server.url.appending(path: "file")
        file.transfersFile = true
        // As many as a host has connections; the transport may open fewer.
        let files = (0..<12).map { [transport, file] _ in
            Task { try await transport.send(file).status }
        }
        for await _ in arrivals { break }
        #expect(try await transport.send(request(server)).status == 200)
        var upload = request(server)
        (upload.method, upload.transfersFile) = ("POST", true)
        #expect(try await transport.send(upload).status == 200)
        for _ in files { release.signal() }
        for file in files { #expect(try await file.value == 200) }
        server.stop()
    }

    /// Cancels requests while the server fails them, each at a random moment.
    @Test func requestsThatFailWhileTheyAreCanceledEnd() async throws {
        let seed = Int.random(in: 0...Int.max)
        print("seed \(seed) of canceled requests")
        let random = Locked(SeededRandom(seed: seed))
        let server = try LoopbackServer { connection in
            let choice = random.withLock { Int.random(in: 0..<6, using: &$0) }
            let pause = random.withLock { Int.random(in: 0..<200, using: &$0) }
            for _ in 0..<pause { sched_yield() }
            switch choice {
            case 0: connection.reset()
            case 1: connection.write("HTTP/1.1 200 O")
            case 2: connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123")
            case 3:
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n123")
                connection.reset()
            case 4: connection.reply()
            default: break
            }
        }
        let (transport, request) = (transport, request(server))
        // Steps of this queue do not wait for other tests, as those of a task would.
        let canceling = DispatchQueue(label: "canceling", attributes: .concurrent)
        /// Sends a request, cancels it after a number of steps, and returns its result.
        @Sendable func result(canceledAfter steps: Int) async -> String {
            let task = Task { () async -> String in
                do throws(BackendError) {
                    return "\(try await transport.send(request).status)"
                } catch { return "\(error.code)" }
            }
            canceling.async {
                for _ in 0..<steps { sched_yield() }
                task.cancel()
            }
            return await task.value
        }
        let results = await withTaskGroup(of: [String].self) { group in
            for chain in 1...20 {
                group.addTask {
                    var random = SeededRandom(seed: seed ^ chain)
                    var results: [String] = []
                    for _ in 0..<100 {
                        let steps = Int.random(in: 0..<1000, using: &random)
                        results.append(await result(canceledAfter: steps))
                    }
                    return results
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(results.count == 2000)
        #expect(Set(results).isSubset(of: ["200", "unanswered", "canceled"]), "\(Set(results))")
        server.stop()
    }
}

extension Result {
    fileprivate init(_ body: () async throws(Failure) -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
