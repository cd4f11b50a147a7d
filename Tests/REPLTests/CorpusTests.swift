import Dispatch
import Foundation
import Scrollback
import ScrollbackTestSupport
import Testing

@testable import ScrollbackREPL

/// Imports real logs and pages through the messages: `make corpus CORPUS=FILE`.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["SCROLLBACK_CORPUS"] != nil,
        "SCROLLBACK_CORPUS names no file of JSON lines"))
struct CorpusTests {
    private let directory: ScratchDirectory

    init() throws { directory = try .made() }

    @Test func importedMessagesArePagedOfflineUnchanged() async throws {
        let path = ProcessInfo.processInfo.environment["SCROLLBACK_CORPUS"] ?? ""
        let expected = try Contents(of: URL(filePath: path))
        let home = ["--home", directory.url.appending(path: "home").path]

        // The program is a debug build.
        let patience = DispatchTimeInterval.seconds(1800)
        let importing = try Program(home, patience: patience)
        importing.type("connect alice\nimport \(path)\n")
        importing.endInput()
        let imported = try await importing.ends()
        #expect(!imported.errors.contains("error: ") && imported.status == 0)
        print(imported.output)
        #expect(imported.output.contains("imported \(grouped(expected.lines.count)) messages"))

        // A new process, without a network.
        let paging = try Program(home, patience: patience)
        let channels = Set(expected.lines.values.map(\.channel)).sorted()
        paging.type("as alice\noffline\ndisconnect\n")
        func file(_ channel: String) -> URL { directory.url.appending(path: "\(channel).jsonl") }
        for channel in channels {
            let path = file(channel).path
            paging.type("open \(channel) cacheOnly\nprev 3\nclose\nexport \(path) \(channel)\n")
        }
        paging.endInput()
        #expect(try await paging.ends().errors.contains("error: ") == false)
        var found = 0
        for channel in channels {
            let contents = try Contents(of: file(channel))
            found += contents.lines.count
            let different = contents.lines.filter { expected.lines[$0.key] != $0.value }
            #expect(different.isEmpty, "\(different.prefix(3))")
            #expect(contents.isOrdered)
        }
        #expect(found == expected.lines.count)

        // The exports can be imported, and exported again, unchanged.
        let second = try Program(
            ["--home", directory.url.appending(path: "second").path], patience: patience)
        second.type("connect alice\n")
        for channel in channels {
            let path = file(channel).path
            second.type("import \(path)\nexport \(path).again \(channel)\n")
        }
        second.endInput()
        let again = try await second.ends()
        #expect(!again.errors.contains("error: ") && again.status == 0)
        for channel in channels {
            let first = try Data(contentsOf: file(channel)).split(separator: 0x0A)
            let again = try Data(contentsOf: file(channel).appendingPathExtension("again"))
                .split(separator: 0x0A)
            #expect(again.count == first.count)
            for (new, old) in zip(again, first) where new != old {
                #expect(Self.withoutCountTime(new) == Self.withoutCountTime(old))
            }
        }
    }

    /// Returns a line without the time at which the server has counted the replies.
    private static func withoutCountTime(_ line: Data) -> String {
        String(decoding: line, as: UTF8.self)
            .replacing(#/("reply_count":\d+),"updated_at":\d+/#) { "\($0.1)" }
    }

    /// The messages of a file, by id.
    private struct Contents {
        struct Line: Hashable {
            var channel: String
            var time: Int64
            var sender: String?
            var text: String
            var parent: String?
        }

        var lines: [String: Line] = [:]
        var isOrdered = true

        init(of url: URL) throws {
            var data = try Data(contentsOf: url)
            if url.pathExtension == "gz" {
                let (process, pipe) = (Process(), Pipe())
                process.executableURL = URL(filePath: "/usr/bin/env")
                process.arguments = ["gzip", "-dc", url.path]
                process.standardOutput = pipe
                try process.run()
                data = try pipe.fileHandleForReading.readToEnd() ?? Data()
            }
            var last: [String: Int64] = [:]
            for bytes in data.split(separator: 0x0A) {
                var fields = try JSONDecoder().decode([String: JSONValue].self, from: bytes)
                // An export names the sender `user`, with a nickname.
                fields["sender"] = fields["user"]?["user_id"] ?? fields["sender"]
                func text(_ name: String) -> String? { fields[name].map { "\($0)" } }
                let channel = text("channel_url") ?? ""
                guard case .int(let time)? = fields["created_at"] else { continue }
                if let before = last[channel], before >= time { isOrdered = false }
                last[channel] = time
                // An exported ID is a text, and an ID of the corpus may be a number.
                func id(_ name: String) -> String? { text(name)?.replacing("\"", with: "") }
                lines[id("message_id") ?? ""] = Line(
                    channel: id("channel_url") ?? "", time: time, sender: text("sender"),
                    text: text("message") ?? #""""#, parent: id("parent_message_id"))
            }
        }
    }
}
