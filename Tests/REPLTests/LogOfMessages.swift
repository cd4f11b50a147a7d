import Foundation
import ScrollbackTestSupport

/// A temporary file with a chat log.
final class LogOfMessages {
    private let directory: ScratchDirectory

    var path: String { directory.url.appending(path: "log.jsonl").path }

    /// Writes messages with consecutive numbers as ids.
    init(count: Int, from first: Int = 1) throws {
        directory = try .made()
        let lines = (first..<first + count).map {
            #"{"message_id": \#($0), "channel_url": "log", "created_at": \#(1_700_000_000_000 + $0), "sender": "u\#($0 % 7)", "message": "line \#($0)"}"#
        }
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: path))
    }
}
