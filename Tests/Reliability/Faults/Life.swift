import FaultyDisks
import Foundation
import Models
import Store

/// A day of a world in a process of its own, which is killed before a change to its disk.
struct Life {
    let promised: [ChannelURL: [String]]
    let heard: [ChannelURL: Set<MessageID>]
    /// Whether the day was over before there were so many changes.
    let cameToItsEnd: Bool

    /// Starts a process, and waits until it is no more.
    init(in directory: URL, killedAt change: Int, of database: String) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["live", directory.path, database, "\(change)"]
        process.standardOutput = output
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self)
        let promises = Promises(text)
        (promised, heard) = (promises.written, promises.heard)
        cameToItsEnd = text.hasSuffix("end\n")
        let isKilled =
            process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
        guard cameToItsEnd || isKilled else {
            throw Unexpected(
                "the process ended with \(process.terminationStatus): \(text.suffix(200))")
        }
    }

    /// Lives the day in this process, and prints what is promised when it is.
    static func live(in directory: URL, killedAt change: Int, of database: String) async throws {
        let world = try await World(in: directory)
        let disks = world.disks
        (database == "cache" ? disks.cache : disks.outbox).kill(at: change)
        try world.openDevice(on: disks)
        for step in Step.day { try await world.take(step) { say($0) } }
        await world.close()
        say("end")
    }
}

/// What a process has printed: each promise in a line of its own.
struct Promises {
    private(set) var written: [ChannelURL: [String]] = [:]
    private(set) var heard: [ChannelURL: Set<MessageID>] = [:]

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count == 3 else { continue }
            let url = ChannelURL(words[1])
            if words[0] == "wrote" { written[url, default: []].append(words[2]) }
            if words[0] == "heard" { heard[url, default: []].insert(MessageID(words[2])) }
        }
    }
}

/// What should not be.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
