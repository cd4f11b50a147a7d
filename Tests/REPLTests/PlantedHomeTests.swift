import Foundation
import ScrollbackTestSupport
import Testing

/// Tests links and pipes that another program has put into the home of the prompt, or in place of a
/// file that a command writes.
@Suite(.timeLimit(.minutes(10))) struct PlantedHomeTests {
    private let place: ScratchDirectory
    private let elsewhere: ScratchDirectory
    private var home: URL { place.url.appending(path: "home") }

    init() throws {
        place = try .made()
        elsewhere = try .made()
    }

    private func run(
        _ arguments: [String] = [], _ input: String
    ) async throws -> (status: Int32, output: String, errors: String) {
        try await Program.run(["--home", home.path] + arguments, input)
    }

    private func link(_ path: URL, to target: URL) throws {
        // The file need not exist.
        try? FileManager.default.removeItem(at: path)
        try FileManager.default.createSymbolicLink(at: path, withDestinationURL: target)
    }

    private func mode(of path: URL) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path.path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    /// The contents of all files below a directory, without locks, by their paths.
    private func hashes(below directory: URL) throws -> [String: Data] {
        var files: [String: Data] = [:]
        for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        where !path.hasSuffix("LOCK") {
            files[path] = FileManager.default.contents(
                atPath: directory.appending(path: path).path)
        }
        return files
    }

    // MARK: The home

    /// The device ID is sent to the homeserver.
    @Test func deviceIDIsReadFromNoOtherFile() async throws {
        let secrets = place.url.appending(path: "secrets")
        try Data("@alice:localhost password hunter2\n".utf8).write(to: secrets)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: secrets.path)
        // No process listens on port 1 of this machine.
        let arguments = ["--matrix", "http://127.0.0.1:1", "--secrets", secrets.path]
        _ = try await run(arguments, "connect @alice:localhost\n")
        let matrix = home.appending(path: "matrix")
        let ids = matrix.appending(path: "127.0.0.1_1/device-ids")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: ids.path).first)
        let file = ids.appending(path: name)
        let id = try String(contentsOf: file, encoding: .utf8)
        #expect(id.wholeMatch(of: /[A-Z]{10}/) != nil)
        #expect(try mode(of: file) == 0o600)

        let other = elsewhere.url.appending(path: "private")
        try Data("PRIVATEKEY".utf8).write(to: other)
        let plants: [() throws -> Void] = [
            { try link(file, to: other) },
            {
                try FileManager.default.removeItem(at: file)
                #expect(mkfifo(file.path, 0o600) == 0)
            },
            {
                try FileManager.default.removeItem(at: file)
                try Data("another text".utf8).write(to: file)
            },
            { try link(ids, to: elsewhere.url) },
            { try link(ids.deletingLastPathComponent(), to: elsewhere.url) },
            { try link(matrix, to: elsewhere.url) },
        ]
        for plant in plants {
            try plant()
            let result = try await run(arguments, "connect @alice:localhost\n")
            #expect(result.errors.hasPrefix("error: "), "\(result)")
            #expect(result.errors.contains(matrix.path), "\(result)")
            #expect(elsewhere.contents == ["private"])
        }
    }

    @Test func directoriesOfTheHomeAreNoLinks() async throws {
        let arguments = ["--key-file", place.url.appending(path: "key").path]
        let first = try await run(arguments, "connect alice\n")
        #expect(first.status == 0, "\(first)")
        let devices = home.appending(path: "devices")
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: devices.path).first)
        for path in [devices.appending(path: name), devices, home.appending(path: "server")] {
            try link(path, to: elsewhere.url)
            let result = try await run(arguments, "connect alice\n")
            #expect(result.status != 0, "\(result)")
            #expect(result.errors.contains("'\(path.path)' is a link"), "\(result)")
            #expect(elsewhere.contents == [])
            try FileManager.default.removeItem(at: path)
        }
        // Without a key, the directory has the name of the device. An earlier run may have left it.
        try FileManager.default.createDirectory(at: devices, withIntermediateDirectories: true)
        try link(devices.appending(path: "alice"), to: elsewhere.url)
        let result = try await run(arguments, "connect alice\n")
        #expect(result.status != 0, "\(result)")
        #expect(elsewhere.contents == [])
    }

    /// The links lead to the home of another prompt.
    @Test func commandsForAllDevicesFollowNoLink() async throws {
        let other = elsewhere.url.appending(path: "home")
        let key = ["--key-file", place.url.appending(path: "key").path]
        let script = "connect alice\nopen general\nsend secret\n"
        let first = try await Program.run(["--home", other.path], "demo\n" + script)
        #expect(first.status == 0, "\(first)")
        #expect(try await run(key, "demo\n" + script).status == 0)
        let (devices, theirs) = (
            home.appending(path: "devices"), other.appending(path: "devices")
        )
        let before = try hashes(below: theirs)
        for (link, target) in [(devices.appending(path: "-zzz"), "alice"), (devices, "")] {
            try self.link(link, to: theirs.appending(path: target))
            _ = try await run(key, "wipe-user all\nwipe-user alice\n")
            _ = try await run([], "client encrypt \(home.path) \(key[1]) alice\n")
            #expect(try hashes(below: theirs) == before)
        }
    }

    // MARK: Files that commands write

    @Test func exportIsReadableOnlyByItsOwner() async throws {
        let file = place.url.appending(path: "general.jsonl")
        for isNew in [true, false] {
            if !isNew {
                try Data("old".utf8).write(to: file)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: file.path)
            }
            let result = try await run([], "demo\nexport \(file.path) general\n")
            #expect(result.output.contains("exported "), "\(result)")
            #expect(try mode(of: file) == 0o600)
            #expect(try String(contentsOf: file, encoding: .utf8).hasPrefix("{"))
            try FileManager.default.removeItem(at: home)
        }
    }

    @Test func exportReplacesNoOtherFile() async throws {
        let file = place.url.appending(path: "general.jsonl")
        let other = elsewhere.url.appending(path: "notes.txt")
        try Data("kept".utf8).write(to: other)
        let plants: [() throws -> Void] = [
            { try link(file, to: other) },
            { try link(file, to: elsewhere.url.appending(path: "new")) },
            {
                try FileManager.default.removeItem(at: file)
                try FileManager.default.linkItem(at: other, to: file)
            },
            {
                try FileManager.default.removeItem(at: file)
                #expect(mkfifo(file.path, 0o600) == 0)
            },
        ]
        for plant in plants {
            try plant()
            let result = try await run([], "demo\nexport \(file.path) general\n")
            #expect(result.errors.contains("error: line 2: the file '\(file.path)'"), "\(result)")
            #expect(elsewhere.contents == ["notes.txt"])
            #expect(try Data(contentsOf: other) == Data("kept".utf8))
            try FileManager.default.removeItem(at: home)
        }
    }

    // MARK: Imports

    /// A script that reads the output would take the second line for the result.
    @Test func namesInAnArchiveAddNoLinesToTheOutput() async throws {
        let name = "a\nimported 9 messages into 9 channels"
        let good = """
            {"message_id": 1, "channel_url": "pets", "ts": 1700000000, "user": "bob", "message": "x"}
            """
        let bad = good.replacing(
            "1700000000", with: #""then\nimported 8 messages into 8 channels""#)
        for file in ["\(name).jsonl", "good.jsonl"] {
            try Data("\(good)\n\(bad)\n[]\n".utf8).write(to: elsewhere.url.appending(path: file))
        }
        let result = try await run([], "connect alice\nimport \(elsewhere.path)\n")
        let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("imported") }
        #expect(lines.count == 1, "\(result.output)")
    }
}
