import MatrixBackend
import Models
import Sync
import Testing

/// Tests login, tokens and errors with prepared replies.
@Suite struct MatrixConnectionTests {
    private let alice = UserID("@alice:example.org")

    @Test func passwordLoginReturnsTheUserWithTheProfile() async throws {
        let device = Device(.password("secret"))
        device.server.reply(
            "POST login",
            #"{"user_id": "@alice:example.org", "access_token": "t1", "device_id": "PHONE"}"#)
        device.server.reply("GET profile/@alice:example.org", #"{"displayname": "Alice"}"#)
        let session = try await device.backend.connect(as: Credentials(alice))
        #expect(session.user.userID == alice && session.user.nickname == "Alice")
        #expect(device.server.requests == ["POST login", "GET profile/@alice:example.org"])
        #expect(device.server.authorizations == [nil, "Bearer t1"])
    }

    @Test func wrongPasswordIsRefused() async throws {
        let device = Device(.password("wrong"))
        device.server.reply(
            "POST login", #"{"errcode": "M_FORBIDDEN", "error": "Invalid password"}"#, status: 403)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.connect(as: Credentials(alice))
        }
        #expect(error?.code == .refused)
    }

    @Test func tokenOfAnotherUserIsRefused() async throws {
        let device = Device()
        device.server.reply("GET account/whoami", #"{"user_id": "@mallory:example.org"}"#)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.connect(as: Credentials(alice, accessToken: "token"))
        }
        #expect(error?.code == .refused)
    }

    @Test func expiredTokenIsRenewedOnce() async throws {
        let device = Device(.refreshToken("r1"))
        device.server.reply(
            "GET account/whoami", #"{"errcode": "M_UNKNOWN_TOKEN", "soft_logout": true}"#,
            status: 401)
        device.server.reply("GET account/whoami", #"{"user_id": "@alice:example.org"}"#)
        device.server.reply("POST refresh", #"{"access_token": "t2", "refresh_token": "r2"}"#)
        _ = try await device.backend.connect(as: Credentials(alice, accessToken: "t1"))
        #expect(
            device.server.requests.prefix(3)
                == ["GET account/whoami", "POST refresh", "GET account/whoami"])
        #expect(device.server.authorizations.prefix(3) == ["Bearer t1", nil, "Bearer t2"])
    }

    @Test func rateLimitPausesFurtherRequests() async throws {
        let device = Device()
        try await device.connect()
        let limited = #"{"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 60000}"#
        device.server.reply("GET sync", limited, status: 429)
        for (seconds, pause) in [(0, 60), (20, 40), (59, 1), (60, 60)] {
            device.clock.set(.seconds(seconds))
            let error = await #expect(throws: BackendError.self) {
                try await device.backend.feed(since: nil)
            }
            #expect(error?.code == .throttled)
            #expect(error?.retryAfter == .seconds(pause))
        }
        #expect(device.server.requests.filter { $0 == "GET sync" }.count == 2)
    }

    @Test func disconnectedBackendThrowsNotConnected() async throws {
        let device = Device()
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.feed(since: nil)
        }
        #expect(error?.code == .notConnected)
    }
}
