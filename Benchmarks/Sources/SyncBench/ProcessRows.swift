import Collections
import EmbeddedServer
import Foundation
import Measuring
import Models
import Store
import Sync

/// The parameters of a new process.
struct ProbeWork: Sendable {
    /// The directory of the client's files.
    var directory: URL
    var isEncrypted = false
    /// The number of messages in the cache.
    var count: Int
    /// The value of ``monotonicNanoseconds`` just before the process was started.
    var startedAt = 0

    var options: ChatClientOptions {
        var options = ChatClientOptions(storage: .directory(directory))
        if isEncrypted { options.encryptionKey = EncryptionKey(0..<32) }
        return options
    }

    /// The file with the epoch of the server whose messages are in the cache.
    var epochFile: URL { directory.appendingPathExtension("epoch") }

    var microsecondsSinceStart: Double { Double(monotonicNanoseconds - startedAt) / 1000 }
}

/// The system's monotonic time, which is the same in all processes.
var monotonicNanoseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

extension ProcessProbe {
    /// Measures new processes that open a cache with `count` messages in one channel.
    @MainActor
    static func rows(of count: Int, in directory: URL) async throws -> [Row] {
        let plain = ProbeWork(directory: directory.appending(path: "plain"), count: count)
        let encrypted = ProbeWork(
            directory: directory.appending(path: "encrypted"), isEncrypted: true, count: count)
        for work in [plain, encrypted] {
            let (server, client) = try await fill(work)
            await client.close()
            let session = try await server.client().connect(as: Credentials("bob"))
            try session.epoch.rawValue.write(
                to: work.epochFile, atomically: true, encoding: .utf8)
        }
        let push = ProbeWork(directory: directory.appending(path: "push"), count: count)
        try ChatStore(at: push.directory).close()
        // A client creates this directory; see Docs/Format.md, "Push inbox".
        try FileManager.default.createDirectory(
            at: push.directory.appending(path: "drops"), withIntermediateDirectories: true)

        var rows = try launchRows("plain", plain) + launchRows("encrypted", encrypted)
        rows.append(
            Row(
                what: "a new process that opens no client, from its start, median and worst",
                count: 0, figure: medianAndWorst(try (0..<11).map { _ in try start.ask(plain)[0] }))
        )
        let memory: [(ProcessProbe, String, ProbeWork, Int)] = [
            (.start, "private memory of a process without a client", plain, 1),
            (.idle, "private memory of a connected client, with an open cache", plain, 0),
            (.app, "…, connected, with 40 messages of a channel", plain, 0),
            (.collections, "…, connected, with the list of channels and ten channels", plain, 0),
            (.collections, "…, connected, the same with encrypted files", encrypted, 0),
            (.push, "private memory of a notification extension, after a push", push, 0),
        ]
        for (probe, what, work, figure) in memory {
            let sizes = try (0..<5).map { _ in try probe.ask(work)[figure] }
            let megabytes = String(format: "%.1f MB", sizes.sorted()[2] / 1e6)
            rows.append(Row(what: what, count: count, figure: megabytes))
        }
        for (probe, what) in [(received, "received"), (sent, "sent")] {
            let work = ProbeWork(directory: directory.appending(path: what), count: count)
            let figures = try probe.ask(work).map { "\(Int($0.rounded()))" }
            let parts = ["passed to write (wchar)", "written to the disk (write_bytes)"]
            for (part, figure) in zip(parts, figures) {
                rows.append(
                    Row(
                        what: "bytes \(part) for each \(what) message, with a filled cache",
                        count: count, figure: figure))
            }
        }
        let work = ProbeWork(directory: directory.appending(path: "wakeups"), count: 100)
        rows.append(
            Row(
                what: "wake-ups of a connected, idle client in a minute", count: 1,
                figure: "\(Int(try wakeups.ask(work)[0]))"))
        return rows
    }

    private static func launchRows(_ files: String, _ work: ProbeWork) throws -> [Row] {
        var rows: [Row] = []
        let launches: [(ProcessProbe, String, isCold: Bool)] = [
            (launch, "in the system's memory", false), (launch, "from the disk", true),
            (relaunch, "opened again in the process", false),
        ]
        for (probe, what, isCold) in launches {
            let times = try (0..<11).map { _ in
                if isCold { forgetFiles(in: work.directory) }
                return try probe.ask(work)
            }
            rows.append(
                Row(
                    what: "first 40 rows in a new process, \(files) files, \(what), "
                        + "median and worst",
                    count: work.count, figure: medianAndWorst(times.map { $0[0] })))
            guard probe == launch else { continue }
            rows.append(
                Row(
                    what: "…, from the start of the process", count: work.count,
                    figure: medianAndWorst(times.map { $0[1] })))
        }
        return rows
    }

    private static func medianAndWorst(_ microseconds: [Double]) -> String {
        let times = microseconds.sorted().map { Duration.microseconds($0) }
        return "\(times[times.count / 2].short), \(times[times.count - 1].short)"
    }

    /// Returns the figures that a new process prints.
    private func ask(_ work: ProbeWork) throws -> [Double] {
        var arguments = [
            "--probe", rawValue, "--directory", work.directory.path, "--count", "\(work.count)",
        ]
        if work.isEncrypted { arguments.append("--encrypted") }
        arguments += ["--started", "\(monotonicNanoseconds)"]
        let text = String(decoding: try outputOfThisProgram(arguments), as: UTF8.self)
        let figures = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard !figures.isEmpty else { fatalError("The process has printed no figure: \(text)") }
        return figures
    }
}
