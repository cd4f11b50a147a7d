import Foundation
import Models
import Testing

@Suite struct UploadableFileTests {
    @Test func fileOnThisDeviceHasItsNameTypeAndSize() throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "\(UUID().uuidString) é.PNG")
        try Data([1, 2, 3]).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let file = UploadableFile(url)
        #expect(file.path == url.path(percentEncoded: false) && file.url == nil)
        #expect(file.name == url.lastPathComponent && file.mimeType == "image/png")
        #expect(file.size == 3)
        let missing = UploadableFile(URL(filePath: "/nowhere/a.unknown"), name: "b.pdf")
        #expect(missing.name == "b.pdf" && missing.mimeType == "application/pdf")
        #expect(missing.size == nil)
    }

    @Test func fileOnTheWebNeedsNoUpload() throws {
        let file = UploadableFile(try #require(URL(string: "https://example.org/a/b.jpeg?c=1")))
        #expect(file.url == "https://example.org/a/b.jpeg?c=1" && file.path == nil)
        #expect(file.name == "b.jpeg" && file.mimeType == "image/jpeg" && file.size == nil)
        let root = UploadableFile(try #require(URL(string: "https://example.org/")))
        #expect(root.name == nil && root.mimeType == nil)
    }

    @Test func dataHasATypeIfItsNameHasACommonExtension() {
        let file = UploadableFile(Data([1, 2]), name: "a.txt")
        #expect(file.data == Data([1, 2]) && file.size == 2)
        #expect(file.name == "a.txt" && file.mimeType == "text/plain")
        #expect(UploadableFile(Data(), name: "a").mimeType == nil)
        #expect(UploadableFile(Data(), name: "a.b", mimeType: "x/y").mimeType == "x/y")
    }

    @Test func newMessageHasTheTypeOfItsContent() {
        let files = ["a.png", "b.png"].map { UploadableFile(Data(), name: $0) }
        var new = NewMessage("hi")
        new.extra = ["mood": "sunny"]
        let text = Message(new, in: "c", by: nil, at: 1)
        #expect(text.type == .text && text.text == "hi" && text.extra == ["mood": "sunny"])
        let one = Message(NewMessage("hi", files: [files[0]]), in: "c", by: nil, at: 1)
        #expect(one.type == .file && one.files.map(\.name) == ["a.png"])
        let several = Message(NewMessage(files: files), in: "c", by: nil, at: 1)
        #expect(several.type == .file && several.files.map(\.name) == ["a.png", "b.png"])
    }
}
