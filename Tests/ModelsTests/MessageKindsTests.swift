import Models
import Testing

@Suite struct MessageKindsTests {
    private func text(_ text: String) -> Message {
        Message(id: "1", channelURL: "c", text: text, createdAt: 1)
    }

    private func file(
        _ mimeType: String?, name: String? = nil, data: String? = nil
    ) -> MessageKinds {
        var message = text("")
        message.type = .file
        var file = FileInfo(url: "u", name: name, mimeType: mimeType)
        file.data = data
        message.file = file
        return message.kinds
    }

    @Test(arguments: [
        "https://a.de", "see http://a.de/x", "(HTTPS://A.de)", "www.a.de", "a WWW.a.de",
        "見てhttps://a.de", "x:http://é.de", "http://[::1]/", "_https://a.de",
    ])
    func textWithALinkIsALink(_ text: String) {
        #expect(self.text(text).kinds == .link)
    }

    @Test(arguments: [
        "", "a.de", "https://", "https:// a", "xhttps://a.de", "1http://a.de", "ftp://a.de",
        "www.", "www. a", "awww.a", "http:/a.de", "http//a.de", "wwww.a.de", "ttp://a", "://a",
    ])
    func otherTextIsOfNoKind(_ text: String) {
        #expect(self.text(text).kinds == [])
    }

    @Test func previewOfALinkIsALink() {
        var message = text("a.de")
        message.linkPreview = LinkPreview()
        #expect(message.kinds == .link)
    }

    @Test func mediaTypeDecidesTheKindOfAFile() {
        #expect(file("image/png") == .image && file("IMAGE/PNG", name: "a.mp4") == .image)
        #expect(file("video/mp4") == .video && file("audio/mpeg") == .audio)
        #expect(file("text/plain") == .otherFile && file("imagex/png") == .otherFile)
        #expect(file("application/pdf", name: "a.png") == .otherFile)
    }

    @Test func nameDecidesTheKindOfAFileWithoutMediaType() {
        #expect(file(nil, name: "A.JPG") == .image && file("", name: "a.b.mov") == .video)
        #expect(file("application/octet-stream", name: "a.mp3") == .audio)
        #expect(file(nil, name: "png") == .otherFile && file(nil) == .otherFile)
    }

    @Test func recordedVoiceIsNoOtherSound() {
        #expect(file("audio/m4a;sbu_type=voice") == .voice)
        #expect(file("audio/ogg", data: #"{"is_voice":true,"duration":3}"#) == .voice)
        #expect(file("audio/ogg", data: #"{"is_voice":false}"#) == .audio)
        #expect(file("audio/ogg", data: "is_voice") == .audio)
        // A decoder would read these bytes as UTF-16, in which long keys are not found.
        var encoded = ""
        for unit in "{\"is_voice\":true,\"x\":\"\u{7369}\u{765F}\u{696F}\u{6563}\"}".utf16 {
            encoded.unicodeScalars.append(Unicode.Scalar(UInt8(unit & 0xFF)))
            encoded.unicodeScalars.append(Unicode.Scalar(UInt8(unit >> 8)))
        }
        #expect(encoded.contains("is_voice") && file("audio/ogg", data: encoded) == .audio)
        #expect(file("video/mp4;voice") == .video && file("audio/voice") == .audio)
    }

    @Test func messageOfSeveralFilesHasTheKindsOfAll() {
        var message = text("www.a.de")
        message.type = .file
        message.files = ["image/png", "video/mp4"].map { FileInfo(url: "u", mimeType: $0) }
        #expect(message.kinds == [.image, .video, .link])
        message.files = []
        #expect(message.kinds == [.otherFile, .link])
    }

    @Test func filesAreReadFromBothFieldsOfServers() throws {
        let (one, two) = (FileInfo(url: "1"), FileInfo(url: "2"))
        var message = text("")
        #expect(message.files == [] && message.file == nil)
        message.files = [one]
        #expect(message.singleFile == one && message.fileList == [])
        #expect(ParentMessageInfo(message).files == [one])
        message.files = [one, two]
        #expect(message.singleFile == nil && message.file == one)
        #expect(ParentMessageInfo(message).files == [one, two])
        message.file = two
        #expect(message.files == [two] && message.fileList == [])
        (message.singleFile, message.fileList) = (nil, [one])  // a list of one file, as in JSON
        #expect(message.files == [one])
    }

    @Test func messageWithRepliesIsAThread() {
        var message = text("a")
        message.threadInfo = ThreadInfo(replyCount: 0, lastRepliedAt: nil, updatedAt: 1)
        #expect(message.kinds == [])
        message.threadInfo?.replyCount = 1
        #expect(message.kinds == .thread)
    }

    @Test func mentionIsOfItsUsers() {
        var message = text("@ann")
        message.sender = Sender(id: "bo")
        message.mentionedUserIDs = ["ann"]
        #expect(message.kinds == .mention && message.kinds(for: "ann") == .mention)
        #expect(message.kinds(for: "cy") == [] && message.kinds(for: nil) == [])
        message.mentionedUserIDs = []
        message.mentionedUsers = [User(id: "cy")]
        #expect(message.kinds(for: "cy") == .mention && message.kinds(for: "ann") == [])
    }

    @Test func mentionOfAllUsersIsOfEachExceptTheSender() {
        var message = text("@channel")
        message.sender = Sender(id: "bo")
        message.mentionType = .channel
        #expect(message.kinds == .mention && message.kinds(for: nil) == .mention)
        #expect(message.kinds(for: "ann") == .mention && message.kinds(for: "bo") == [])
    }

    /// Comparing such texts as Unicode texts takes quadratic time.
    @Test(.timeLimit(.minutes(10))) func longTextsWithManyMarksAreNotCompared() {
        let marks =
            String(repeating: "\u{301}", count: 1_000_000)
            + String(repeating: "\u{316}", count: 1_000_000)
        #expect(file(nil, name: "a.\(marks)") == .otherFile)
        #expect(file("a\(marks)", name: "a.png") == .otherFile)
        #expect(file("audio/a\(marks)", name: "a") == .otherFile)
        let data = #"{"a\#(marks)": 0, "is_voice": true, "é": "\#(marks)"}"#
        #expect(file("audio/ogg", data: data) == .voice)
    }

    @Test func kindsHaveNames() {
        let all = MessageKinds(rawValue: .max)
        #expect(
            "\(all)" == "image, video, audio, voice, otherFile, link, mention, thread"
                && "\(MessageKinds.files)" == "image, video, audio, voice, otherFile")
    }
}
