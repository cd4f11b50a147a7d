import Dispatch
import Foundation
import Testing

/// The program as a process, with what it is told and what it writes.
final class Program {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private let watchdog = DispatchSource.makeTimerSource(queue: .global())
    private var bytes = Data()
    private var read = ""

    /// Begins the program behind pipes.
    init(_ arguments: [String]) throws {
        process.executableURL = try Program.url
        process.arguments = arguments
        try run()
    }

    /// Begins the program in a terminal that is so many columns wide.
    ///
    /// - Parameters:
    ///   - arguments: What follows the program's name.
    ///   - columns: The width.
    ///   - history: Where the history is kept.
    /// - Throws: If it cannot be begun.
    init(_ arguments: [String], inTerminalOf columns: Int, history: URL) throws {
        let command = ([try Program.url.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "script", "-qefc", "stty cols \(columns) rows 24; exec \(command)", "/dev/null",
        ]
        var environment = ProcessInfo.processInfo.environment
        // No escapes, and none of the keys of whoever runs the tests.
        environment["TERM"] = "dumb"
        environment["INPUTRC"] = "/dev/null"
        environment["SCROLLBACK_HISTORY"] = history.path
        environment["COLUMNS"] = nil
        environment["LINES"] = nil
        process.environment = environment
        try run()
    }

    private func run() throws {
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        // What waits for a text that never comes is told that the program ended.
        let id = process.processIdentifier
        watchdog.schedule(deadline: .now() + 180)
        watchdog.setEventHandler { Foundation.kill(id, SIGKILL) }
        watchdog.resume()
    }

    deinit {
        watchdog.cancel()
        if process.isRunning { process.terminate() }
    }

    static var url: URL {
        get throws {
            let places = [Bundle.main.bundleURL] + Bundle.allBundles.map(\.bundleURL)
            let candidates = places.flatMap {
                [
                    $0.appending(path: "scrollback"),
                    $0.deletingLastPathComponent().appending(path: "scrollback"),
                ]
            }
            return try #require(
                candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) },
                "scrollback is not beside \(places.map(\.path))")
        }
    }

    /// Types.
    func type(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    /// Says that nothing more is typed.
    func endInput() { input.fileHandleForWriting.closeFile() }

    /// Reads until a text comes, and returns what came, with the text.
    @discardableResult
    func reads(_ text: String) throws -> String {
        while true {
            if let range = read.range(of: text) {
                let found = String(read[..<range.upperBound])
                read = String(read[range.upperBound...])
                return found
            }
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "it ended before it said '\(text)', after: \(read)")
            bytes += data.filter { $0 != 0x0D }
            // A character may come in two pieces.
            guard let text = String(data: bytes, encoding: .utf8) else { continue }
            read += text
            bytes = Data()
        }
    }

    /// Waits for the end, and returns all that is left.
    func ends() -> (status: Int32, output: String, errors: String) {
        let rest = output.fileHandleForReading.readDataToEndOfFile()
        let errors = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        watchdog.cancel()
        return (
            process.terminationStatus, read + String(decoding: rest, as: UTF8.self),
            String(decoding: errors, as: UTF8.self)
        )
    }

    /// Ends it, as if there were no power any more.
    func kill() {
        watchdog.cancel()
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
