import Models
import Testing

@Suite struct FileInfoTests {
    @Test(arguments: [
        "", "/etc/passwd", "~/notes", "file:///etc/passwd", "FILE:/etc/passwd", " file:/etc/passwd",
        "fi\tle:/etc/passwd", "\u{1}file:/etc/passwd", "file:\u{301}/../etc/passwd",
        "\u{A0}file:/etc/passwd", "\u{FEFF}file:/etc/passwd",
    ])
    func addressOfALocalFileIsNoURLOfAServer(_ url: String) {
        #expect(!url.isURLOfServer)
    }

    @Test(arguments: [
        "https://example.org/a b", "mxc://example.org/a", "files/1", "HTTPS://example.org", "é.png",
        "profile:1",
    ])
    func otherAddressesAreURLsOfAServer(_ url: String) {
        #expect(url.isURLOfServer)
    }
}
