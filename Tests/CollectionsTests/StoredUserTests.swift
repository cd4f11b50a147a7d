import Collections
import Foundation
import Models
import ScrollbackStorySupport
import Store
import Sync
import Testing

/// Tests listing and removing the files of users on a device without a connection.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct StoredUserTests {
    private let story: ClientStory

    init() async throws { story = try await ClientStory() }

    /// Leaves the files of bob, who has an unsent message, and of alice.
    private func leaveFiles() async throws {
        for user: UserID in ["bob", "alice"] {
            let client = try await story.open()
            try await client.connect(as: Credentials(user))
            try await client.engine.caughtUp()
            await client.disconnect()
            try await client.send(NewMessage("unsent"), in: "general")
            await client.close()
        }
    }

    private func outbox(of userID: UserID) throws -> Int {
        let store = try ChatStore(at: story.directory(of: userID))
        defer { store.close() }
        return try store.outboxItemCount()
    }

    @Test func usersAreListedWithoutAConnection() async throws {
        #expect(try await ChatClient.storedUsers(options: story.options) == [])
        try await leaveFiles()
        let users = try await ChatClient.storedUsers(options: story.options)
        #expect(users.map(\.userID) == ["alice", "bob"])
        #expect(users.allSatisfy { $0.byteCount > 0 && !$0.isEncrypted })
        #expect(users[1].directory.path == story.directory(of: "bob").path)
        var inMemory = story.options
        inMemory.storage = .inMemory
        #expect(try await ChatClient.storedUsers(options: inMemory) == [])
    }

    @Test func dataOfOneUserIsRemoved() async throws {
        try await leaveFiles()
        let before = try await ChatClient.storedUsers(options: story.options)
        try await ChatClient.removeStoredData(
            of: "bob", wiping: .cachedData, options: story.options)
        let users = try await ChatClient.storedUsers(options: story.options)
        #expect(users.map(\.userID) == ["alice", "bob"])
        #expect(users[0] == before[0] && users[1].byteCount < before[1].byteCount)
        #expect(try outbox(of: "bob") == 1)
        try await ChatClient.removeStoredData(
            of: "bob", wiping: .everything, options: story.options)
        #expect(try await ChatClient.storedUsers(options: story.options).map(\.userID) == ["alice"])
        try await ChatClient.removeStoredData(
            of: "nobody", wiping: .everything, options: story.options)
        try await ChatClient.removeAllStoredData(wiping: .everything, options: story.options)
        #expect(try await ChatClient.storedUsers(options: story.options) == [])
    }

    @Test func appRemovesTheFilesOfAllOtherUsers() async throws {
        try await leaveFiles()
        let (options, keep) = (story.options, UserID("alice"))
        let users = try await ChatClient.storedUsers(options: options)
        for user in users where user.userID != keep {
            guard let userID = user.userID else { continue }
            try await ChatClient.removeStoredData(of: userID, wiping: .everything, options: options)
        }
        #expect(try await ChatClient.storedUsers(options: options).map(\.userID) == [keep])
    }

    @Test func openFilesAreNotRemoved() async throws {
        try await leaveFiles()
        let client = try await story.open()
        #expect(client.currentUser?.userID == "alice")
        for wiping in ChatClient.Wiping.allCases {
            var error = await #expect(throws: SyncError.self) {
                try await ChatClient.removeStoredData(
                    of: "alice", wiping: wiping, options: story.options)
            }
            #expect((error?.cause as? StoreError)?.code == .locked)
            error = await #expect(throws: SyncError.self) {
                try await ChatClient.removeAllStoredData(wiping: wiping, options: story.options)
            }
            #expect((error?.cause as? StoreError)?.code == .locked)
        }
        #expect(try await ChatClient.storedUsers(options: story.options).count == 2)
        #expect(try outbox(of: "bob") == 1)
        await client.close()
    }

    @Test func plainAndEncryptedFilesOfAUserAreBothRemoved() async throws {
        try await leaveFiles()
        let plain = story.directory(of: "bob")
        var options = story.options
        options.encryptionKey = EncryptionKey()
        options.applicationID = "default"
        // An encrypted store of bob, next to his unencrypted one.
        _ = try ChatStore(
            at: story.directory(of: "bob", hidesUser: true),
            encryptionKey: options.encryptionKey
        ).close()
        let users = try await ChatClient.storedUsers(options: options)
        #expect(users.map(\.isEncrypted).filter { $0 }.count == 1)
        #expect(users.filter { $0.userID == nil }.count == 1)
        try await ChatClient.removeStoredData(of: "bob", wiping: .everything, options: options)
        #expect(!FileManager.default.fileExists(atPath: plain.path))
        #expect(try await ChatClient.storedUsers(options: options).map(\.userID) == ["alice"])
    }
}
