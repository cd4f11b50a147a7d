import Foundation
import Models
import ScrollbackCrashWriter
import ScrollbackFaultyDisks
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests the files that another process leaves in the push inbox of a store.
@Suite(.timeLimit(.minutes(10))) struct PushInboxTests {
    private func message(_ id: MessageID, _ text: String = "canary") -> Message {
        Message(id: id, channelURL: "general", text: text, createdAt: 1_700_000_000_000)
    }

    private func box(_ directory: StoreDirectory) throws -> PushInbox {
        try #require(try PushInbox(in: directory.url, encryptionKey: directory.files.key))
    }

    /// Opens a store, and creates its push inbox.
    private func open(_ directory: StoreDirectory) throws -> ChatStore {
        let store = try directory.open()
        try store.makePushInbox()
        return store
    }

    /// Returns the ids in each file, and the damage in all files.
    private func contents(_ store: ChatStore) throws -> (ids: [[MessageID?]], damage: [String]) {
        let drops = try store.pushNames().compactMap { try store.contents(ofPush: $0) }
        return (
            drops.map { $0.messages.map(\.messageID) },
            drops.flatMap { $0.damage.map { "line \($0.line): \($0.reason)" } }
        )
    }

    private func files(_ directory: StoreDirectory) throws -> [URL] {
        let drops = directory.url.appending(path: "drops")
        return try FileManager.default.contentsOfDirectory(atPath: drops.path).sorted()
            .filter { $0 != "lock" }.map { drops.appending(path: $0) }
    }

    // MARK: Leaving

    @Test func nothingIsLeftUnencryptedWithAKey() throws {
        let directory = try StoreDirectory(.encrypted)
        let key = try #require(directory.files.key)
        let store = try open(directory)
        let box = try box(directory)
        store.close()
        _ = try KeyFile(in: directory.url.path).beginExchange(from: key, to: nil)
        let errors = [
            #expect(throws: StoreError.self) { try box.leave([message("a")]) },
            #expect(throws: StoreError.self) { try self.box(directory).leave([message("a")]) },
        ]
        #expect(errors.map { $0?.code } == [.wrongKey, .wrongKey])
        #expect(try files(directory) == [])
    }

    @Test(arguments: FileForm.allCases) func pushesAreReadInOrder(form: FileForm) throws {
        let directory = try StoreDirectory(form)
        let store = try open(directory)
        let box = try box(directory)
        // The store stays open while another process leaves messages.
        for number in 0..<12 { try box.leave([message(MessageID("\(number)"))]) }
        try box.leave([message("a"), message("b")])
        try box.leave([])
        #expect(try box.count == 13)
        #expect(
            try contents(store).ids == (0..<12).map { [MessageID("\($0)")] } + [["a", "b"]])
        #expect(try contents(store).damage == [])
        for file in try files(directory) {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let bytes = try Data(contentsOf: file)
            let readable = message("0").serialize().base64EncodedData().prefix(8)
            #expect(bytes.range(of: readable) == nil || form == .plain)
        }
        let attributes = try FileManager.default.attributesOfItem(
            atPath: directory.url.appending(path: "drops").path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)

        let names = try store.pushNames()
        try store.removePushes(Array(names.prefix(12)))
        // Removing files that were already removed succeeds.
        try store.removePushes(names)
        #expect(try box.count == 0)
        #expect(try store.contents(ofPush: names[0]) == nil)
    }

    /// On-disk format, do not change the bytes: apps have such files.
    @Test func theBytesOfADropNeverChange() throws {
        let directory = try StoreDirectory()
        let store = try open(directory)
        try box(directory).leave([
            Message(
                id: "42", channelURL: "general", sender: Sender(id: "alice"), text: "Hi!",
                createdAt: 1_700_000_000_000)
        ])
        let name = try #require(try store.pushNames().first)
        #expect(name.hasPrefix("0000000000000001-") && name.hasSuffix(".drop"))
        #expect(name.count == 38)
        let text = try String(contentsOf: try files(directory)[0], encoding: .utf8)
        let page = try Repository.text(of: "Docs/Format.md")
        #expect(text.hasPrefix("scrollback 1 drop 1  "))
        #expect(page.contains("```\n\(text)```"), "\(text)")
    }

    @Test func invalidMessagesAreNotLeft() throws {
        let directory = try StoreDirectory()
        _ = try open(directory)
        let box = try box(directory)
        var pending = message("1")
        pending.sendingStatus = .pending
        let large = message("2", String(repeating: "x", count: PushInbox.maximumPushByteCount))
        for wrong in [
            pending, large, Message(id: nil, channelURL: "general", createdAt: 1),
            Message(id: "3", channelURL: "", createdAt: 1),
        ] {
            #expect(code { try box.leave([message("0"), wrong]) } == .invalid)
        }
        let many = (0...PushInbox.maximumMessageCount).map { message("\($0)") }
        #expect(code { try box.leave(many) } == .invalid)
        #expect(try files(directory) == [])
    }

    /// A process with the key need not obey the limit.
    @Test func furtherMessagesOfAPushAreDamage() throws {
        let directory = try StoreDirectory()
        let store = try open(directory)
        let files = try box(directory).files
        let many = (0...PushInbox.maximumMessageCount).map { message("\($0)") }
        try files.add(many, nil)
        let drop = try #require(try store.contents(ofPush: try store.pushNames()[0]))
        #expect(drop.messages.count == PushInbox.maximumMessageCount)
        #expect(drop.damage.map(\.line) == [PushInbox.maximumMessageCount + 2])
        #expect(drop.damage.map(\.reason) == [.tooLarge])
    }

    @Test(arguments: FileForm.allCases) func furtherLinesAreNotRead(form: FileForm) throws {
        let directory = try StoreDirectory(form)
        let store = try open(directory)
        try box(directory).leave([message("1")])
        let file = try #require(try files(directory).first)
        var text = try Data(contentsOf: file)
        text.append(Data(repeating: UInt8(ascii: "\n"), count: 2 * PushInbox.maximumMessageCount))
        try text.write(to: file)
        let drop = try #require(try store.contents(ofPush: file.lastPathComponent))
        #expect(drop.messages.map(\.messageID) == ["1"])
        #expect(drop.damage.allSatisfy { $0.line <= PushInbox.maximumMessageCount + 2 })
    }

    @Test func unprocessedInboxFillsUp() throws {
        let directory = try StoreDirectory()
        let store = try open(directory)
        let box = try box(directory)
        let drop = message("1", String(repeating: "x", count: PushInbox.maximumPushByteCount / 2))
        // In Base64, half a megabyte takes two thirds of a megabyte.
        for _ in 1...23 { try box.leave([drop]) }
        #expect(code { try box.leave([drop]) } == .noSpace)
        #expect(try box.count == 23)
        try store.removePushes([try store.pushNames()[0]])
        try box.leave([drop])
        try store.removePushes(try store.pushNames())

        let drops = directory.url.appending(path: "drops")
        for number in 0..<PushInbox.maximumCount {
            let digits = String(number + 0x1000_0000, radix: 16)
            try Data().write(
                to: drops.appending(path: "00000000\(digits)-0000000000000000.drop"))
        }
        #expect(code { try box.leave([message("1")]) } == .noSpace)
    }

    @Test func missingInboxIsNil() throws {
        let directory = try StoreDirectory()
        #expect(try PushInbox(in: directory.url) == nil)
        #expect(try PushInbox(in: directory.url.appending(path: "nowhere")) == nil)
        let store = try directory.open()
        #expect(try PushInbox(in: directory.url) == nil)
        try store.makePushInbox()
        let box = try box(directory)
        try box.leave([message("1")])
        try store.removePushInbox()
        try store.removePushInbox()
        #expect(try PushInbox(in: directory.url) == nil)
        #expect(try store.pushNames() == [])
        #expect(code { try box.leave([message("2")]) } == .closed)
        #expect(!FileManager.default.fileExists(atPath: box.files.path))
        try store.makePushInbox()
        try box.leave([message("3")])
        #expect(try contents(store).ids == [["3"]])
    }

    @Test func inboxIsFoundByUser() throws {
        let root = try StoreDirectory()
        for key in [nil, Steps.key] {
            let directory = ChatStore.directory(
                in: root.url, applicationID: "chat", userID: "alice", hidesUser: key != nil)
            let store = try ChatStore(at: directory, encryptionKey: key)
            try store.makePushInbox()
            let box = try PushInbox(
                of: "alice", applicationID: "chat", in: root.url, encryptionKey: key)
            try #require(box).leave([message("1")])
            #expect(try contents(store).ids == [["1"]])
            for other in ["bob", "ALICE"] as [UserID] {
                #expect(
                    try PushInbox(
                        of: other, applicationID: "chat", in: root.url, encryptionKey: key) == nil)
            }
        }
    }

    // MARK: Keys

    @Test func wrongKeyChangesNothing() throws {
        for form in FileForm.allCases {
            let directory = try StoreDirectory(form)
            let store = try open(directory)
            let wrong: [EncryptionKey?] = form == .plain ? [Steps.key] : [EncryptionKey(), nil]
            for key in wrong {
                #expect(
                    code { _ = try PushInbox(in: directory.url, encryptionKey: key) } == .wrongKey)
            }
            #expect(try files(directory) == [])
            store.close()
        }
    }

    @Test func pushesAreReadableAfterAKeyChange() throws {
        let directory = try StoreDirectory(.encrypted)
        let store = try open(directory)
        let box = try box(directory)
        try box.leave([message("1")])
        let other = EncryptionKey()
        try store.changeEncryptionKey(to: other)
        // A process that has the old key gets an error, and leaves no file.
        #expect(code { try box.leave([message("2")]) } == .wrongKey)
        let again = try #require(try PushInbox(in: directory.url, encryptionKey: other))
        try again.leave([message("3")])
        #expect(try contents(store).ids == [["1"], ["3"]])
    }

    @Test(arguments: [(0, 1), (1, 2), (1, 1), (1, 0)])
    func pushesAreReencryptedWithTheStore(change: (old: Int, new: Int)) throws {
        let keys = [nil, Steps.key, EncryptionKey()]
        let (old, new) = (keys[change.old], keys[change.new])
        let template = try StoreDirectory(old == nil ? .plain : .encrypted)
        let store = try open(template)
        let first = try box(template)
        try first.leave([message("1"), message("2")])
        try first.leave([message("3")])
        store.close()
        for number in 1... {
            let directory = try StoreDirectory(of: template)
            let disk = FailingDisk()
            disk.fail(at: number, with: EIO, once: false)
            let isDone =
                code {
                    try ChatStore.reencrypt(
                        at: directory.url, from: old, to: new, on: disk.environment)
                } == nil
            if !isDone {
                // After the interruption, only the new key opens the inbox.
                if let old, old != new {
                    #expect(
                        code {
                            try PushInbox(in: directory.url, encryptionKey: old)?
                                .leave([message("a")])
                        } == .wrongKey)
                }
                if let new {
                    let box = try #require(try PushInbox(in: directory.url, encryptionKey: new))
                    try box.leave([message("between")])
                    let store = try ChatStore(at: directory.url, encryptionKey: new)
                    #expect(try contents(store).ids.count == 3)
                    #expect(try contents(store).damage == [])
                }
                try ChatStore.reencrypt(at: directory.url, from: old, to: new)
            }
            let store = try ChatStore(at: directory.url, encryptionKey: new)
            #expect(try contents(store).ids.prefix(2) == [["1", "2"], ["3"]])
            #expect(try contents(store).damage == [])
            let readable = message("1").serialize().base64EncodedData().prefix(8)
            let hasReadable = try files(directory).contains {
                try Data(contentsOf: $0).range(of: readable) != nil
            }
            #expect(hasReadable == (new == nil))
            try #require(try PushInbox(in: directory.url, encryptionKey: new)).leave([message("4")])
            #expect(try contents(store).ids.last == ["4"])
            if isDone {
                #expect(number > 5)
                break
            }
        }
    }

    // MARK: Damage

    @Test(arguments: FileForm.allCases) func changedByteIsDetected(form: FileForm) throws {
        let directory = try StoreDirectory(form)
        let store = try open(directory)
        let messages = [message("1", "a"), message("2", "b")]
        try box(directory).leave(messages)
        let file = try #require(try files(directory).first)
        let name = file.lastPathComponent
        let whole = try Data(contentsOf: file)
        for index in whole.indices {
            var damaged = whole
            damaged[index] ^= 0x04
            try damaged.write(to: file)
            let drop = try #require(try store.contents(ofPush: name))
            // If the flipped bit is one that Base64 does not use, the messages are unchanged.
            #expect(!drop.damage.isEmpty || drop.messages == messages, "at \(index)")
            #expect(drop.messages.allSatisfy(messages.contains), "at \(index)")
            try whole.prefix(index).write(to: file)
            let cut = try #require(try store.contents(ofPush: name))
            #expect(index == 0 || !cut.damage.isEmpty, "cut at \(index)")
            #expect(cut.messages.count < 2, "cut at \(index)")
        }
        // An encrypted file is bound to its name, so a file under another name can be read only if
        // it is unencrypted.
        try whole.write(to: file)
        let other = file.deletingLastPathComponent()
            .appending(path: "0000000000000009-0000000000000000.drop")
        try whole.write(to: other)
        let moved = try #require(try store.contents(ofPush: other.lastPathComponent))
        #expect(moved.damage.isEmpty == (form == .plain))
    }

    @Test func reencryptedInboxKeepsReportingDamage() throws {
        let directory = try StoreDirectory(.encrypted)
        let store = try open(directory)
        try box(directory).leave([message("1"), message("2"), message("3")])
        let file = try #require(try files(directory).first)
        var lines = try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
        lines[3][lines[3].startIndex + 9] ^= 0x04
        try Data(lines.joined(separator: [UInt8(ascii: "\n")]) + [UInt8(ascii: "\n")])
            .write(to: file)
        #expect(try contents(store).ids == [["1", "3"]])
        store.close()
        let other = EncryptionKey()
        try ChatStore.reencrypt(at: directory.url, from: Steps.key, to: other)
        let again = try ChatStore(at: directory.url, encryptionKey: other)
        #expect(try contents(again).ids == [["1", "3"]])
        #expect(try contents(again).damage == ["line 3: check"])
    }

    @Test func otherFilesAreNotTouched() throws {
        let directory = try StoreDirectory()
        let store = try open(directory)
        let box = try box(directory)
        let drops = directory.url.appending(path: "drops")
        let names = ["notes", "1.drop", "000000000000000g-0000000000000000.drop"]
        for name in names {
            try Data("canary".utf8).write(to: drops.appending(path: name))
        }
        try box.leave([message("1")])
        #expect(try contents(store).ids == [["1"]])
        for name in names {
            #expect(FileManager.default.fileExists(atPath: drops.appending(path: name).path))
        }
    }

    // MARK: Other entries

    private static let name = "0000000000000007-0000000000000000.drop"

    /// Creates an entry of the inbox that no writer creates.
    private func make(_ entry: String, at url: URL) throws {
        let files = FileManager.default
        switch entry {
        case "directory":
            try files.createDirectory(
                at: url.appending(path: "inside"), withIntermediateDirectories: true)
        case "link":
            let target = url.deletingLastPathComponent().appending(path: "target")
            try Data("canary".utf8).write(to: target)
            try files.createSymbolicLink(at: url, withDestinationURL: target)
        case "pipe": #expect(mkfifo(url.path, 0o600) == 0)
        default:
            #expect(files.createFile(atPath: url.path, contents: nil))
            #expect(truncate(url.path, off_t(PushInbox.maximumByteCount + 1)) == 0)
        }
    }

    @Test(arguments: FileForm.allCases, ["directory", "link", "pipe", "large file"])
    func entryThatIsNotAnInboxFileIsMovedAsideAndReported(form: FileForm, entry: String) throws {
        let directory = try StoreDirectory(form)
        let store = try open(directory)
        let box = try box(directory)
        let drops = directory.url.appending(path: "drops")
        try make(entry, at: drops.appending(path: Self.name))
        if entry != "large file" { try box.leave([message("1")]) }
        let read = try contents(store)
        let reason = entry == "large file" ? "tooLarge" : "notAFile"
        #expect(read.damage == ["line 1: \(reason)"])
        #expect(read.ids.flatMap(\.self) == (entry == "large file" ? [] : ["1"]))
        let names = try FileManager.default.contentsOfDirectory(atPath: drops.path)
        #expect(!names.contains(Self.name))
        #expect(names.count { $0.hasPrefix(Self.name + ".rejected-") } == 1)
        #expect(try contents(store).damage == [])
        try box.leave([message("2")])
    }

    @Test(arguments: ["directory", "link", "pipe"])
    func otherEntriesDoNotPreventWriting(entry: String) throws {
        let directory = try StoreDirectory()
        let store = try open(directory)
        let drops = directory.url.appending(path: "drops")
        for name in ["lock", "x.new", Self.name + ".new"] {
            try make(entry, at: drops.appending(path: name))
            try box(directory).leave([message(MessageID(name))])
            try? FileManager.default.removeItem(at: drops.appending(path: "target"))
        }
        #expect(try contents(store).ids == [["lock"], ["x.new"], [MessageID(Self.name + ".new")]])
    }

    @Test(arguments: ["directory", "link", "pipe"])
    func otherEntriesDoNotPreventRemoval(entry: String) throws {
        let directory = try StoreDirectory()
        let store = try open(directory)
        let drops = directory.url.appending(path: "drops")
        try box(directory).leave([message("1")])
        try make(entry, at: drops.appending(path: Self.name))
        try store.removeAllPushes()
        let names = try FileManager.default.contentsOfDirectory(atPath: drops.path)
        #expect(Set(names).isSubset(of: ["lock", "target"]))
        try box(directory).leave([message("2")])
        #expect(try contents(store).ids == [["2"]])
        // The entry appears after the file was read.
        let name = try #require(try store.pushNames().first)
        try FileManager.default.removeItem(at: drops.appending(path: name))
        try? FileManager.default.removeItem(at: drops.appending(path: "target"))
        try make(entry, at: drops.appending(path: name))
        try store.removePushes([name])
        #expect(try store.pushNames() == [])
    }

    @Test func linkInPlaceOfTheInboxIsNotFollowed() throws {
        let (own, other) = (try StoreDirectory(), try StoreDirectory())
        let (store, otherStore) = (try open(own), try open(other))
        try box(other).leave([message("1")])
        let drops = own.url.appending(path: "drops")
        try FileManager.default.removeItem(at: drops)
        try FileManager.default.createSymbolicLink(
            at: drops, withDestinationURL: other.url.appending(path: "drops"))
        #expect(throws: StoreError.self) { try store.pushNames() }
        #expect(throws: StoreError.self) { try store.removePushes([Self.name]) }
        #expect(try !store.damageReport().searchFailures.isEmpty)
        try store.removeAllPushes()
        #expect(try contents(otherStore).ids == [["1"]])
        try box(own).leave([message("2")])
        #expect(try contents(store).ids == [["2"]])
    }

    @Test(
        .enabled(if: geteuid() != 0, "root may open any directory"), arguments: ["", "/lock"])
    func modesDoNotPreventRemoval(name: String) throws {
        let directory = try StoreDirectory()
        let store = try open(directory)
        let drops = directory.url.appending(path: "drops").path
        try box(directory).leave([message("1")])
        #expect(chmod(drops + name, 0) == 0)
        try store.removeAllPushes()
        try store.removePushInbox()
        #expect(access(drops, F_OK) != 0)
    }

    @Test func entriesAreMovedAsideWhenTheInboxIsReencrypted() throws {
        let directory = try StoreDirectory(.encrypted)
        let store = try open(directory)
        let drops = directory.url.appending(path: "drops")
        try make("directory", at: drops.appending(path: Self.name))
        store.close()
        try ChatStore.reencrypt(at: directory.url, from: Steps.key, to: EncryptionKey())
    }

    @Test func oneReadHasAtMostAsManyBytesAsAnInboxMayContain() throws {
        let directory = try StoreDirectory()
        let store = try open(directory)
        let drops = directory.url.appending(path: "drops")
        for number in 1...3 {
            let file = drops.appending(path: "000000000000000\(number)-0000000000000000.drop")
            #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
            #expect(truncate(file.path, off_t(PushInbox.maximumByteCount / 2)) == 0)
        }
        #expect(try store.pushNames().count == 2)
        for number in 1...PushInbox.maximumCount {
            let digits = String(number, radix: 16)
            let name = String(repeating: "0", count: 16 - digits.count) + digits
            let file = drops.appending(path: "\(name)-0000000000000000.drop")
            #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
        }
        #expect(try store.pushNames().count == PushInbox.maximumCount)
    }

    // MARK: The lock

    @Test func lockOfASuspendedProcessDoesNotBlockForEver() throws {
        let directory = try StoreDirectory()
        let store = try open(directory)
        try box(directory).leave([message("1")])
        let files = PushInboxFiles(in: directory.url)
        let path = directory.url.appending(path: "drops/lock").path
        try DiskFile.alone(path) { () throws(StoreError) in
            let error = #expect(throws: StoreError.self) {
                try files.alone(waiting: .zero) { () throws(StoreError) in }
            }
            #expect(error?.code == .locked)
            try files.removeBox(waiting: .zero)
        }
        #expect(try store.pushNames() == [])
        #expect(try !files.exists())
    }

    // MARK: The end of a process

    @Test(arguments: FileForm.allCases)
    func interruptedWriterLeavesNoFiles(form: FileForm) throws {
        let directory = try StoreDirectory(form)
        let store = try open(directory)
        let box = try box(directory)
        try box.leave([message("1")])
        let file = try #require(try files(directory).first)
        let whole = try Data(contentsOf: file)
        try store.removePushes(try store.pushNames())
        // If a process is killed while it writes, it leaves a part of the file, or all of it, under
        // a temporary name.
        for count in 0...whole.count {
            try whole.prefix(count).write(to: URL(filePath: file.path + ".new"))
            #expect(try contents(store).ids == [])
        }
        try box.leave([message("2")])
        #expect(try files(directory).count == 1)
        #expect(try contents(store).ids == [["2"]])
    }

    @Test(arguments: 0..<6, FileForm.allCases)
    func pushesOfAnotherProcessAreComplete(round: Int, form: FileForm) throws {
        let directory = try StoreDirectory(form)
        let store = try open(directory)
        var first = 1
        var random = SeededRandom(seed: round)
        for _ in 0..<2 {
            let process = try WritingProcess(leavingIn: directory, from: first)
            process.readLines(Int.random(in: 2...20, using: &random))
            let last = try process.kill().compactMap { Int($0) }.last ?? first - 1
            let drops = try store.pushNames().compactMap { try store.contents(ofPush: $0) }
            #expect(drops.allSatisfy { $0.damage.isEmpty })
            // All promised files must exist. The next one may exist, too.
            let found = drops.map(\.messages)
            let expected = (first...last + 1).map { Steps.drop($0) }
            #expect(found == expected || found == expected.dropLast())
            try store.removePushes(try store.pushNames())
            first = last + 2
        }
    }

    @Test func severalProcessesCanLeavePushesAtOnce() throws {
        let directory = try StoreDirectory(.encrypted)
        let store = try open(directory)
        let one = try WritingProcess(leavingIn: directory, from: 1)
        let two = try WritingProcess(leavingIn: directory, from: 2_001)
        one.readLines(25)
        two.readLines(25)
        let promised = try (one.kill() + two.kill()).compactMap { Int($0) }
        let drops = try store.pushNames().compactMap { try store.contents(ofPush: $0) }
        #expect(drops.allSatisfy { $0.damage.isEmpty })
        let found = Set(drops.map(\.messages))
        #expect(promised.count >= 48 && promised.allSatisfy { found.contains(Steps.drop($0)) })
        #expect(drops.count <= promised.count + 2)
    }
}
