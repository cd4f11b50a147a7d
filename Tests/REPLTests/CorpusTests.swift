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

        let imported = try await Program.run(home, "connect alice\nimport \(path)\n")
        #expect(!imported.errors.contains("error: ") && imported.status == 0)
        print(imported.output)
        #expect(imported.output.contains("imported \(grouped(expected.lines.count)) messages"))

        // A new process, without a network.
        let paging = try Program(home)
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
        let second = try Program(["--home", directory.url.appending(path: "second").path])
        second.type("connect alice\n")
        for channel in channels {
            let path = file(channel).path
            second.type("import \(path)\nexport \(path).again \(channel)\n")
        }
        second.endInput()
        #expect(try await second.ends().errors.contains("error: ") == false)
        /// The server sets the time at which it has counted the replies.
        func text(_ url: URL) throws -> String {
            try String(contentsOf: url, encoding: .utf8)
                .replacing(#/"updated_at":\d+},"user"/#, with: #"},"user""#)
        }
        for channel in channels {
            let again = try text(file(channel).appendingPathExtension("again"))
            #expect(try again == text(file(channel)))
        }
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
