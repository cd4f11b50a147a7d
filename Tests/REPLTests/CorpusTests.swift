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
        let expected = try Contents(of: path)
        let home = ["--home", directory.url.appending(path: "home").path]

        let importing = try Program(home)
        importing.type("connect alice\nimport \(path)\n")
        importing.endInput()
        let imported = try await importing.ends()
        #expect(!imported.errors.contains("error: ") && imported.status == 0)
        print(imported.output)
        #expect(imported.output.contains("imported \(expected.lines.count) messages"))

        // A new process, without a network.
        let paging = try Program(home)
        let channels = Set(expected.lines.values.map(\.channel)).sorted()
        paging.type("as alice\noffline\ndisconnect\n")
        for channel in channels {
            let file = directory.url.appending(path: channel).path
            paging.type("open \(channel) cacheOnly\nprev 3\nclose\nexport \(file) \(channel)\n")
        }
        paging.endInput()
        #expect(try await paging.ends().errors == "")
        var found = 0
        for channel in channels {
            let contents = try Contents(of: directory.url.appending(path: channel).path)
            found += contents.lines.count
            let different = contents.lines.filter { expected.lines[$0.key] != $0.value }
            #expect(different.isEmpty, "\(different.prefix(3))")
            #expect(contents.isOrdered)
        }
        #expect(found == expected.lines.count)
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

        init(of path: String) throws {
            let file = try LogFile(path)
            defer { file.close() }
            var last: [String: Int64] = [:]
            var hasMore = true
            while hasMore {
                hasMore = try file.readLines { bytes in
                    guard let line = try? JSONLine(bytes, fields: LogFields().bytes),
                        let message = try? LogFields().message(line, number: 0)
                    else { return }
                    let channel = message.channelURL.rawValue
                    let time = message.createdAt.milliseconds
                    if let before = last[channel], before >= time { isOrdered = false }
                    last[channel] = time
                    lines[message.messageID?.rawValue ?? ""] = Line(
                        channel: channel, time: time, sender: message.sender?.userID.rawValue,
                        text: message.text, parent: message.parentMessageID?.rawValue)
                }
            }
        }
    }
}
