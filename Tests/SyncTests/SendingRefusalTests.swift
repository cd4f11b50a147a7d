import EmbeddedServer
import Foundation
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// A backend that refuses messages to channels with a certain custom type, and records its uploads.
private final class RefusingBackend: ForwardingBackend {
    let base: any Backend
    let uploads = Locked(0)

    init(base: any Backend) { self.base = base }

    func sendingRefusal(in channel: GroupChannel) -> BackendError? {
        channel.customType == "secret"
            ? BackendError(.refused, "\(channel.url) is encrypted", detail: .sendNotAllowed) : nil
    }

    func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        let channel = try await base.channel(item.channelURL)
        if let refusal = sendingRefusal(in: channel) { throw refusal }
        return try await base.send(item)
    }

    func upload(
        _ file: UploadableFile, from source: UploadSource, requestID: RequestID,
        progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws(BackendError) -> FileInfo {
        uploads.withLock { $0 += 1 }
        return try await base.upload(
            file, from: source, requestID: requestID, progress: progress)
    }
}

/// Tests channels to which the backend refuses to send.
@Suite(.timeLimit(.minutes(10))) struct SendingRefusalTests {
    private func makeSecret(_ story: Story) async throws {
        var patch = Patch<GroupChannel>()
        patch.set(\.customType, to: "secret")
        _ = try await story.alice.perform(UpdateChannel("general", with: patch))
    }

    private var file: NewMessage {
        var file = UploadableFile()
        file.data = Data([1])
        file.name = "a.bin"
        return NewMessage(files: [file])
    }

    @Test func refusedMessageIsNotStored() async throws {
        let story = try await Story()
        try await makeSecret(story)
        let engine = try await story.relaunched(backend: RefusingBackend(base: story.network))
        try await engine.caughtUp("general")
        let message = await #expect(throws: SyncError.self) {
            try await engine.send(NewMessage("a"), in: "general")
        }
        #expect(message?.code == .notPermitted)
        #expect((message?.cause as? BackendError)?.detail == .sendNotAllowed)
        let sent = await #expect(throws: SyncError.self) {
            try await engine.send(file, in: "general")
        }
        #expect(sent?.code == .notPermitted)
        #expect(try story.store.outboxItems().isEmpty)
        await engine.close()
        await story.close()
    }

    @Test func waitingMessageFailsAndItsFileIsNotUploaded() async throws {
        let story = try await Story()
        let backend = RefusingBackend(base: story.network)
        let engine = try await story.relaunched(backend: backend)
        try await engine.caughtUp("general")
        story.network.hold([.send], at: .beforeEffect)
        let first = try await engine.send(NewMessage("a"), in: "general")
        let second = try await engine.send(file, in: "general")
        try await story.held(1)
        try await makeSecret(story)
        try await story.until { try $0.groupChannel("general")?.customType == "secret" }
        story.network.stopHolding()
        let ids = [try #require(first.requestID), try #require(second.requestID)]
        guard case .sent = try await engine.deliveryResult(of: ids[0], in: "general"),
            case .failed(let item) = try await engine.deliveryResult(of: ids[1], in: "general")
        else {
            Issue.record("the first message is sent, and the second one fails")
            return
        }
        #expect(item.errorCode == .sendNotAllowed)
        #expect(backend.uploads.withLock { $0 } == 0)
        await engine.close()
        await story.close()
    }
}
