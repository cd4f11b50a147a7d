import Dispatch
import Foundation
import ScrollbackTestSupport

/// The program as a process, with its input and output.
///
/// Waiting happens on a queue of its own, so that other tests keep their threads.
final class Program: @unchecked Sendable {
    // @unchecked: after init, mutable state is only used on the queue, or at the end.
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private let queue = DispatchQueue(label: "program")
    private var watchdog: Watchdog?
    private var read = Text()
    private var readOfErrors = Text()

    /// The reason why reading has ended.
    struct Ended: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts the program with pipes.
    ///
    /// - Parameters:
    ///   - arguments: The program's arguments.
    ///   - environment: Changes of its environment.
    /// - Throws: If it cannot be started.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        process.executableURL = try Program.url()
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        try run()
    }

    /// Starts the program in a terminal.
    ///
    /// - Parameters:
    ///   - arguments: The program's arguments.
    ///   - columns: The width of the terminal.
    ///   - history: The history file.
    ///   - changes: Changes of its environment; by default the terminal is a dumb one.
    /// - Throws: If it cannot be started.
    init(
        _ arguments: [String], inTerminalOf columns: Int, history: URL,
        environment changes: [String: String] = [:]
    ) throws {
        let command = ([try Program.url().path] + arguments).map { "'\($0)'" }.joined(
            separator: " ")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "script", "-qefc", "stty cols \(columns) rows 24; exec \(command)", "/dev/null",
        ]
        var environment = ProcessInfo.processInfo.environment
        // Removes settings of the user who runs the tests.
        for name in ["COLUMNS", "LINES", "NO_COLOR"] { environment[name] = nil }
        environment["TERM"] = "dumb"
        environment["INPUTRC"] = "/dev/null"
        environment["SCROLLBACK_HISTORY"] = history.path
        process.environment = environment.merging(changes) { $1 }
        try run()
    }

    private func run() throws {
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        watchdog = Watchdog(process)
    }

    deinit { if process.isRunning { process.terminate() } }

    /// The URL of the program.
    static func url() throws -> URL { try BuiltProgram.url("scrollback-repl") }

    /// Types a text.
    func type(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

    /// Closes the input.
    func endInput() { input.fileHandleForWriting.closeFile() }

    /// Reads until a text appears, and returns the output including it.
    @discardableResult
    func reads(_ text: String) async throws -> String {
        try await reads(anyOf: [text])
    }

    /// Reads the output up to one of some texts, and returns the output including that text.
    @discardableResult
    func reads(anyOf texts: [String]) async throws -> String {
        try await onQueue { try $0.read.reads(anyOf: texts, from: $0.output) }
    }

    /// Reads the standard error up to a text, and returns it including that text.
    @discardableResult
    func readsError(_ text: String) async throws -> String {
        try await onQueue { try $0.readOfErrors.reads(anyOf: [text], from: $0.errors) }
    }

    /// Waits for the end, and returns the remaining output.
    func ends() async throws -> (status: Int32, output: String, errors: String) {
        try await onQueue { program in
            let rest = program.output.fileHandleForReading.readDataToEndOfFile()
            let errors = program.errors.fileHandleForReading.readDataToEndOfFile()
            program.process.waitUntilExit()
            program.watchdog?.cancel()
            program.read.add(rest)
            program.readOfErrors.add(errors)
            return (
                program.process.terminationStatus, program.read.text, program.readOfErrors.text
            )
        }
    }

    /// Kills the process.
    func kill() async throws {
        try await onQueue { program in
            program.watchdog?.cancel()
            Foundation.kill(program.process.processIdentifier, SIGKILL)
            program.process.waitUntilExit()
        }
    }

    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable (Program) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body(self) }) }
        }
    }

    /// Output that was read and not consumed yet.
    struct Text {
        private(set) var text = ""
        private var bytes = Data()

        /// Appends bytes.
        ///
        /// A terminal's line ends include a carriage return. Invalid UTF-8 becomes replacement
        /// characters, so that the text after it is found.
        mutating func add(_ data: Data) {
            bytes += data
            let end = bytes.endIndex - unfinished
            text += String(decoding: bytes[..<end], as: UTF8.self).replacing("\r\n", with: "\n")
            bytes = Data(bytes[end...])
        }

        /// The number of bytes at the end of an incomplete character or line end.
        private var unfinished: Int {
            if bytes.last == 0x0D { return 1 }
            for (count, byte) in zip(1..., bytes.suffix(3).reversed()) {
                switch byte {
                case 0x80..<0xC0: continue
                case 0xC0..<0xE0: return count < 2 ? count : 0
                case 0xE0..<0xF0: return count < 3 ? count : 0
                case 0xF0..<0xF8: return count
                default: return 0
                }
            }
            return 0
        }

        mutating func reads(anyOf wanted: [String], from pipe: Pipe) throws -> String {
            while true {
                let found = wanted.compactMap { text.range(of: $0) }
                if let range = found.min(by: { $0.lowerBound < $1.lowerBound }) {
                    let found = String(text[..<range.upperBound])
                    text = String(text[range.upperBound...])
                    return found
                }
                let data = pipe.fileHandleForReading.availableData
                guard !data.isEmpty else {
                    throw Ended(
                        description: "it ended before it said one of \(wanted), after: \(text)")
                }
                add(data)
            }
        }
    }
}
