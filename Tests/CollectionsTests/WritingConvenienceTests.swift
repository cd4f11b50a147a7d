import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Sync
import Testing

/// Tests the calls of a collection that take what an app has at hand: texts and messages.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct WritingConvenienceTests {
    private let story: Story

    init() async throws { story = try await Story() }

    private func view() async throws -> View {
        try await story.say("a")
        try await story.open()
        return try await story.startedView()
    }

    @Test func textIsSentEditedAndDeleted() async throws {
        let view = try await view()
        try await view.collection.send("b")
        await view.shows("a b")
        try await view.collection.edit(try #require(view.collection.messages.last), text: "c")
        await view.shows("a c")
        try await view.collection.delete(try #require(view.collection.messages.last))
        await view.shows("a")
        try await story.end()
    }

    @Test func fileMessageIsEdited() async throws {
        let view = try await view()
        await story.engine.disconnect()
        let file = UploadableFile(Data([1]), name: "b.txt")
        try await view.collection.send(NewMessage("b", files: [file]))
        try await view.collection.edit(try #require(view.collection.messages.last), text: "c")
        #expect(view.picture == "a (c)")
        try await story.connect()
        await view.shows("a c")
        #expect(view.collection.messages.last?.file?.mimeType == "text/plain")
        try await story.end()
    }

    @Test func failedMessageIsResentOrDiscarded() async throws {
        let view = try await view()
        for (text, picture) in [("b", "a !b"), ("c", "a !b !c")] {
            story.network.failNext(of: [.send], with: BackendError(.refused, "no"))
            try await view.collection.send(text)
            await view.shows(picture)
        }
        let failed = view.collection.failedMessages
        #expect(try await view.collection.discard(failed[1]))
        #expect(view.picture == "a !b")
        try await view.collection.resend(failed[0])
        await view.shows("a b")
        let other = try #require(view.collection.messages.first)
        await #expect(throws: SyncError.self) { try await view.collection.resend(other) }
        await #expect(throws: SyncError.self) { try await view.collection.discard(other) }
        try await story.end()
    }

    @Test func keysOfTheAppAreSentWithTheMessage() async throws {
        let view = try await view()
        var new = NewMessage("b")
        new.extra = ["mood": "sunny"]
        let sent = try await view.collection.send(new)
        #expect(sent.message.extra == ["mood": "sunny"])
        await view.shows("a b")
        await view.until { $0.collection.messages.last?.sendingStatus == .succeeded }
        #expect(view.collection.messages.last?.extra == ["mood": "sunny"])
        try await story.end()
    }

    /// Other members could not download such a file.
    @Test(arguments: ["file:///etc/hostname", "/etc/hostname"])
    func fileURLIsNotSentAsAnAddress(_ url: String) async throws {
        let view = try await view()
        let new = NewMessage(files: [UploadableFile(url: url)])
        do throws(SyncError) {
            try await view.collection.send(new)
            Issue.record("the message was sent")
        } catch {
            #expect(error.code == .invalidFile)
        }
        #expect(view.picture == "a")
        try await story.end()
    }
}
