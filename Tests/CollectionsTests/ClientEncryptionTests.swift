import EmbeddedServer
import Foundation
import Models
import Store
import Sync
import Testing

@testable import Collections

/// A client with a key.
@Suite(.timeLimit(.minutes(10))) @MainActor struct ClientEncryptionTests {
    private let key = EncryptionKey()

    /// Whether a text is in the name of a file of the application, or in a file.
    ///
    /// Of a short text, only a file that is no longer is looked into: chance writes three bytes, too.
    private func isReadable(_ text: String, in story: ClientStory) throws -> Bool {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: story.directory.path)
        return paths.contains { path in
            let bytes = FileManager.default.contents(
                atPath: story.directory.appending(path: path).path)
            if path.contains(text) || bytes == Data(text.utf8) { return true }
            return text.count > 5 && bytes?.range(of: Data(text.utf8)) != nil
        }
    }

    private func use(_ client: ChatClient) async throws {
        try await client.connect(as: Credentials("bob"))
        let collection = try client.makeMessageCollection(of: "general")
        _ = try await collection.start().value
        await client.close()
    }

    /// Opens the application without a network, and returns what it shows.
    private func shown(_ story: ClientStory, _ options: ChatClientOptions) async throws -> [String]
    {
        story.network.goOffline()
        let client = await story.open(options)
        #expect(client.currentUser?.userID == "bob")
        let collection = try client.makeMessageCollection(of: "general")
        collection.start()
        let texts = collection.messages.map(\.text)
        await client.close()
        return texts
    }

    @Test func whatIsHeldIsShownAndCannotBeRead() async throws {
        let story = try await ClientStory()
        try await story.say("canary")
        var options = story.options
        options.encryptionKey = key
        try await use(story.open(options))
        #expect(try await shown(story, options) == ["canary"])
        for text in ["canary", "general", "bob"] {
            #expect(try !isReadable(text, in: story), "\(text)")
        }
        options.encryptionKey = EncryptionKey()
        let other = await story.open(options)
        #expect(other.currentUser == nil)
        _ = try? await other.connect(as: Credentials("bob"))
        #expect(other.cachingError?.code == .wrongKey && !other.isUsingLocalCaching)
        await other.close()
    }

    @Test func whatWasKeptWithoutAKeyIsEncrypted() async throws {
        let story = try await ClientStory()
        try await story.say("canary")
        try await use(story.open())
        #expect(try isReadable("canary", in: story) && isReadable("bob", in: story))
        var options = story.options
        options.encryptionKey = key
        try await use(story.open(options))
        #expect(try await shown(story, options) == ["canary"])
        for text in ["canary", "general", "bob"] {
            #expect(try !isReadable(text, in: story), "\(text)")
        }
    }
}
