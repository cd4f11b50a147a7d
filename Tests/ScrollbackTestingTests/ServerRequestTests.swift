import Foundation
import Models
import Sync
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests the parts that backends of HTTP servers share.
@Suite struct ServerRequestTests {
    // MARK: Errors

    @Test(arguments: [
        (301, "unanswered"), (400, "refused"), (401, "sessionExpired"), (403, "refused"),
        (404, "notFound"), (405, "unsupported"), (408, "unanswered"), (409, "refused"),
        (410, "expired"), (413, "refused"), (429, "throttled"), (500, "unanswered"),
        (501, "unsupported"), (502, "unanswered"), (503, "unanswered"), (-1, "refused"),
    ])
    func statusDeterminesTheCode(status: Int, code: String) {
        let error = BackendError(httpStatus: status, "GET messages")
        #expect(error.code.description == code)
        #expect(error.message == "GET messages")
        #expect(error.retryAfter == (status == 429 ? .seconds(1) : nil))
    }

    @Test(arguments: [
        ("7", Duration.seconds(7)), (" 0.5 ", .milliseconds(500)), ("-3", .zero),
        ("1e300", .seconds(86_400)), ("nan", nil), ("", nil), ("soon", nil),
        ("Wed, 21 Oct 2015 07:28:10 GMT", .seconds(10)),
        ("Wed, 21 Oct 2015 07:27:00 GMT", .zero),
        ("Sun, 21 Oct 2029 07:28:00 GMT", .seconds(86_400)),
    ])
    func retryAfterIsSecondsOrADate(text: String, pause: Duration?) throws {
        let now = Timestamp(milliseconds: 1_445_412_480_000)
        let limited = BackendError(httpStatus: 429, "GET messages", retryAfter: text, now: now)
        #expect(limited.code == .throttled && limited.retryAfter == pause ?? .seconds(1))
        let down = BackendError(httpStatus: 503, "GET messages", retryAfter: text, now: now)
        #expect(down.code == (pause == nil ? .unanswered : .throttled))
        #expect(down.retryAfter == pause)
        let other = BackendError(httpStatus: 404, "GET messages", retryAfter: text, now: now)
        #expect(other.retryAfter == nil)
    }

    @Test func numberOfTheServerReplacesThatOfTheStatus() {
        #expect(BackendError(httpStatus: 403, "no").detail == .notAuthorized)
        #expect(BackendError(httpStatus: 403, "no", detail: .banned).detail == .banned)
    }

