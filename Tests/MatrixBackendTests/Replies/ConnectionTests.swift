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
            device.server.requests.prefix(4) == [
                "GET account/whoami", "POST refresh", "GET account/whoami", "GET account/whoami",
            ])
        #expect(
            device.server.authorizations.prefix(4)
                == ["Bearer t1", nil, "Bearer t2", "Bearer t2"])
    }

    /// The refresh token of the app may be that of the user who was connected before.
    @Test func refreshTokenOfAnotherUserRenewsNoSession() async throws {
        let device = Device(.refreshToken("r1"))
        try await device.connect()
        device.server.reply("GET sync", expired, status: 401)
        device.server.reply("POST refresh", #"{"access_token": "t2", "refresh_token": "r2"}"#)
        device.server.replace("GET account/whoami", #"{"user_id": "@mallory:example.org"}"#)
        #expect(await feedError(device)?.code == .sessionExpired)
        #expect(device.server.requests.last == "GET account/whoami")
    }

    // MARK: The end of a session

    private let expired = #"{"errcode": "M_UNKNOWN_TOKEN", "soft_logout": true}"#
    private let deleted = #"{"errcode": "M_UNKNOWN_TOKEN", "soft_logout": false}"#
    /// The reply of Synapse to a refresh token that was used or deleted.
    private let invalidRefresh =
        #"{"errcode": "M_FORBIDDEN", "error": "Refresh token isn't valid anymore"}"#

    /// Returns the error of a feed request.
    private func feedError(_ device: Device) async -> BackendError? {
        await #expect(throws: BackendError.self) { try await device.backend.feed(since: "s1") }
    }

    @Test func expiredTokensAreReplacedByALoginWithThePassword() async throws {
        let device = Device(.password("secret"))
        for token in ["1", "2"] {
            device.server.reply(
                "POST login",
                """
                {"user_id": "@alice:example.org", "access_token": "t\(token)",
                 "refresh_token": "r\(token)", "device_id": "PHONE"}
                """)
        }
        _ = try await device.backend.connect(as: Credentials(alice))
        device.server.reply("GET sync", expired, status: 401)
        device.server.reply("GET sync", #"{"next_batch": "s2"}"#)
        device.server.reply("POST refresh", invalidRefresh, status: 403)
        device.server.reply("GET joined_rooms", #"{"joined_rooms": []}"#)
        _ = try await device.backend.feed(since: "s1")
        #expect(
            device.server.requests.suffix(5)
                == ["GET sync", "POST refresh", "POST login", "GET sync", "GET joined_rooms"])
        #expect(device.server.authorizations.suffix(2) == ["Bearer t2", "Bearer t2"])
    }

    @Test func changedPasswordEndsTheSession() async throws {
        let device = Device(.password("secret"))
        device.server.reply(
            "POST login", #"{"user_id": "@alice:example.org", "access_token": "t1"}"#)
        device.server.reply(
            "POST login", #"{"errcode": "M_FORBIDDEN", "error": "Invalid password"}"#, status: 403)
        _ = try await device.backend.connect(as: Credentials(alice))
        device.server.reply("GET sync", deleted, status: 401)
        #expect(await feedError(device)?.code == .sessionRevoked)
    }

    @Test func softLogoutWithoutARefreshTokenIsAnExpiredSession() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("GET sync", expired, status: 401)
        let error = await feedError(device)
        #expect(error?.code == .sessionExpired && error?.detail == .sessionKeyExpired)
    }

    @Test func deletedDeviceIsARevokedSession() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("GET sync", deleted, status: 401)
        #expect(await feedError(device)?.code == .sessionRevoked)
    }

    /// A homeserver passes on the reply of another server, for example when it joins a room.
    @Test(
        arguments: [
            ("{}", 401), (#"{"errcode": "M_UNKNOWN_TOKEN", "soft_logout": true}"#, 401),
            (#"{"errcode": "M_UNKNOWN_TOKEN"}"#, 401), (#"{"errcode": "M_USER_DEACTIVATED"}"#, 403),
        ])
    func anotherServerCannotEndTheSession(reply: String, status: Int) async throws {
        let device = Device(.password("secret"))
        device.server.reply(
            "POST login", #"{"user_id": "@alice:example.org", "access_token": "t1"}"#)
        _ = try await device.backend.connect(as: Credentials(alice))
        device.server.reply("POST join/!x:evil.org", reply, status: status)
        device.server.reply("GET account/whoami", #"{"user_id": "@alice:example.org"}"#)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.perform(JoinChannel("!x:evil.org"))
        }
        #expect(error?.code == .refused)
        #expect(device.server.requests.count { $0 == "POST login" } == 1)

        device.server.reply("GET sync", deleted, status: 401)
        #expect(await feedError(device)?.code == .sessionRevoked)
    }

    @Test func sessionThatEndsDuringAnyRequestIsRevoked() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply("POST join/!x:evil.org", deleted, status: 401)
        device.server.replace("GET account/whoami", deleted, status: 401)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.perform(JoinChannel("!x:evil.org"))
        }
        #expect(error?.code == .sessionRevoked)
    }

    @Test func invalidRefreshTokenIsAnExpiredSession() async throws {
        let device = Device(.refreshToken("r1"))
        try await device.connect()
        device.server.reply("GET sync", expired, status: 401)
        device.server.reply("POST refresh", invalidRefresh, status: 403)
        #expect(await feedError(device)?.code == .sessionExpired)
    }

    @Test func tokenThatIsRevokedAfterItsRenewalIsARevokedSession() async throws {
        let device = Device(.refreshToken("r1"))
        try await device.connect()
        device.server.reply("GET sync", expired, status: 401)
        device.server.reply("GET sync", deleted, status: 401)
        device.server.reply("POST refresh", #"{"access_token": "t2", "refresh_token": "r2"}"#)
        device.server.reply("POST refresh", invalidRefresh, status: 403)
        #expect(await feedError(device)?.code == .sessionRevoked)
    }

    @Test func failedRenewalIsRetriedLater() async throws {
        let device = Device(.refreshToken("r1"))
        try await device.connect()
        device.server.reply("GET sync", expired, status: 401)
        device.server.reply("POST refresh", "", status: 502)
        device.server.reply("POST refresh", #"{"access_token": "t2"}"#)
        #expect(await feedError(device)?.isTransient == true)
        device.server.replace("GET sync", #"{"next_batch": "s2"}"#)
        device.server.reply("GET joined_rooms", #"{"joined_rooms": []}"#)
        _ = try await device.backend.feed(since: "s1")
    }

    @Test func newCredentialsReplaceRevokedTokens() async throws {
        let device = Device(.password("secret"))
        device.server.reply(
            "POST login", #"{"user_id": "@alice:example.org", "access_token": "t1"}"#)
        device.server.reply(
            "POST login", #"{"errcode": "M_FORBIDDEN", "error": "Invalid password"}"#, status: 403)
        _ = try await device.backend.connect(as: Credentials(alice))
        device.server.reply("GET account/whoami", deleted, status: 401)
        device.server.reply("GET account/whoami", #"{"user_id": "@alice:example.org"}"#)
        _ = try await device.backend.connect(as: Credentials(alice, accessToken: "t2"))
        #expect(device.server.authorizations.last == "Bearer t2")
    }

    /// Returns a connected device, whose server asks for a pause of a minute after a request.
    private func device(limiting request: String) async throws -> Device {
        let device = Device()
        try await device.connect()
        device.server.reply(
            request, #"{"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 60000}"#, status: 429)
        return device
    }

    @Test func rateLimitPausesFurtherRequests() async throws {
        let device = try await device(limiting: "GET sync")
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

    @Test func rateLimitOfAnInvitationPausesNoBan() async throws {
        let device = try await device(limiting: "POST rooms/!b:example.org/invite")
        device.server.reply("POST rooms/!b:example.org/ban", "{}")
        await #expect(throws: BackendError.self) {
            try await device.backend.perform(
                InviteUsers(["@eve:example.org"], to: "!b:example.org"))
        }
        try await device.backend.perform(
            RestrictUser("@eve:example.org", in: "!b:example.org", as: .banned))
    }

    /// A homeserver may pass on the reply of another one, on which the room is.
    @Test func rateLimitOfAJoinPausesNoOtherRoom() async throws {
        let device = try await device(limiting: "POST join/!a:example.net")
        device.server.reply("POST rooms/!b:example.org/invite", "{}")
        for _ in 1...2 {
            let error = await #expect(throws: BackendError.self) {
                try await device.backend.perform(JoinChannel("!a:example.net"))
            }
            #expect(error?.code == .throttled)
        }
        #expect(device.server.requests.count { $0.hasPrefix("POST join") } == 1)
        try await device.backend.perform(InviteUsers(["@bob:example.org"], to: "!b:example.org"))
    }

    @Test(arguments: [
        ("9223372036854775807", 15 * 60), ("86400000", 15 * 60), ("900000", 15 * 60), ("0", 0),
        ("-5000", 0), ("1e300", 1),
    ])
    func pauseThatTheServerRequestsHasALimit(milliseconds: String, seconds: Int) async throws {
        let device = Device()
        try await device.connect()
        device.server.reply(
            "GET sync", #"{"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": \#(milliseconds)}"#,
            status: 429)
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.feed(since: nil)
        }
        #expect(error?.retryAfter == .seconds(seconds))
    }

    @Test func pauseEndsWithTheConnection() async throws {
        let device = Device()
        try await device.connect()
        device.server.reply(
            "GET sync", #"{"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 900000}"#, status: 429)
        await #expect(throws: BackendError.self) { try await device.backend.feed(since: nil) }
        device.server.replace("GET sync", #"{"next_batch": "s1"}"#)
        try await device.connect()
        _ = try await device.backend.feed(since: nil)
    }

    @Test func disconnectedBackendThrowsNotConnected() async throws {
        let device = Device()
        let error = await #expect(throws: BackendError.self) {
            try await device.backend.feed(since: nil)
        }
        #expect(error?.code == .notConnected)
    }
}
