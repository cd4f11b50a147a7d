import Foundation
import Testing

@testable import Models

@Suite struct OutboxItemTests {
    static let message = Message(
        id: nil, channelURL: "c", channelType: .open, sender: Sender(id: "ann"), text: "hi",
        createdAt: 500)

    private func outboxItem(_ files: [UploadableFile]) -> OutboxItem {
        var message = Self.message
        message.newMessage = NewMessage(files: files)
        return OutboxItem(message, requestID: "r")
    }

    // MARK: Making

    @Test func outboxItemHasTheRequestIDChannelAndTimeOfItsMessage() {
        var unsent = Self.message
        unsent.newMessage = NewMessage("hi")
        unsent.sendingStatus = .failed
        unsent.errorCode = .ackTimeout
        let item = OutboxItem(unsent, requestID: "r")
        #expect(item.operation == .send && item.state == .pending)
        #expect(item.requestID == "r" && item.message?.requestID == "r")
        #expect(item.channelURL == "c" && item.channelType == .open && item.createdAt == 500)
        #expect(item.message?.sendingStatus == .pending && item.message?.errorCode == nil)
        #expect(item.newMessage == NewMessage("hi"))
    }

    @Test func aChangeNamesItsTarget() {
        var update = UserMessageUpdateParams()
        update.text = "hi!"
        let edit = OutboxItem(
            .update, requestID: "e", channelURL: "c", createdAt: 9, targetRequestID: "r",
            userMessageUpdateParams: update)
        #expect(edit.targetRequestID == "r" && edit.messageID == nil && edit.message == nil)
        #expect(edit.userMessageUpdateParams?.text == "hi!")
        let reaction = OutboxItem(
            .addReaction, requestID: "a", channelURL: "c", createdAt: 9, messageID: "7",
            reactionKey: "+1")
        #expect(reaction.messageID == "7" && reaction.reactionKey == "+1")
        #expect(reaction.newMessage == nil && reaction.files.isEmpty)
    }

