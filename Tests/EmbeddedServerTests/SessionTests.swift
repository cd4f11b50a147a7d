import Foundation
import Models
import Store
import Sync
import Testing

@testable import EmbeddedServer

@Suite(.timeLimit(.minutes(10))) struct SessionTests {
    let world: World

    init() throws { world = try World() }

    @Test func connectingUserIsCreated() async throws {
        let client = world.server.client()
        let session = try await client.connect(as: Credentials("alice"))
        #expect(session.user == User(id: "alice"))
        #expect(session.epoch.rawValue == world.epoch)
        #expect(session.appInfo?.uploadSizeLimit == 25 << 20)
        world.server.conditions.requiresKnownUsers = true
        let error = await thrown { try await client.connect(as: Credentials("bob")) }
        #expect(error?.code == .sessionRevoked)
        #expect(error?.detail == .userNotExist)
    }

    @Test func accessTokenMustBelongToTheUser() async throws {
        try world.server.addUser(User(id: "alice", nickname: "Alice"), accessToken: "secret")
        let client = world.server.client()
        for token in [nil, "wrong"] {
            let error = await thrown {
                try await client.connect(as: Credentials("alice", accessToken: token))
            }
            #expect(error?.code == .sessionRevoked)
            #expect(error?.detail == .accessTokenNotValid)
        }
        let session = try await client.connect(
            as: Credentials("alice", accessToken: "secret"))
        #expect(session.user.nickname == "Alice")
    }

    @Test func anExpiredSessionIsRenewedByConnecting() async throws {
        try world.makeChannel("general", "alice")
        let alice = try await world.connect("alice")
        world.server.expireSessions(of: "alice")
        #expect(await thrown { try await alice.say("a") }?.code == .sessionExpired)
        _ = try await alice.connect(as: Credentials("alice"))
        try await alice.say("b")
        #expect(try await alice.texts() == ["b"])
    }

    @Test func revokedUserCannotConnect() async throws {
        let alice = try await world.connect("alice")
        try world.server.revokeUser("alice")
        #expect(await thrown { try await alice.feed(since: nil) }?.code == .sessionRevoked)
        let error = await thrown { try await alice.connect(as: Credentials("alice")) }
        #expect(error?.code == .sessionRevoked)
        try world.server.addUser(User(id: "alice"))
        #expect(try await alice.connect(as: Credentials("alice")).user.userID == "alice")
    }

    @Test func downloadedFileEqualsTheUploadedOne() async throws {
        let alice = try await world.connect("alice")
        var file = UploadableFile()
        file.name = "a.bin"
        let source = UploadSource(Data([1, 2, 3, 4, 5]))
        let steps = Locked<[Int]>([])
        let info = try await alice.upload(file, from: source, requestID: "r") { progress in
            steps.withLock { $0.append(progress.bytesTransferred) }
        }
        #expect(info.name == "a.bin")
        #expect(info.size == 5)
        #expect(info.url == "embedded://files/1")
        #expect(steps.withLock { $0 } == [1, 2, 3, 5])
        #expect(try await alice.download(info) == Data([1, 2, 3, 4, 5]))
        #expect(await thrown { try await alice.download(FileInfo(url: "x")) }?.code == .notFound)
        world.server.conditions.maximumFileByteCount = 4
        let error = await thrown {
            try await alice.upload(file, from: source, requestID: "r") { _ in }
        }
        #expect(error?.detail == .fileSizeLimitExceeded)
    }

    @Test func aFileMessageHasItsFile() async throws {
        try world.makeChannel("general", "alice")
        let alice = try await world.connect("alice")
        var file = UploadableFile()
        file.data = Data([1])
        var message = Message(type: .file, id: nil, channelURL: "general", createdAt: 0)
        message.newMessage = NewMessage(files: [
            file, UploadableFile(url: "https://elsewhere"),
        ])
        var item = OutboxItem(message, requestID: "r")
        let refused = await thrown { try await alice.send(item) }
        #expect(refused?.detail == .missingParameter)
        let info = try await alice.upload(
            file, from: UploadSource(Data([1])), requestID: "r"
        ) { _ in }
        item.setUploadedFile(info, at: 0)
        let sent = try await alice.send(item)
        #expect(sent.type == .file)
        #expect(sent.files.map(\.url) == ["embedded://files/1", "https://elsewhere"])
    }

    @Test func aCanceledTaskHasNoEffect() async throws {
        try world.makeChannel("general", "alice")
        let alice = try await world.connect("alice")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await thrown { try await alice.say("a") }
        }
        #expect(await task.value?.code == .canceled)
        #expect(try await alice.texts() == [])
    }
}
