/// A block on a page that is not Swift, a prompt session or shell commands, and the test that
/// checks the block.
struct OtherBlock {
    let page: String
    /// The beginning of the block.
    ///
    /// The spaces before each line are left out.
    let start: String
    let look: Look

    enum Look {
        /// The name of the test that compares the block with actual output.
        case test(String)
        /// The reason why no test can check the block.
        case none(because: String)
    }

    init(_ page: String, _ start: String, _ look: Look) {
        (self.page, self.start, self.look) = (page, start, look)
    }

    func isAbout(_ block: CodeBlock) -> Bool {
        block.page == page && block.lines.joined(separator: "\n").hasPrefix(start)
    }

    static let all = [
        OtherBlock(
            "Docs/Architecture.md", "the server                          the screen",
            .none(because: "a drawing; the manifest says which module may import which")),
        OtherBlock(
            "Docs/EndToEnd.md", "the server", .none(because: "a drawing of the layers")),
        OtherBlock("Docs/Format.md", "62 0005", .test("pageShowsTheRowsOfATable")),
        OtherBlock(
            "Docs/Backends.md", "0 of 1 promises broken", .test("thePageShowsTheFirstReport")),
        OtherBlock("Docs/Backends.md", "1 of 57 promises broken", .test("thePageShowsTheReport")),

        OtherBlock(
            "Docs/Reliability.md", "SCROLLBACK_TRACE=", .test("storedTraceCanBeReplayed")),
        OtherBlock(
            "Docs/Reliability.md", "a               the cache has a",
            .test("knownTraceBreaksNoRule")),
        OtherBlock(
            "Docs/Reliability.md", "… b c           the cache has b and c",
            .test("knownTraceBreaksNoRule")),
        OtherBlock(
            "Docs/Reliability.md", "… c             the cache has c",
            .test("knownTraceBreaksNoRule")),

        // Stories. Before them, the notation.
        OtherBlock(
            "Docs/Collections.md", "a b c          three messages",
            .none(because: "says how the stories below are drawn")),
        OtherBlock(
            "Docs/Collections.md", "offline, cached            … b c",
            .test("offlineStartShowsTheCache")),
        OtherBlock(
            "Docs/Collections.md", "offline, cached            b a …",
            .test("offlineStartShowsTheCachedChannelList")),
        OtherBlock("Docs/Collections.md", "offline, send f", .test("sentMessageChangesItsStatus")),
        OtherBlock("Docs/Collections.md", "start at c's time", .test("windowMovesAsThePageShows")),
        OtherBlock("Docs/Collections.md", "d e f   ", .test("gapsAreFilledAsThePageShows")),
        OtherBlock(
            "Docs/Sync.md", "a b c          three messages",
            .none(because: "says how the stories below are drawn")),
        OtherBlock("Docs/Sync.md", "empty cache", .test("messageChangesAsThePageShows")),
        OtherBlock(
            "Docs/Sync.md", "offline                   a b c",
            .test("gapIsOpenedAndFilledAsThePageShows")),
        OtherBlock("Docs/Sync.md", "live  ", .test("cursorExpiresAsThePageShows")),
        OtherBlock("Docs/Sync.md", "offline, bob sends d", .test("outboxItemIsSentAsThePageShows")),
        OtherBlock("Docs/Sync.md", "a b c d e ", .test("evictionLeavesAGapAsThePageShows")),
        OtherBlock(
            "Docs/Sync.md", "the app is not running", .test("pushInboxIsReadAsThePageShows")),

        // Bytes and rows. A grammar itself cannot be checked, but the bytes that follow it are
        // compared.
        OtherBlock("Docs/Format.md", "$ echo 12023432", .test("protocOutputEqualsThePage")),
        OtherBlock(
            "Docs/Format.md", "cache\nmessage     :=",
            .none(because: "a grammar; KeyTests has the bytes of each key")),
        OtherBlock(
            "Docs/Format.md", "format    := 1 byte",
            .none(because: "a grammar; SearchIndexFormatTests has the bytes of each row")),
        OtherBlock("Docs/Format.md", "cache\n# gap", .test("theRowsOnThePageAreThoseOfAStore")),
        OtherBlock(
            "Docs/Format.md", "message     := 'm' channel position",
            .test("keysHaveTheirGoldenBytes")),
        OtherBlock(
            "Docs/Format.md", "last-user-sealed :=",
            .none(because: "a grammar; its nonce is random")),
        OtherBlock(
            "Docs/Format.md", "KEY     :=",
            .none(because: "a grammar; sealed files of before are read by EncryptionTests")),
        OtherBlock(
            "Docs/Format.md", "header  := \"SBSEAL\"",
            .none(because: "a grammar; sealed files of before are read by EncryptionTests")),
        OtherBlock(
            "Docs/Format.md", "table   :=",
            .none(because: "a grammar; sealed files of before are read by EncryptionTests")),
        OtherBlock(
            "Docs/Format.md", "block   :=",
            .none(because: "a grammar; sealed files of before are read by EncryptionTests")),
        OtherBlock(
            "Docs/Format.md", "name    := digits", .none(because: "a grammar; names are random")),
        OtherBlock(
            "Docs/Format.md", "53425345414c", .test("bytesOfACopyNeverChange")),
        OtherBlock(
            "Docs/Format.md", "download := check bytes",
            .none(because: "a grammar; the file below it is compared")),
        OtherBlock(
            "Docs/Format.md", "8820df341b2d", .test("bytesOfADownloadedFileNeverChange")),
        OtherBlock(
            "Docs/Format.md", "scrollback 1 messages",
            .test("theFileOnThePageIsTheOneThatIsWritten")),
        OtherBlock(
            "Docs/Format.md", "directory := readable",
            .test("directoryNameOfAUserNeverChanges")),
        OtherBlock(
            "Docs/Format.md", "file    := header line*",
            .none(because: "a grammar; the file above it is compared")),
        OtherBlock(
            "Docs/Format.md", "file    := \"scrollback sealed 1 \"",
            .none(because: "a grammar; its key and salt are random")),
        OtherBlock(
            "Docs/Format.md", "scrollback 1 drop", .test("theBytesOfADropNeverChange")),
        OtherBlock(
            "Docs/Format.md", "name    := number",
            .none(because: "a grammar; the test of the drop above it looks at the name, too")),

        OtherBlock(
            "Docs/Matrix.md", "make matrix-server",
            .none(because: "starts a homeserver, and asks for a password")),

        OtherBlock("Docs/Scripts.md", "$ printf", .test("scriptsPageShowsTheActualJSON")),
        OtherBlock(
            "Docs/Scripts.md", "With --json, each line is an object",
            .test("scriptsPageListsAllJSONKeys")),
    ]
}