    @Test func outboxItemHasItsGoldenBytes() {
        // On-disk format, do not change.
        let item = OutboxItem(
            .deleteReaction, requestID: "r", channelURL: "c", createdAt: 9, messageID: "7",
            reactionKey: "+1", follows: Position(createdAt: 8, messageID: "7"))
        #expect(
            item.serializedBytes == [
                0x0a, 1, 0x72,  // 1 request_id: "r"
                0x12, 1, 0x63,  // 2 channel_url: "c"
                0x18, 1,  // 3 channel_type: group
                0x20, 4,  // 4 operation: delete_reaction
                0x30, 9,  // 6 created_at: 9
                0x42, 1, 0x37,  // 8 message_id: "7"
                0x52, 2, 0x2b, 0x31,  // 10 reaction_key: "+1"
                0xa0, 0x01, 8,  // 20 follows_created_at: 8
                0xaa, 0x01, 1, 0x37,  // 21 follows_message_id: "7"
            ])
    }

    @Test func unknownOperationReadsAsASendWithoutAMessage() throws {
        let bytes: [UInt8] = [0x0a, 1, 0x72, 0x20, 9]
        let item = try OutboxItem(serialized: bytes)
        #expect(item.operation == .send && item.message == nil)
        #expect(item.serializedBytes == bytes)
    }

    // MARK: Place and time

    @Test func outboxItemIsListedAfterTheNewestKnownPosition() {
        let position = Position(createdAt: 400, messageID: "7")
        var item = OutboxItem(Self.message, requestID: "r", follows: position)
        #expect(item.follows == position)
        #expect(item.followsCreatedAt == 400 && item.followsMessageID == "7")
        item.follows = nil
        #expect(item == OutboxItem(Self.message, requestID: "r"))
        #expect(item.follows == nil)
        item.follows = position
        #expect(item == OutboxItem(Self.message, requestID: "r", follows: position))
    }

    @Test(arguments: [Timestamp.distantPast, -1, 0, 1, .distantFuture])
    func outboxItemCanFollowAnyPosition(_ time: Timestamp) throws {
        let position = Position(createdAt: time, messageID: "$a")
        let item = OutboxItem(Self.message, requestID: "r", follows: position)
        #expect(try OutboxItem(serialized: item.serialize()).follows == position)
    }

    @Test func lifetimeOfAnItemStartsWhenItIsWrittenOrResent() {
        var item = OutboxItem(Self.message, requestID: "r")
        #expect(item.waitingSince == 500)
        item.resend(at: 900)
        #expect(item.waitingSince == 900 && item.createdAt == 500)
    }

    // MARK: States

    @Test func anOutboxItemFailsTogetherWithItsMessage() {
        var item = OutboxItem(Self.message, requestID: "r")
        item.notBefore = 600
        item.fail(.mutedInChannel, message: "You are muted.")
        #expect(item.state == .failed && item.notBefore == nil)
        #expect(item.errorCode == .mutedInChannel && item.errorMessage == "You are muted.")
        #expect(item.message?.sendingStatus == .failed)
        #expect(item.message?.errorCode == .mutedInChannel)
        item.fail(.ackTimeout)
        #expect(item.errorCode == .ackTimeout && item.errorMessage == nil)
    }

    @Test func resentItemDiffersOnlyInItsTime() {
        var item = OutboxItem(Self.message, requestID: "r")
        item.isDoubtful = true
        item.attempts = 2
        let before = item
        item.fail(.ackTimeout, message: "no answer")
        item.resend(at: 900)
        #expect(item.resentAt == 900)
        item.resentAt = nil
        #expect(item == before)
    }

    @Test func aChangeThatFailsHasNoMessage() {
        var item = OutboxItem(
            .delete, requestID: "d", channelURL: "c", createdAt: 9, messageID: "7")
        item.fail(.requestFailed)
        #expect(item.state == .failed && item.message == nil)
        item.resend(at: 10)
        #expect(item.state == .pending && item.message == nil)
    }

    @Test(arguments: [ErrorCode.ackTimeout, .requestFailed, .mutedInChannel, .banned, .unknown])
    func itemIsResendableIfItsMessageIs(_ code: ErrorCode) {
        var item = OutboxItem(Self.message, requestID: "r")
        item.errorCode = code
        #expect(!item.isResendable)
        item.fail(code)
        #expect(item.isResendable == item.message?.isResendable)
        #expect(item.isResendable == code.isResendable)
        item.resend(at: 900)
        #expect(!item.isResendable)
    }

    // MARK: Files

    @Test func theFilesAreThoseOfTheParams() {
        let file = UploadableFile(path: "/a.png", name: "a.png")
        let other = UploadableFile(path: "/b.png")
        #expect(outboxItem([file]).files == [file])
        #expect(outboxItem([file, other]).files == [file, other])
        #expect(OutboxItem(Self.message, requestID: "r").files.isEmpty)
        #expect(outboxItem([]).files.isEmpty)
    }

    @Test func uploadedFilesLeaveTheIndicesToUpload() {
        var item = outboxItem([
            UploadableFile(path: "/a"), UploadableFile(url: "https://x/b"),
            UploadableFile(path: "/c"), UploadableFile(path: "/d"),
        ])
        #expect(item.indicesToUpload == [0, 2, 3])
        item.setUploadedFile(FileInfo(url: "https://x/c"), at: 2)
        #expect(item.indicesToUpload == [0, 3])
        #expect(item.uploadedFiles.map(\.url) == ["", "", "https://x/c"])
        #expect(item.uploadedFile(at: 2)?.url == "https://x/c")
        #expect([-1, 0, 1, 3, 4].allSatisfy { item.uploadedFile(at: $0) == nil })
        item.setUploadedFile(FileInfo(url: "https://x/a"), at: 0)
        item.setUploadedFile(nil, at: 2)
        #expect(item.uploadedFiles.map(\.url) == ["https://x/a"])
        #expect(item.indicesToUpload == [2, 3])
    }

    @Test func aCopyIsKeptForSomeFilesAndNotForOthers() throws {
        let files = ["/a", "/b", "/c"].map { UploadableFile(path: $0) }
        let fresh = outboxItem(files)
        var item = fresh
        func copy(_ name: String) -> FileCopy {
            var copy = FileCopy()
            (copy.name, copy.size, copy.sha256) = (name, 3, Data(repeating: 7, count: 32))
            return copy
        }
        item.setFileCopy(copy("1"), at: 1)
        #expect(item.fileCopies == [FileCopy(), copy("1")])
        item = try OutboxItem(serialized: item.serialize())
        #expect((-1...3).map { item.fileCopy(at: $0) } == [nil, nil, copy("1"), nil, nil])
        item.setFileCopy(copy("0"), at: 0)
        item.setFileCopy(nil, at: 1)
        #expect(item.fileCopies == [copy("0")])
        item.setFileCopy(nil, at: 0)
        #expect(item == fresh)
    }

    @Test func replacedFileIsUploadedInPlaceOfTheOldOne() {
        var item = outboxItem(["/a", "/b"].map { UploadableFile(path: $0) })
        item.setUploadedFile(FileInfo(url: "https://x/a"), at: 0)
        item.setUploadedFile(FileInfo(url: "https://x/b"), at: 1)
        item.replaceFile(at: 1, with: UploadableFile(path: "/c", name: "c"))
        #expect(item.files == [UploadableFile(path: "/a"), UploadableFile(path: "/c", name: "c")])
        #expect(item.message?.files.map(\.name) == [nil, "c"])
        #expect(item.indicesToUpload == [1])

        var single = outboxItem([UploadableFile(path: "/a")])
        single.replaceFile(at: 0, with: UploadableFile(path: "/c", name: "c"))
        #expect(single.files.map(\.path) == ["/c"] && single.message?.file?.name == "c")
    }
}
