import Foundation
import Scrollback

/// The result of writing the cached history of a channel to a file, page by page.
struct LogExport {
    private(set) var messageCount = 0
    private(set) var gapCount = 0

    let omissions: [String]

    private let file: OutputFile

    private static let pageSize = 500

    /// Writes a channel to a file, which is replaced, and is private to its owner.
    init(of url: ChannelURL, in store: ChatStore, to path: String) throws {
        let snapshot = try store.snapshot()
        let unsent = try snapshot.outboxItems(in: url).count
        omissions =
            ["the contents of files", "members and settings of the channel"]
            + (unsent > 0 ? [counted(unsent, "unsent message or change")] : [])
        file = try OutputFile(path)
        var gaps = try snapshot.gaps(in: url)[...]
        // The number is the version of the format.
        try write(
            [
                "scrollback_export": 1, "channel_url": .string(url.rawValue),
                "name": .string(snapshot.groupChannel(url)?.name ?? url.rawValue),
                "message_count": .int(Int64(snapshot.messageCount(in: url))),
                "gap_count": .int(Int64(gaps.count)),
                "left_out": .array(omissions.map { .string($0) }),
            ] as JSONValue)
        var anchor = HistoryAnchor.oldest
        while true {
            let page = try snapshot.messages(in: url, after: anchor, limit: Self.pageSize)
            for message in page {
                guard let position = message.position else { continue }
                while let gap = gaps.first, gap.lower < .position(position) {
                    try write(gap)
                    gaps.removeFirst()
                }
                try write(message)
                messageCount += 1
                anchor = .position(position)
            }
            if page.count < Self.pageSize { break }
        }
        for gap in gaps { try write(gap) }
        guard file.end() else { throw OutputFile.failure(path) }
    }

    private mutating func write(_ gap: Gap) throws {
        let bounds: JSONValue = ["from": .string("\(gap.lower)"), "to": .string("\(gap.upper)")]
        try write(["gap": bounds] as JSONValue)
        gapCount += 1
    }

    private func write(_ line: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // `init` reports errors of the file.
        file.write(try encoder.encode(line) + [0x0A])
    }
}
