import Dispatch
import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

@Suite struct FileCacheTests {
    /// A temporary directory for a file cache.
    struct Directory: Sendable {
        private let place = ScratchDirectory()

        var url: URL { place.url }

        func cache(limit: Int = 100) throws -> FileCache {
            try FileCache(directory: url, limit: limit)
        }

        func file(_ name: String) -> URL { url.appending(path: name) }

        func file(of channel: ChannelURL) -> URL { file(CacheFile.messages(of: channel).name) }

        var names: [String] {
            get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
        }

        func attribute(_ key: FileAttributeKey, of url: URL) throws -> Int {
            let value = try FileManager.default.attributesOfItem(atPath: url.path)[key]
            return try #require(value as? NSNumber).intValue
        }
    }

    let directory = Directory()
    let cache: FileCache

    init() throws { cache = try directory.cache() }

    @Test func lockOfASuspendedProcessDoesNotBlockForEver() throws {
        try DiskFile.alone(directory.file("lock").path) { () throws(StoreError) in
            let error = #expect(throws: StoreError.self) {
                try FileCache.alone(in: directory.url.path, waiting: .zero) {
                    () throws(StoreError) in
                }
            }
            #expect(error?.code == .locked)
        }
    }

    func message(_ id: Int64, _ text: String = "Hi!", at time: Int64? = nil) -> Message {
        Message(
            id: "\(id)", channelURL: "general", text: text,
            createdAt: Timestamp(milliseconds: time ?? 1_700_000_000_000 + id))
    }

    func channel(_ url: ChannelURL, _ name: String) -> GroupChannel {
        GroupChannel(url: url, name: name, createdAt: 1_600_000_000_000)
    }

    // MARK: Format

    let golden = """
        scrollback 1 messages 1 Z2VuZXJhbA== ded65320d66f06fb
        EgI0MhiA0JX/vDEoAzIHCgVhbGljZToDSGkhQgdnZW5lcmFsiAEB 85627e6962dc6eb8

        """

    let goldenName = "0feae16d55365acf07fe9f909834361ba6ee606854746539230bdc84a6a24cee.messages"

    let goldenMessage = Message(
        id: "42", channelURL: "general", sender: Sender(id: "alice"), text: "Hi!",
        createdAt: 1_700_000_000_000)

    @Test func theBytesOfAFileNeverChange() throws {
        try cache.save([goldenMessage], in: "general")
        try cache.saveChannels([])
        #expect(try directory.names == [goldenName, "channels", "lock"])
        #expect(try String(contentsOf: directory.file(goldenName), encoding: .utf8) == golden)
        #expect(
            try String(contentsOf: directory.file("channels"), encoding: .utf8)
                == "scrollback 1 channels 0  1d8767bb33528723\n")
    }

    @Test func theFileOnThePageIsTheOneThatIsWritten() throws {
        let page = try Repository.text(of: "Docs/Format.md")
        let block = page.components(separatedBy: "```").first { $0.contains("\nscrollback 1 ") }
        #expect(block == "\n" + golden)
        #expect(page.contains(goldenName))
    }

    @Test func savedFileIsLoaded() throws {
        var edited = message(7, "Grüße, 👋\n")
        edited.updatedAt = 1_800_000_000_000
        #expect(try cache.save([edited, message(5)], in: "general"))
        let contents = try cache.load("general")
        #expect(contents.records == [message(5), edited])
        #expect(contents.damage.isEmpty && contents.damageCount == 0)

        let channels = [channel("b", "B"), channel("a", "A"), GroupChannel()]
        #expect(try cache.saveChannels(channels))
        #expect(try cache.loadChannels().records == channels)
        #expect(try cache.loadChannels().damage.isEmpty)
    }

    @Test func unsavedListIsEmpty() throws {
        #expect(try cache.load("general").records == [])
        #expect(try cache.load("general").damage == [])
        #expect(try cache.loadChannels().records == [])
        #expect(try cache.channels() == [])
        #expect(try cache.size() == 0)
        try cache.remove("general")
        try FileManager.default.removeItem(at: directory.url)
        #expect(try cache.load("general").records == [])
        #expect(try cache.size() == 0)
    }

    @Test func savingCreatesAMissingDirectory() throws {
        try FileManager.default.removeItem(at: directory.url)
        #expect(try cache.save([message(1)], in: "general"))
        #expect(try cache.load("general").records == [message(1)])
    }

    @Test func onlyTheOwnerHasAccess() throws {
        let directory = Directory()
        let inner = directory.url.appending(path: "alice/files")
        try FileCache(directory: inner).save([], in: "general")
        let key = FileAttributeKey.posixPermissions
        for directory in [directory.url, directory.file("alice"), inner] {
            #expect(try self.directory.attribute(key, of: directory) == 0o700)
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: inner.path) {
            #expect(try directory.attribute(key, of: inner.appending(path: name)) == 0o600)
        }
    }

    // MARK: Saved contents

    @Test func messagesThatWereNotSentAreLeftOut() throws {
        let states = MessageSendingStatus.allCases.enumerated().map { index, status in
            var message = message(Int64(index))
            message.sendingStatus = status
            return message
        }
        let item = Message(
            id: nil, channelURL: "general", requestID: "r", createdAt: 1_700_000_000_000)
        try cache.save(states + [item], in: "general")
        let kept = try cache.load("general").records
        #expect(kept.map(\.sendingStatus) == [.none, .succeeded])
    }

    @Test func theMostRecentByPositionAreKept() throws {
        let cache = try directory.cache(limit: 3)
        // Two messages have the same time. Numeric ids are ordered as numbers.
        let messages = [
            message(9, at: 30), message(10, at: 30), message(1, at: 40), message(2, at: 20),
        ]
        try cache.save(messages, in: "general")
        #expect(try cache.load("general").records.map(\.messageID) == ["9", "10", "1"])
        #expect(try cache.save(messages.reversed(), in: "general") == false)
    }

    @Test func lastOfSeveralMessagesWithOneIDIsSaved() throws {
        try cache.save([message(1, "old"), message(2), message(1, "new")], in: "general")
        #expect(try cache.load("general").records.map(\.text) == ["new", "Hi!"])
        try cache.saveChannels([channel("a", "old"), channel("b", "B"), channel("a", "new")])
        #expect(try cache.loadChannels().records.map(\.name) == ["B", "new"])
    }

    @Test func unencodableMessageIsOmitted() throws {
        let large = message(2, String(repeating: "x", count: 13 << 20))
        try cache.save([message(1), large], in: "general")
        #expect(try cache.load("general").records == [message(1)])
        let largest = message(2, String(repeating: "x", count: (12 << 20) - 100))
        try cache.save([message(1), largest], in: "general")
        #expect(try cache.load("general").records == [message(1), largest])
    }

    // MARK: Rewriting

    @Test func unchangedRowIsNotWritten() throws {
        let file = directory.file(of: "general")
        #expect(try cache.save([message(1), message(2)], in: "general"))
        let inode = try directory.attribute(.systemFileNumber, of: file)
        #expect(try cache.save([message(2), message(1)], in: "general") == false)
        #expect(try directory.attribute(.systemFileNumber, of: file) == inode)
        #expect(try cache.save([message(1), message(2, "Ho!")], in: "general"))
        #expect(try directory.attribute(.systemFileNumber, of: file) != inode)
    }

    @Test func rowChangedByAnotherWriterIsWritten() throws {
        let file = directory.file(of: "general")
        try cache.save([message(1)], in: "general")
        let bytes = try Data(contentsOf: file)
        var damaged = bytes
        damaged[damaged.count - 2] ^= 1
        try damaged.write(to: file)
        #expect(try cache.save([message(1)], in: "general"))
        #expect(try Data(contentsOf: file) == bytes)
        try FileManager.default.removeItem(at: file)
        #expect(try cache.save([message(1)], in: "general"))
        #expect(try Data(contentsOf: file) == bytes)
    }

    @Test func interruptedSaveKeepsTheOldFileAndIsCleanedUp() throws {
        try cache.save([message(1)], in: "general")
        let unfinished = directory.file(goldenName + ".new")
        let strange = directory.file("notes.new")
        try Data("scrollback 1 mess".utf8).write(to: unfinished)
        try Data("mine".utf8).write(to: strange)
        #expect(try cache.load("general").records == [message(1)])
        #expect(try cache.channels() == ["general"])

        #expect(try directory.cache().load("general").records == [message(1)])
        #expect(try directory.names == [goldenName, "lock", "notes.new"])

        try Data("scrollback 1 mess".utf8).write(to: unfinished)
        #expect(try cache.save([message(2)], in: "general"))
        #expect(try cache.load("general").records == [message(2)])
        #expect(try directory.names == [goldenName, "lock", "notes.new"])
    }

    @Test func concurrentSavesAndLoadsSeeCompleteFiles() throws {
        let url = directory.url
        let failures = Locked(0)
        let lists = (1...4).map { id in [message(Int64(id)), message(Int64(id + 10))] }
        try cache.save(lists[0], in: "general")
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            do {
                for round in 0..<10 {
                    // Opening a cache removes leftover files. It must not remove a file that
                    // another thread is writing.
                    let cache = try round == 5 ? FileCache(directory: url) : self.cache
                    try cache.save(lists[(thread + round) % 4], in: "general")
                    let contents = try cache.load("general")
                    if !contents.damage.isEmpty || !lists.contains(contents.records) {
                        failures.withLock { $0 += 1 }
                    }
                }
            } catch {
                Issue.record(error)
            }
        }
        #expect(failures.withLock { $0 } == 0)
        #expect(try directory.names == [goldenName, "lock"])
    }

    // MARK: Channels

    @Test func differentChannelsHaveDifferentFiles() throws {
        let urls: [ChannelURL] = [
            "", " ", "general", "General", "GENERAL", "\u{e9}", "e\u{301}", "..", "../general", "/",
            "/etc/passwd", "a/b", "a\0b", "\0", "a\nb", "channels", ".new", "lock", "👋", "\u{feff}",
            ChannelURL(String(repeating: "long", count: 100_000)),
        ]
        for (index, url) in urls.enumerated() { try cache.save([message(Int64(index))], in: url) }
        for (index, url) in urls.enumerated() {
            let contents = try cache.load(url)
            #expect(contents.records == [message(Int64(index))])
            #expect(contents.damage.isEmpty)
        }
        #expect(try cache.channels() == urls.sorted())
        let names = try directory.names
        #expect(Set(names.map { $0.lowercased() }).count == urls.count + 1)
        #expect(names.allSatisfy { $0.utf8.count <= 73 && !$0.contains("/") })
        #expect(try cache.loadChannels().records == [])
    }

    @Test func removingAffectsOneChannelOrAll() throws {
        for url in ["a", "b", "c"] as [ChannelURL] { try cache.save([message(1)], in: url) }
        try cache.saveChannels([channel("a", "A")])
        try Data("mine".utf8).write(to: directory.file("notes.txt"))
        let all = try cache.size()
        try cache.remove("b")
        #expect(try cache.channels() == ["a", "c"])
        #expect(try cache.load("b").records == [])
        #expect(try cache.size() < all)
        try cache.removeAll()
        #expect(try cache.channels() == [])
        #expect(try cache.loadChannels().records == [])
        #expect(try cache.size() == 0)
        #expect(try directory.names == ["lock", "notes.txt"])
    }

    @Test func sizeIsTheSumOfTheFiles() throws {
        try cache.save([goldenMessage], in: "general")
        #expect(try cache.size() == golden.utf8.count)
        try cache.saveChannels([])
        #expect(try cache.size() == golden.utf8.count + 42)
    }

    // MARK: Damage

    private func threeMessages() throws -> (FileCache, URL, [Message], [UInt8]) {
        let messages = [message(1), message(2), message(3)]
        try cache.save(messages, in: "general")
        let file = directory.file(of: "general")
        return (cache, file, messages, [UInt8](try Data(contentsOf: file)))
    }

    @Test func everyTruncationIsReportedAndTheLinesBeforeItAreRead() throws {
        let (cache, file, messages, bytes) = try threeMessages()
        for count in bytes.indices {
            try Data(bytes[..<count]).write(to: file)
            let lines = bytes[..<count].count { $0 == UInt8(ascii: "\n") }
            let contents = try cache.load("general")
            #expect(contents.records == Array(messages.prefix(max(0, lines - 1))))
            #expect(contents.damage.first?.line == lines + 1)
            #expect(contents.damage.first?.reason == .truncated)
        }
    }

    @Test func everyFlippedBitIsReportedAndOtherLinesAreRead() throws {
        let (cache, file, messages, bytes) = try threeMessages()
        let newline = UInt8(ascii: "\n")
        for index in bytes.indices {
            // The index of the damaged line, where 0 is the header. If a line feed is damaged, the
            // next line is damaged, too.
            let line = bytes[..<index].count { $0 == newline }
            let hit = bytes[index] == newline ? [line, line + 1] : [line]
            let untouched = messages.indices.filter { !hit.contains($0 + 1) }.map { messages[$0] }
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(bit)
                try Data(damaged).write(to: file)
                let contents = try cache.load("general")
                #expect(contents.records.filter(untouched.contains) == untouched)
                #expect(contents.records.allSatisfy(messages.contains))
                // If the flipped bit is one that Base64 does not use, the records are unchanged.
                #expect(!contents.damage.isEmpty || contents.records == messages)
                #expect(contents.damageCount == contents.damage.count)
                for damage in contents.damage { #expect((line + 1...5).contains(damage.line)) }
            }
        }
    }

    @Test func eachKindOfDamageHasItsReasonAndItsLine() throws {
        let (cache, file, messages, bytes) = try threeMessages()
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map {
            String(decoding: $0, as: UTF8.self)
        }
        func load(_ lines: [String]) throws -> (text: String, ids: [MessageID?]) {
            try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
            let contents = try cache.load("general")
            return ("\(contents.damage)", contents.records.map(\.messageID))
        }
        #expect(try load(lines) == ("[]", ["1", "2", "3"]))
        #expect(try load(Array(lines.dropFirst())) == ("[line 1: header]", ["1", "2", "3"]))
        #expect(try load(["scrollback 1"] + lines[1...]) == ("[line 1: header]", ["1", "2", "3"]))
        #expect(try load(Array(lines.dropLast())) == ("[line 4: truncated]", ["1", "2"]))
        #expect(
            try load([lines[0], "", "short", lines[3]]) == ("[line 2: check, line 3: check]", ["3"])
        )
        let check = lines[2].suffix(17)
        #expect(
            try load([lines[0], lines[1], "ü" + lines[2].dropFirst(2), lines[3]])
                == ("[line 3: base64]", ["1", "3"]))
        #expect(
            try load([lines[0], String(lines[1].dropLast(17)) + check, lines[2], lines[3]])
                == ("[line 2: check]", ["2", "3"]))
        let long = String(repeating: "A", count: (16 << 20) + 1)
        #expect(
            try load([lines[0], long, lines[2], lines[3]]) == ("[line 2: tooLong]", ["2", "3"]))
        #expect(try load([long] + lines[1...]) == ("[line 1: tooLong]", ["1", "2", "3"]))
        // The lines are in another order, and one record occurs twice.
        #expect(
            try load([lines[0], lines[3], lines[1], lines[2], lines[1]]) == ("[]", ["1", "2", "3"]))
        #expect(messages.count == 3)
    }

    @Test func invalidRecordIsReportedWithItsError() throws {
        // The check values of these lines are correct, so the lines are not reported as damaged but
        // as invalid records.
        let url = directory.file(of: "general")
        let file = CacheFile.messages(of: "general")
        let broken = Reaction(key: "+1", userIDs: [], updatedAt: 0)
        try Data(file.text(of: [broken])).write(to: url)
        var contents = try cache.load("general")
        #expect("\(contents.damage)" == "[line 2: record (wrongWireType at byte 0)]")
        #expect(contents.damage.first?.cause?.code == .wrongWireType)

        let item = Message(id: nil, channelURL: "general", createdAt: 1)
        try Data(file.text(of: [item, message(1)])).write(to: url)
        contents = try cache.load("general")
        #expect("\(contents.damage)" == "[line 2: record]")
        #expect(contents.records == [message(1)])
    }

    @Test func listOfDamagedLinesIsLimited() throws {
        try Data(repeating: UInt8(ascii: "\n"), count: 5000).write(to: directory.file("channels"))
        let contents = try cache.loadChannels()
        #expect(contents.damageCount == 5000)
        #expect(contents.damage.map(\.line) == Array(1...1000))
    }

    @Test func anyBytesAreRecordsOrDamage() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            let bytes = (0..<random.number(below: 200)).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
            try Data(bytes).write(to: directory.file("channels"))
            let contents = try cache.loadChannels()
            #expect(contents.records.isEmpty && !contents.damage.isEmpty)
        }
    }

    @Test func fileOfAnotherChannelIsRejected() throws {
        try cache.save([message(1)], in: "general")
        let other = directory.file(of: "other")
        try FileManager.default.copyItem(at: directory.file(of: "general"), to: other)
        #expect(try cache.load("other").records == [])
        #expect("\(try cache.load("other").damage)" == "[line 1: otherFile]")
        #expect(try cache.channels() == ["general"])

        // The header also contains the number of lines. If it is lost, missing lines cannot be
        // noticed.
        let text = try String(contentsOf: other, encoding: .utf8)
        try text.replacing("scrollback", with: "Scrollback")
            .write(to: other, atomically: false, encoding: .utf8)
        #expect(try cache.load("other").records == [])
        #expect("\(try cache.load("other").damage)" == "[line 1: header, line 2: check]")

        #expect(try cache.save([message(2)], in: "other"))
        #expect(try cache.load("other").records == [message(2)])
        try FileManager.default.copyItem(at: other, to: directory.file("channels"))
        #expect("\(try cache.loadChannels().damage)" == "[line 1: otherFile]")
    }

    // MARK: Failures

    @Test func fileOfANewerVersionIsRejectedUnchanged() throws {
        // The check value is correct: it is the first digits of the SHA-256 of the text before it.
        let text = "scrollback 2 whatever it is c095846ac685ec00\nmore\n"
        let file = directory.file(of: "general")
        try Data(text.utf8).write(to: file)
        func code(_ body: () throws -> Void) -> StoreError.Code? {
            let error = #expect(throws: StoreError.self) { try body() }
            #expect(error?.path == file.path)
            return error?.code
        }
        #expect(code { _ = try cache.load("general") } == .newerSchema)
        #expect(code { try cache.save([message(1)], in: "general") } == .newerSchema)
        #expect(try String(contentsOf: file, encoding: .utf8) == text)
        #expect(try cache.channels() == [])
        try cache.removeAll()
        #expect(try directory.names == ["lock"])
    }

    @Test func impossibleDirectoryIsAnErrorWithItsPath() throws {
        let file = directory.file("file")
        try Data().write(to: file)
        for url in [file, file.appending(path: "inner")] {
            let error = #expect(throws: StoreError.self) { try FileCache(directory: url) }
            #expect(error?.code == .io)
            #expect(error?.path.hasPrefix(file.path) == true)
            #expect(error?.message.hasSuffix("Not a directory (errno \(ENOTDIR))") == true)
        }
        let error = #expect(throws: StoreError.self) {
            try FileCache(directory: directory.url.appending(path: "a\0b"))
        }
        #expect(error?.code == .io)
    }

    @Test func anythingButARegularFileIsAnError() throws {
        try FileManager.default.createDirectory(
            at: directory.file("channels"), withIntermediateDirectories: false)
        let loading = #expect(throws: StoreError.self) { try cache.loadChannels() }
        #expect(loading?.code == .io)
        let saving = #expect(throws: StoreError.self) { try cache.saveChannels([]) }
        #expect(saving?.code == .io)

        // The cache must not follow a link, and must not wait for a named pipe.
        let file = directory.file(of: "general")
        try FileManager.default.createSymbolicLink(
            at: file, withDestinationURL: URL(filePath: "/dev/zero"))
        #expect(throws: StoreError.self) { try cache.load("general") }
        let pipe = directory.file(of: "pipe").path
        #expect(mkfifo(pipe, 0o600) == 0)
        let writer = open(pipe, O_RDWR)
        defer { close(writer) }
        #expect(write(writer, "bytes", 5) == 5)
        for read in [{ _ = try cache.load("pipe") }, { try cache.save([message(1)], in: "pipe") }] {
            let error = #expect(throws: StoreError.self) { try read() }
            #expect(error?.message == "this is not a regular file: remove it")
            #expect(error?.path == pipe)
        }
    }

    @Test(.enabled(if: geteuid() != 0, "no directory is read-only for root"))
    func readOnlyDirectoryIsAPermissionError() throws {
        chmod(directory.url.path, 0o500)
        defer { chmod(directory.url.path, 0o700) }
        let error = #expect(throws: StoreError.self) { try cache.save([], in: "general") }
        #expect(error?.code == .permission)
    }

    @Test(arguments: [Int.min, -5, 0, 1])
    func aLimitBelowOneKeepsTheNewestMessage(limit: Int) throws {
        let cache = try directory.cache(limit: limit)
        #expect(cache.limit == 1)
        try cache.save((1...3).map { Message.sample($0) }, in: "general")
        #expect(try directory.cache().load("general").records.map(\.messageID) == ["3"])
    }

    @Test func webURLTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = try FileCache(
                directory: #require(URL(string: "https://example.com/tmp/scrollback-none")))
        }
    }
}
