import CPeers
import Foundation
import Measuring
import Models

/// A message of the corpus.
struct Line {
    let channel: String
    let sender: String
    let text: String
    let time: Int64
    let id: Int

    var message: Message {
        Message(
            id: MessageID(String(id)), channelURL: ChannelURL(channel),
            sender: Sender(id: UserID(sender)), text: text,
            createdAt: Timestamp(milliseconds: time))
    }

    /// Reads messages from a file with a JSON object on each line, and sorts them by time.
    static func read(from file: URL) throws -> [Line] {
        struct Row: Decodable {
            let channelURL: String
            let createdAt: Int64
            let sender: String?
            let message: String

            enum CodingKeys: String, CodingKey {
                case channelURL = "channel_url"
                case createdAt = "created_at"
                case sender, message
            }
        }
        let decoder = JSONDecoder()
        return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n"))
            .map { try decoder.decode(Row.self, from: $0) }
            .sorted { $0.createdAt < $1.createdAt }
            .enumerated().map { index, row in
                Line(
                    channel: row.channelURL, sender: row.sender ?? "", text: row.message,
                    time: row.createdAt, id: index + 1)
            }
    }

    /// Generates messages in 300 channels, which are the same in each run.
    ///
    /// The text of a message is the beginning of one text of `lines` and the end of another.
    static func generate(_ count: Int, from lines: [Line]) -> [Line] {
        var dice = Dice(1)
        let words = lines.map { $0.text.split(separator: " ") }
        return (1...count).map { id in
            let first = words[dice.roll(below: words.count)]
            let second = words[dice.roll(below: words.count)]
            let text = first.prefix((first.count + 1) / 2) + second.suffix((second.count + 1) / 2)
            // The smaller of two random numbers, so that some channels have many messages and
            // others few.
            let channel = min(dice.roll(below: 300), dice.roll(below: 300))
            return Line(
                channel: "channel-\(channel)", sender: "user-\(dice.roll(below: 5000))",
                text: text.joined(separator: " "), time: 1_600_000_000_000 + Int64(id) * 1_000,
                id: id)
        }
    }
}

/// Messages in the form that the C functions take.
///
/// Their bytes are valid while a closure runs.
struct PeerTexts {
    private let bytes: [CChar]
    private let rows: [(id: Int, sender: Range<Int>, text: Range<Int>)]

    init(_ lines: ArraySlice<Line>) {
        var bytes: [CChar] = []
        func append(_ text: String) -> Range<Int> {
            let start = bytes.count
            bytes += text.utf8CString
            return start..<bytes.count - 1
        }
        rows = lines.map { ($0.id, append($0.sender), append($0.text)) }
        self.bytes = bytes
    }

    func withRows(_ body: (UnsafeBufferPointer<peer_text>) -> Void) {
        bytes.withUnsafeBufferPointer { bytes in
            let texts = rows.map { row in
                peer_text(
                    id: Int64(row.id), channel: 1,
                    sender: bytes.baseAddress! + row.sender.lowerBound,
                    sender_size: row.sender.count, text: bytes.baseAddress! + row.text.lowerBound,
                    text_size: row.text.count)
            }
            texts.withUnsafeBufferPointer(body)
        }
    }
}
