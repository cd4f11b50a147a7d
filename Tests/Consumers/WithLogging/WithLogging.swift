import EmbeddedServer
import Foundation
import Logging
import Scrollback

/// A log handler that records its lines.
struct Recorder: LogHandler {
    final class Lines: @unchecked Sendable {
        // The lock protects the lines.
        private let lock = NSLock()
        private var lines: [String] = []

        func append(_ line: String) { lock.withLock { lines.append(line) } }
        var all: [String] { lock.withLock { lines } }
    }

    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let channel = event.metadata?["channel"].map { " in \($0)" } ?? ""
        lines.append("\(event.level) \(event.message)\(channel)")
    }
}

@main
struct WithLogging {
    @MainActor static func main() async throws {
        let server = try EmbeddedServer.inMemory()
        try server.createChannel(
            GroupChannelCreateParams("General", userIDs: ["alice"], url: "general"), by: "bob")
        let lines = Recorder.Lines()
        LoggingSystem.bootstrap { _ in Recorder(lines: lines) }

        var options = ChatClientOptions()
        options.setLogger(Logger(label: "chat"))
        options.storage = .inMemory

        let client = try await ChatClient.open(backend: server.client(), options: options)
        try await client.connect(as: "alice")
        let collection = try client.makeMessageCollection(of: "general")
        _ = try await collection.send("a secret").result
        func isSent(_ line: String) -> Bool {
            line.hasPrefix("debug send") && line.hasSuffix(" in general")
        }
        while !lines.all.contains(where: isSent) { await Task.yield() }
        precondition(lines.all.contains("info the connection is online"))
        precondition(!lines.all.contains { $0.contains("secret") })
        await client.close()
    }
}
