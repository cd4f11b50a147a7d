import Collections
import EmbeddedServer
import Foundation
import Measuring
import Models
import Store

/// A process whose private memory is measured.
enum MemoryProbe: String, CaseIterable {
    /// An app that shows the first 40 messages of a channel.
    case app
    /// A notification extension that leaves a message in the push inbox.
    case push

    private var title: String {
        switch self {
        case .app: "private memory, after a start with the first 40 messages"
        case .push: "private memory of a notification extension, after a push"
        }
    }

    /// Does the work of the process, and prints the private memory in bytes.
    @MainActor
    func run(in directory: URL) async throws {
        switch self {
        case .app:
            let store = try ChatStore(at: directory)
            let engine = makeEngine(store, try EmbeddedServer.inMemory().client())
            let collection = MessageCollection(of: "general", engine: engine)
            collection.start(.cacheOnly)
            precondition(collection.messages.count == 40)
            printMemory()
            collection.dispose()
            await engine.close()
            store.close()
        case .push:
            guard let inbox = try PushInbox(in: directory) else { fatalError("no inbox") }
            try inbox.leave(messages(1, in: "general", from: 1))
            printMemory()
        }
    }

    private func printMemory() { print(processMemory("Private_Dirty", in: "smaps_rollup")) }

    /// Returns the private memory of new processes, beside the stored messages of `count`.
    static func rows(of count: Int, in directory: URL) throws -> [Row] {
        let store = try ChatStore(at: directory)
        for start in stride(from: 0, to: count, by: 100) {
            try store.write { batch in
                for message in messages(100, in: "general", from: start + 1) {
                    try batch.save(message)
                }
            }
        }
        store.close()
        // A client creates this directory; see Docs/Format.md, "Push inbox".
        try FileManager.default.createDirectory(
            at: directory.appending(path: "drops"), withIntermediateDirectories: true)
        return try allCases.map { probe in
            let sizes = try (0..<5).map { _ in try probe.ask(directory) }.sorted()
            let megabytes = String(format: "%.1f MB", Double(sizes[2]) / 1e6)
            return Row(what: probe.title, count: count, figure: megabytes)
        }
    }

    /// Returns the private memory of a new process in bytes.
    private func ask(_ directory: URL) throws -> Int {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = ["--probe", rawValue, "--directory", directory.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: output, as: UTF8.self)
        guard let size = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            fatalError("The process has printed no size: \(text)")
        }
        return size
    }
}
