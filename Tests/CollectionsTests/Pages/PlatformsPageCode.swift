import Collections
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// The code of Docs/Platforms.md, verbatim.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct PlatformsPageCode {
    private func receive(
        _ message: Message, of userID: UserID, _ container: URL, _ key: EncryptionKey?
    ) throws {
        // As in the app's ChatClientOptions: a directory in the container of an app group.
        let box = try PushInbox(
            of: userID, applicationID: "default", in: container.appending(path: "Scrollback"),
            encryptionKey: key)  // from a shared keychain group, or nil

        // The user is logged out: there is no push inbox.
        guard let box else { return }
        try box.leave([message])
    }

    @Test(arguments: [nil, EncryptionKey()])
    func messageOfAPushExtensionIsRead(key: EncryptionKey?) async throws {
        let story = try await ClientStory()
        let container = story.directory
        var options = story.options
        options.storage = .directory(container.appending(path: "Scrollback"))
        options.encryptionKey = key
        let message = try await story.say("a b")[1]
        // No user has ever been logged in.
        try receive(message, of: "bob", container, key)

        let client = try await story.open(options)
        try await client.connect(as: Credentials("bob"))
        await client.disconnect()
        try receive(message, of: "bob", container, key)
        #expect(try await client.readPushInbox().messages.map(\.text) == ["b"])
        await client.close()
    }
}
