import Foundation
import Models

/// The promises that the processes of a world have printed.
struct Promises {
    private(set) var written: [ChannelURL: [String]] = [:]
    private(set) var heard: [ChannelURL: Set<MessageID>] = [:]
    /// True if the last process ran to its end.
    let isComplete: Bool

    /// The last line of a process that ran to its end.
    static let end = "end"

    /// Returns the file into which the processes of a world print.
    static func file(in directory: URL) -> URL { directory.appending(path: "promises") }

    init(in directory: URL) throws {
        let text = try String(contentsOf: Promises.file(in: directory), encoding: .utf8)
        isComplete = text.hasSuffix("\(Promises.end)\n")
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count == 3 else { continue }
            let url = ChannelURL(words[1])
            if words[0] == "wrote" { written[url, default: []].append(words[2]) }
            if words[0] == "heard" { heard[url, default: []].insert(MessageID(words[2])) }
        }
    }

    /// The number of messages that the processes promised to send.
    var count: Int { written.values.reduce(0) { $0 + $1.count } }
}
