import Foundation
import Scrollback
import ScrollbackTestSupport
import Testing

/// Tests what the prompt prints if files are damaged, or if the encryption key was once omitted.
@Suite(.timeLimit(.minutes(10))) struct StorageDamageTests {
    private let place: ScratchDirectory
    private var home: URL { place.url.appending(path: "home") }

    init() throws { place = try .made() }

    private func run(
        _ arguments: [String] = [], _ input: String
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await Program.run(["--home", home.path] + arguments, input)
    }

    /// Changes the newest log file of alice's database.
    private func damageLog(of database: String, _ change: (inout Data) throws -> Void) throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: home.path)
        let log = try #require(
            paths.filter { $0.contains("_alice/\(database)/") && $0.hasSuffix(".log") }.max())
        let file = home.appending(path: log)
        var bytes = try Data(contentsOf: file)
        try change(&bytes)
        try bytes.write(to: file)
    }

    @Test(arguments: [false, true])
    func lostOutboxItemIsShownByConnectAndStatus(isTorn: Bool) async throws {
        let written = try await run([], "demo\noffline\nsend canary-first\nsend canary-second\n")
        #expect(written.status == 0, "\(written)")
        try damageLog(of: "outbox") { bytes in
            if isTorn {
                bytes.removeLast(3)
            } else {
                let place = try #require(bytes.range(of: Data("canary-first".utf8)))
                bytes[place.lowerBound] ^= 1
            }
        }
        let copy = place.url.appending(path: "copy")
        try FileManager.default.copyItem(at: home, to: copy)
        let sentence =
            isTorn
            ? "the last change of the outbox was incomplete and is lost"
            : "the outbox was damaged"
        let text = try await run([], "connect alice\nstatus\n")
        let lines = text.output.split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("! \(sentence)") }, "\(text)")
        #expect(lines.contains { $0.hasPrefix("damage") && $0.contains(sentence) }, "\(text)")

        try FileManager.default.removeItem(at: home)
        try FileManager.default.moveItem(at: copy, to: home)
        let json = try await run(["--json"], "connect alice\nstatus\n")
        let objects = try json.output.split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        let values = objects.compactMap { $0["values"] as? [String: Any] }
        let damage = values.compactMap { ($0["damage"] as? [String])?.first }
        #expect(damage.count { $0.hasPrefix(sentence) } == 1, "\(json.output)")
        #expect(json.output.contains(#""damage_found""#))
    }

    @Test func syncEndsWithoutAConnection() async throws {
        let result = try await run(["--patience", "100ms"], "connect alice\noffline\nsync\n")
        #expect(result.status == 1)
        #expect(result.errors.contains("not up to date"), "\(result)")
    }

    @Test func fileCacheHasTheKeyOfThePrompt() async throws {
        let key = ["--key-file", place.url.appending(path: "key").path]
        let files = place.url.appending(path: "files").path
        let saved = try await run(
            key, "demo\nopen general\nfile-cache save \(files) general\n")
        #expect(saved.status == 0, "\(saved)")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: files).contains("KEY"))
        let plain = try await run([], "file-cache load \(files) general\n")
        #expect(plain.status == 1 && plain.errors.contains("wrongKey"), "\(plain)")
    }

    @Test func runWithoutTheKeyStoresNothing() async throws {
        let key = ["--key-file", place.url.appending(path: "key").path]
        _ = try await run(key, "demo\noffline\nsend canary-first\n")
        let plain = try await run(
            [], "connect alice\nopen general\noffline\nsend canary-second\n")
        #expect(plain.status == 1 && plain.errors.contains("is encrypted"), "\(plain)")
        let devices = home.appending(path: "devices")
        func isReadable(_ text: String) throws -> Bool {
            try FileManager.default.subpathsOfDirectory(atPath: devices.path).contains { path in
                let bytes = FileManager.default.contents(
                    atPath: devices.appending(path: path).path)
                return path.contains(text) || bytes?.range(of: Data(text.utf8)) != nil
            }
        }
        #expect(try !isReadable("canary") && !isReadable("_alice"))
        let shown = try await run(key, "connect alice\nopen general\nwindow\n")
        #expect(shown.output.contains("canary-first"), "\(shown)")
        #expect(!shown.output.contains("canary-second"), "\(shown)")
    }

    @Test func plainDataIsEncryptedByTheCommand() async throws {
        let key = place.url.appending(path: "key").path
        _ = try await run([], "demo\noffline\nsend canary-first\n")
        let devices = home.appending(path: "devices/alice").path
        let result = try await run([], "client encrypt \(devices) \(key) alice\n")
        #expect(result.output.contains("encrypted the data of alice, 1 unsent item"), "\(result)")
        let shown = try await run(
            ["--key-file", key], "connect alice\nopen general\nwait 1s\nfailed\n")
        #expect(shown.output.contains("canary-first"), "\(shown)")
    }

    // MARK: The key file

    @Test func keyFileIsReadableOnlyByItsOwnerFromTheBeginning() async throws {
        let key = place.url.appending(path: "key")
        let first = try await run(["--key-file", key.path], "connect alice\n")
        #expect(first.status == 0, "\(first)")
        let attributes = try FileManager.default.attributesOfItem(atPath: key.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        for mode in [0o640, 0o604, 0o620] {
            try FileManager.default.setAttributes(
                [.posixPermissions: mode], ofItemAtPath: key.path)
            let loose = try await run(["--key-file", key.path], "connect alice\n")
            #expect(loose.status != 0 && loose.errors.contains("chmod 600"), "\(loose)")
        }
    }

    @Test func keyIsNeitherReadNorWrittenThroughALink() async throws {
        let (key, target) = (
            place.url.appending(path: "key"), place.url.appending(path: "target")
        )
        try FileManager.default.createSymbolicLink(at: key, withDestinationURL: target)
        let dangling = try await run(["--key-file", key.path], "connect alice\n")
        #expect(dangling.status != 0, "\(dangling)")
        #expect(!FileManager.default.fileExists(atPath: target.path))
        try Data((String(repeating: "00", count: 32) + "\n").utf8).write(to: target)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: target.path)
        let linked = try await run(["--key-file", key.path], "connect alice\n")
        #expect(linked.status != 0, "\(linked)")
    }

    @Test func missingKeyFileOfEncryptedDataIsAnError() async throws {
        let key = place.url.appending(path: "key")
        _ = try await run(["--key-file", key.path], "connect alice\n")
        try FileManager.default.removeItem(at: key)
        let result = try await run(["--key-file", key.path], "connect alice\n")
        #expect(result.status != 0 && result.errors.contains("is encrypted"), "\(result)")
        #expect(!FileManager.default.fileExists(atPath: key.path))
    }
}
