import Foundation
import Testing

@testable import Models

@Suite struct DraftTests {
    static let message = Message(
        id: nil, channelURL: "c", channelType: .open, sender: Sender(id: "ann"), text: "hi",
        createdAt: 500)

    private func draft(_ params: FileMessageCreateParams) -> Draft {
        var message = Self.message
        message.fileMessageParams = params
        return Draft(message, requestID: "r")
    }

    private func draft(_ files: [UploadableFile]) -> Draft {
        var message = Self.message
        message.multipleFilesMessageParams = MultipleFilesMessageCreateParams(files)
        return Draft(message, requestID: "r")
    }

    // MARK: Making

    @Test func aDraftOfAMessageHasItsNameChannelAndTime() {
        var unsent = Self.message
        unsent.userMessageParams = UserMessageCreateParams("hi")
        unsent.sendingStatus = .failed
        unsent.errorCode = .ackTimeout
        let draft = Draft(unsent, requestID: "r")
        #expect(draft.operation == .send && draft.state == .pending)
        #expect(draft.requestID == "r" && draft.message?.requestID == "r")
        #expect(draft.channelURL == "c" && draft.channelType == .open && draft.createdAt == 500)
        #expect(draft.message?.sendingStatus == .pending && draft.message?.errorCode == nil)
        #expect(draft.userMessageCreateParams == UserMessageCreateParams("hi"))
        #expect(draft.fileMessageCreateParams == nil)
        #expect(draft.multipleFilesMessageCreateParams == nil)
    }

    @Test func aChangeNamesItsTarget() {
        var update = UserMessageUpdateParams()
        update.text = "hi!"
        let edit = Draft(
            .update, requestID: "e", channelURL: "c", createdAt: 9, targetRequestID: "r",
            userMessageUpdateParams: update)
        #expect(edit.targetRequestID == "r" && edit.messageID == nil && edit.message == nil)
        #expect(edit.userMessageUpdateParams?.text == "hi!")
        let reaction = Draft(
            .addReaction, requestID: "a", channelURL: "c", createdAt: 9, messageID: 7,
            reactionKey: "+1")
        #expect(reaction.messageID == 7 && reaction.reactionKey == "+1")
        #expect(reaction.userMessageCreateParams == nil && reaction.files.isEmpty)
    }

