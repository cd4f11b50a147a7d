import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Sync
import Testing

/// Tests which delegate calls are made while a message is sent, and which sending status the
/// message has in each call.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct SendingTableTests {
    private let story: Story

    init() async throws { story = try await Story() }

    private func view() async throws -> View {
        try await story.say("a")
        try await story.open()
        let view = try await story.startedView()
        _ = view.notifications()
        return view
    }

    @Test func sentMessage() async throws {
        let view = try await view()
        try await view.collection.send(NewMessage("b"))
        await view.shows("a b")
        await view.hears("updated b: eventMessageSent, succeeded")
        #expect(
            view.messageNotifications == [
                "added b: localMessagePendingCreated, pending",
                "updated b: eventMessageSent, succeeded",
            ])
        try await story.end()
    }

    @Test func refusedMessageIsResent() async throws {
        let view = try await view()
        story.network.failNext(of: [.send], with: BackendError(.refused, "refused"))
        let message = try await view.collection.send(NewMessage("b")).message
        await view.shows("a !b")
        #expect(view.collection.failedMessages.map(\.text) == ["b"])
        try await view.collection.resend(message.requestID!)
        #expect(view.picture == "a (b)" || view.picture == "a b")
        await view.shows("a b")
        #expect(
            view.messageNotifications == [
                "added b: localMessagePendingCreated, pending",
                "updated b: localMessageFailed, failed",
                "updated b: localMessageResendStarted, pending",
                "updated b: eventMessageSent, succeeded",
            ])
        #expect(view.collection.failedMessages.isEmpty)
        try await story.end()
    }

    @Test func failedMessageIsRemoved() async throws {
        let view = try await view()
        story.network.failNext(of: [.send], with: BackendError(.refused, "refused"))
        let message = try await view.collection.send(NewMessage("b")).message
        await view.shows("a !b")
        #expect(
            try await view.collection.discardFailedItems([message.requestID!])
                == [message.requestID!])
        #expect(view.picture == "a")
        #expect(
            view.messageNotifications == [
                "added b: localMessagePendingCreated, pending",
                "updated b: localMessageFailed, failed",
                "deleted b: localMessageCanceled, failed",
            ])
        try await story.end()
    }

    @Test func aMessageThatIsCanceled() async throws {
        let view = try await view()
        await story.engine.disconnect()
        let message = try await view.collection.send(NewMessage("b")).message
        #expect(try await view.collection.cancel(message.requestID!))
        #expect(view.picture == "a")
        #expect(
            view.messageNotifications == [
                "added b: localMessagePendingCreated, pending",
                "updated b: localMessageCanceled, canceled",
                "deleted b: localMessageCanceled, pending",
            ])
        await story.close()
    }

    @Test func messageOfAnotherUser() async throws {
        let view = try await view()
        let b = try await story.say("b")[0]
        await view.shows("a b")
        try await story.edit(b, to: "B")
        await view.shows("a B")
        try await story.react("+1", to: b)
        await view.hears("updated B: eventReactionUpdated, succeeded")
        try await story.delete(b)
        await view.shows("a")
        #expect(
            view.messageNotifications == [
                "added b: eventMessageReceived, succeeded",
                "updated B: eventMessageUpdated, succeeded",
                "updated B: eventReactionUpdated, succeeded",
                "deleted B: eventMessageDeleted, succeeded",
            ])
        try await story.end()
    }

    @Test func severalMessagesAreSentInTheirOrder() async throws {
        let view = try await view()
        await story.engine.disconnect()
        for word in ["b", "c", "d"] {
            try await view.collection.send(NewMessage(word))
        }
        #expect(view.picture == "a (b) (c) (d)")
        #expect(view.collection.pendingMessages.map(\.text) == ["b", "c", "d"])
        try await story.say("x")
        try await story.connect()
        await view.shows("a x b c d")
        #expect(view.collection.pendingMessages.isEmpty)
        try await story.end()
    }

    /// The channel is not cached before the message is sent.
    ///
    /// Its older messages arrive with the first page.
    @Test func messageSentBeforeTheFeedIsReported() async throws {
        try await story.say("a")
        story.network.hold([.feed, .messages])
        try await story.connect()
        let view = story.view()
        view.collection.start(.cacheOnly)
        try await view.collection.send(NewMessage("b"))
        await view.hears("updated b: eventMessageSent, succeeded")
        #expect(view.picture == "… b …")
        story.network.stopHolding()
        await view.shows("a b")
        #expect(
            view.messageNotifications.prefix(2) == [
                "added b: localMessagePendingCreated, pending",
                "updated b: eventMessageSent, succeeded",
            ])
        #expect(!view.messageNotifications.contains { $0.hasPrefix("deleted") })
        try await story.end()
    }

    @Test func uploadReportsProgress() async throws {
        let view = try await view()
        let file = UploadableFile(Data(repeating: 7, count: 1000), name: "a.bin")
        try await view.collection.send(NewMessage(files: [file]))
        await view.until { $0.items.last?.message?.messageID != nil }
        #expect(view.heard.contains("uploaded 1000 of 1000"))
        try await story.end()
    }
}

extension View {
    fileprivate var messageNotifications: [String] {
        heard.filter { !$0.hasPrefix("channel") && !$0.hasPrefix("uploaded") }
    }
}
