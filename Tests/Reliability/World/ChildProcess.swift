import Foundation
import ScrollbackTestSupport

/// A process of this program that the parent process kills.
///
/// The process writes its promises to a file next to its world, so the parent need not read its
/// output while the process runs.
struct ChildProcess {
    private let process = Process()
    private let watchdog: Watchdog

    /// Starts a process that continues the world in a directory.
    ///
    /// The directory is the first argument of the command. Reliability.swift lists the commands.
    init(_ command: String, in directory: URL, _ arguments: String...) throws {
        let file = Promises.file(in: directory)
        let files = FileManager.default
        try files.createDirectory(at: directory, withIntermediateDirectories: true)
        if !files.fileExists(atPath: file.path) { try Data().write(to: file) }
        let output = try FileHandle(forWritingTo: file)
        try output.seekToEnd()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [command, directory.path] + arguments
        process.standardOutput = output
        try process.run()
        watchdog = Watchdog(process)
        try output.close()
    }

    /// Waits until the process has ended.
    ///
    /// Returns whether it was killed, and throws if it did not end in time.
    func wasKilled() throws -> Bool {
        process.waitUntilExit()
        watchdog.cancel()
        if watchdog.hasKilled { throw Unexpected("a process did not end") }
        return process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    }

    /// Kills the process.
    ///
    /// Throws if it had already ended.
    func kill() throws {
        if process.isRunning { Foundation.kill(process.processIdentifier, SIGKILL) }
        guard try wasKilled() else {
            throw Unexpected("a process ended by itself with \(process.terminationStatus)")
        }
    }
}