    @Test func aDraftIsTheseBytes() {
        // DO NOT CHANGE: on people's disks.
        let draft = Draft(
            .deleteReaction, requestID: "r", channelURL: "c", createdAt: 9, messageID: 7,
            reactionKey: "+1", follows: Position(createdAt: 8, messageID: 7))
        #expect(
            draft.serializedBytes == [
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

    @Test func anOperationOfANewerVersionIsASendWithoutAMessage() throws {
        let bytes: [UInt8] = [0x0a, 1, 0x72, 0x20, 9]
        let draft = try Draft(serialized: bytes)
        #expect(draft.operation == .send && draft.message == nil)
        #expect(draft.serializedBytes == bytes)
    }

    // MARK: Place and time

    @Test func aDraftFollowsThePositionThatWasTheNewest() {
        let position = Position(createdAt: 400, messageID: 7)
        var draft = Draft(Self.message, requestID: "r", follows: position)
        #expect(draft.follows == position)
        #expect(draft.followsCreatedAt == 400 && draft.followsMessageID == 7)
        draft.follows = nil
        #expect(draft == Draft(Self.message, requestID: "r"))
        #expect(draft.follows == nil)
        draft.follows = position
        #expect(draft == Draft(Self.message, requestID: "r", follows: position))
    }

    @Test(arguments: [Timestamp.distantPast, -1, 0, 1, .distantFuture])
    func anyPositionCanBeFollowed(_ time: Timestamp) throws {
        let position = Position(createdAt: time, messageID: "$a")
        let draft = Draft(Self.message, requestID: "r", follows: position)
        #expect(try Draft(serialized: draft.serialize()).follows == position)
    }

    @Test func aDraftWaitsSinceItWasWrittenOrSentAgain() {
        var draft = Draft(Self.message, requestID: "r")
        #expect(draft.waitingSince == 500)
        draft.resend(at: 900)
        #expect(draft.waitingSince == 900 && draft.createdAt == 500)
    }

    // MARK: States

    @Test func aDraftFailsTogetherWithItsMessage() {
        var draft = Draft(Self.message, requestID: "r")
        draft.notBefore = 600
        draft.fail(.mutedInChannel, "You are muted.")
        #expect(draft.state == .failed && draft.notBefore == nil)
        #expect(draft.errorCode == .mutedInChannel && draft.errorMessage == "You are muted.")
        #expect(draft.message?.sendingStatus == .failed)
        #expect(draft.message?.errorCode == .mutedInChannel)
        draft.fail(.ackTimeout)
        #expect(draft.errorCode == .ackTimeout && draft.errorMessage == nil)
    }

    @Test func aDraftThatIsSentAgainIsAsItWasButForTheTime() {
        var draft = Draft(Self.message, requestID: "r")
        draft.isDoubtful = true
        draft.attempts = 2
        let before = draft
        draft.fail(.ackTimeout, "no answer")
        draft.resend(at: 900)
        #expect(draft.resentAt == 900)
        draft.resentAt = nil
        #expect(draft == before)
    }

    @Test func aChangeThatFailsHasNoMessage() {
        var draft = Draft(.delete, requestID: "d", channelURL: "c", createdAt: 9, messageID: 7)
        draft.fail(.networkError)
        #expect(draft.state == .failed && draft.message == nil)
        draft.resend(at: 10)
        #expect(draft.state == .pending && draft.message == nil)
    }

    @Test(arguments: [ErrorCode.ackTimeout, .networkError, .mutedInChannel, .banned, .unknown])
    func aDraftMayBeSentAgainWhereItsMessageMay(_ code: ErrorCode) {
        var draft = Draft(Self.message, requestID: "r")
        draft.errorCode = code
        #expect(!draft.isResendable)
        draft.fail(code)
        #expect(draft.isResendable == draft.message?.isResendable)
        #expect(draft.isResendable == code.isResendable)
        draft.resend(at: 900)
        #expect(!draft.isResendable)
    }

    // MARK: Files

    @Test func theFilesAreThoseOfTheParams() {
        let file = UploadableFile(path: "/a.png", name: "a.png")
        let other = UploadableFile(path: "/b.png")
        #expect(draft(FileMessageCreateParams(file)).files == [file])
        #expect(draft([file, other]).files == [file, other])
        #expect(Draft(Self.message, requestID: "r").files.isEmpty)
        #expect(draft(FileMessageCreateParams()).files.isEmpty)
    }

    @Test func whatIsUploadedNeedNotBeUploadedAgain() {
        var draft = draft([
            UploadableFile(path: "/a"), UploadableFile(url: "https://x/b"),
            UploadableFile(path: "/c"), UploadableFile(path: "/d"),
        ])
        #expect(draft.indicesToUpload == [0, 2, 3])
        draft.setUploadedFile(FileInfo(url: "https://x/c"), at: 2)
        #expect(draft.indicesToUpload == [0, 3])
        #expect(draft.uploadedFiles.map(\.url) == ["", "", "https://x/c"])
        #expect(draft.uploadedFile(at: 2)?.url == "https://x/c")
        #expect([-1, 0, 1, 3, 4].allSatisfy { draft.uploadedFile(at: $0) == nil })
        draft.setUploadedFile(FileInfo(url: "https://x/a"), at: 0)
        draft.setUploadedFile(nil, at: 2)
        #expect(draft.uploadedFiles.map(\.url) == ["https://x/a"])
        #expect(draft.indicesToUpload == [2, 3])
    }

    @Test func aCopyIsKeptForSomeFilesAndNotForOthers() throws {
        let files = ["/a", "/b", "/c"].map { UploadableFile(path: $0) }
        let fresh = draft(files)
        var draft = fresh
        func copy(_ name: String) -> FileCopy {
            var copy = FileCopy()
            (copy.name, copy.size, copy.sha256) = (name, 3, Data(repeating: 7, count: 32))
            return copy
        }
        draft.setFileCopy(copy("1"), at: 1)
        #expect(draft.fileCopies == [FileCopy(), copy("1")])
        draft = try Draft(serialized: draft.serialize())
        #expect((-1...3).map { draft.fileCopy(at: $0) } == [nil, nil, copy("1"), nil, nil])
        draft.setFileCopy(copy("0"), at: 0)
        draft.setFileCopy(nil, at: 1)
        #expect(draft.fileCopies == [copy("0")])
        draft.setFileCopy(nil, at: 0)
        #expect(draft == fresh)
    }

    @Test func replacedFileIsUploadedInPlaceOfTheOldOne() {
        var draft = draft(["/a", "/b"].map { UploadableFile(path: $0) })
        draft.setUploadedFile(FileInfo(url: "https://x/a"), at: 0)
        draft.setUploadedFile(FileInfo(url: "https://x/b"), at: 1)
        draft.replaceFile(at: 1, with: UploadableFile(path: "/c", name: "c"))
        #expect(draft.files == [UploadableFile(path: "/a"), UploadableFile(path: "/c", name: "c")])
        #expect(draft.message?.files.map(\.name) == [nil, "c"])
        #expect(draft.indicesToUpload == [1])

        var single = self.draft(FileMessageCreateParams(UploadableFile(path: "/a")))
        single.replaceFile(at: 0, with: UploadableFile(path: "/c", name: "c"))
        #expect(single.files.map(\.path) == ["/c"] && single.message?.file?.name == "c")
    }
}
