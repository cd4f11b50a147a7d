import Foundation
import ScrollbackTestSupport
import Testing

/// A process that writes to a store until it is killed.
///
/// CrashWriter.swift is its program.
final class WritingProcess {
    private let process = Process()
    private let output = Pipe()
    private let watchdog: Watchdog
    private var bytes = Data()

    /// Starts a process that writes steps to a store.
    convenience init(in directory: StoreDirectory, seed: Int, from first: Int) throws {
        try self.init(in: directory, ["\(seed)", "\(first)"])
    }

    /// Starts a process that leaves messages in the push inbox of a store.
    convenience init(leavingIn directory: StoreDirectory, from first: Int) throws {
        try self.init(in: directory, ["drops", "\(first)"])
    }

    private init(in directory: StoreDirectory, _ arguments: [String]) throws {
        process.executableURL = try BuiltProgram.url("ScrollbackCrashWriter")
        process.arguments =
            [directory.url.path] + arguments
            + (directory.files == .encrypted ? ["encrypted"] : [])
        process.environment = BuiltProgram.environment
        process.standardOutput = output
        try process.run()
        watchdog = Watchdog(process)
    }

    /// Waits until the process has printed a number of lines.
    ///
    /// The process continues.
    func readLines(_ count: Int) {
        while bytes.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            bytes += more
        }
    }

    /// Kills the process.
    ///
    /// Returns the lines that it has printed.
    @discardableResult
    func kill() throws -> [Substring] {
        Foundation.kill(process.processIdentifier, SIGKILL)
        bytes += try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        watchdog.cancel()
        #expect(!watchdog.hasKilled, "it has printed too little for too long")
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == SIGKILL)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix("opening\n") && text.hasSuffix("\n"))
        return text.split(separator: "\n")
    }
}