    @Test func errorOfAResponse() throws {
        let url = try #require(URL(string: "https://chat.example/rooms"))
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 429, httpVersion: nil, headerFields: ["Retry-After": "9"]))
        #expect(
            throws: BackendError(
                .throttled, "GET /rooms", detail: .rateLimitExceeded, retryAfter: .seconds(9))
        ) {
            try check(response, to: URLRequest(url: url))
        }
    }

    private func check(_ response: HTTPURLResponse, to request: URLRequest) throws(BackendError) {
        guard !(200..<300).contains(response.statusCode) else { return }
        throw BackendError(
            httpStatus: response.statusCode,
            "\(request.httpMethod ?? "GET") \(request.url?.path ?? "")",
            retryAfter: response.value(forHTTPHeaderField: "Retry-After"))
    }

    @Test func failureOfTheTransportDeterminesTheCode() throws {
        let request = URLRequest(url: try #require(URL(string: "https://chat.example/rooms")))
        let codes: [(URLError.Code, BackendError.Code)] = [
            (.cannotConnectToHost, .notConnected), (.notConnectedToInternet, .notConnected),
            (.timedOut, .unanswered), (.networkConnectionLost, .unanswered),
            (.cancelled, .canceled),
        ]
        for (code, expected) in codes {
            let error = BackendError(URLError(code), of: request)
            #expect(error.code == expected)
            #expect(error.message.hasPrefix("GET /rooms: "))
        }
    }

    // MARK: Lists

    @Test func listIsReturnedInPages() throws {
        let list = ["a", "b", "c"]
        let first = try Page(list, after: nil, limit: 2) { $0 }
        #expect(first == Page(["a", "b"], next: "b"))
        #expect(try Page(list, after: first.next, limit: 2) { $0 } == Page(["c"], next: nil))
        #expect(try Page(list, after: nil, limit: 3) { $0 }.next == nil)
        #expect(try Page(list, after: nil, limit: 0) { $0 } == Page(["a"], next: "a"))
        let expired = #expect(throws: BackendError.self) {
            try Page(list, after: "d", limit: 2) { $0 }
        }
        #expect(expired?.code == .expired)
    }

    // MARK: Pages of messages

    /// A room with nine posts, of which the second and the third have the same time, the fourth and
    /// the fifth, and so on.
    private struct Room {
        let backend: TeamChatBackend
        let url: ChannelURL
        var messages: [Message] = []

        init(_ continuation: PageContinuation) async throws {
            let subject = TeamChatSubject()
            backend = TeamChatBackend(
                subject.server, waits: false, pagesByID: continuation == .messages)
            url = ChannelURL(await subject.server.makeRoom("room", members: ["alice"]))
            _ = try await backend.connect(as: Credentials("alice"))
            for number in 1...9 {
                subject.clock.isStopped = number % 2 == 1
                var message = Message(id: nil, channelURL: url, text: "\(number)", createdAt: 0)
                message.newMessage = NewMessage("\(number)")
                let item = OutboxItem(message, requestID: RequestID("\(number)"))
                messages.append(try await backend.send(item))
            }
        }

        func page(
            _ anchor: MessageAnchor, older: Int, newer: Int
        ) async throws(BackendError) -> MessagePage {
            try await backend.messages(in: url, at: anchor, older: older, newer: newer)
        }
    }

    private func text(_ page: MessagePage) -> String {
        let texts = page.messages.map(\.text).joined(separator: " ")
        return (page.older == nil ? "" : "… ") + texts + (page.newer == nil ? "" : " …")
    }

    @Test(arguments: [PageContinuation.messages, .times])
    func pageLiesAroundItsAnchor(continuation: PageContinuation) async throws {
        let room = try await Room(continuation)
        let (first, fourth, fifth) = (room.messages[0], room.messages[3], room.messages[4])
        #expect(fourth.createdAt == fifth.createdAt)
        let anchors: [(MessageAnchor, String)] = [
            (.newest, "… 8 9"), (.time(fourth.createdAt), "… 2 3 4 5 …"),
            (.time(.distantPast), "1 2 …"), (.time(.distantFuture), "… 8 9"),
            (.message(try #require(fifth.messageID)), "… 3 4 5 6 …"),
            (.message(try #require(first.messageID)), "1 2 …"),
        ]
        for (anchor, expected) in anchors {
            #expect(text(try await room.page(anchor, older: 2, newer: 2)) == expected)
        }
    }

    @Test(arguments: [PageContinuation.messages, .times])
    func cursorsContinueAPage(continuation: PageContinuation) async throws {
        let room = try await Room(continuation)
        var pages: [String] = []
        var cursor = try await room.page(.newest, older: 4, newer: 0).older
        while let next = cursor {
            let page = try await room.page(.cursor(next), older: 3, newer: 0)
            pages.append(page.messages.map(\.text).joined(separator: " "))
            cursor = page.older
        }
        #expect(pages == ["3 4 5", "1 2", ""])
        let fifth = try #require(room.messages[4].messageID)
        let empty = try await room.page(.message(fifth), older: 0, newer: 0)
        let older = try #require(empty.older)
        #expect(
            try await room.page(.cursor(older), older: 1, newer: 0).messages.map(\.text) == ["4"])
        let newer = try #require(empty.newer)
        #expect(
            try await room.page(.cursor(newer), older: 0, newer: 1).messages.map(\.text) == ["5"])
    }

    @Test(arguments: ["", "7", "{}x", "[1]"])
    func unknownCursorIsExpired(cursor: String) async throws {
        let room = try await Room(.times)
        let error = await #expect(throws: BackendError.self) {
            _ = try await room.page(.cursor(PageCursor(cursor)), older: 1, newer: 1)
        }
        #expect(error?.code == .expired)
    }
}

extension BackendError {
    /// Converts a failure of `URLSession`.
    init(_ error: URLError, of request: URLRequest) {
        let code: Code =
            switch error.code {
            case .cancelled: .canceled
            case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff,
                .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .secureConnectionFailed:
                .notConnected
            default: .unanswered
            }
        let name = "\(request.httpMethod ?? "GET") \(request.url?.path ?? "")"
        self.init(code, "\(name): \(error.localizedDescription)")
    }
}
