import Dispatch
import Foundation
import ScrollbackTestSupport
import Testing

/// The program as a process, with its input and output.
///
/// Calls that wait block a separate queue, and not the threads on which other tests run.
final class Program: @unchecked Sendable {
    // @unchecked: after `init`, mutable state is used only on the queue, or after the process has
    // ended.
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private let queue = DispatchQueue(label: "program")
    private var watchdog: Watchdog?
    private var read = Text()
    private var readOfErrors = Text()

    /// The reason why no more output can be read.
    struct Ended: Error, CustomStringConvertible {
        let description: String
    }

    /// Starts the program with pipes.
    ///
    /// - Parameters:
    ///   - arguments: The program's arguments.
    ///   - environment: Changes to the program's environment.
    ///   - shell: A command of the shell that starts the program, such as `exec "$@" 2>&-`.
    ///   - patience: The time after which the program is killed.
    /// - Throws: If the program cannot be started.
    init(
        _ arguments: [String], environment: [String: String] = [:],
        shell: String = #"exec "$@""#, patience: DispatchTimeInterval = .seconds(180)
    ) throws {
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", shell, "sh", try Program.url().path] + arguments
        process.environment = BuiltProgram.environment.merging(environment) { $1 }
        try run(patience)
    }

    /// Starts the program in a terminal.
    ///
    /// - Parameters:
    ///   - arguments: The program's arguments.
    ///   - columns: The width of the terminal.
    ///   - history: The history file.
    ///   - changes: Changes to the program's environment. Without changes, the terminal is `dumb`.
    /// - Throws: If the program cannot be started.
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
        var environment = BuiltProgram.environment
        // Remove the settings of the user who runs the tests.
        for name in ["COLUMNS", "LINES", "NO_COLOR"] { environment[name] = nil }
        environment["TERM"] = "dumb"
        environment["INPUTRC"] = "/dev/null"
        environment["SCROLLBACK_HISTORY"] = history.path
        process.environment = environment.merging(changes) { $1 }
        try run()
    }

    /// Starts the program with pipes, writes its whole input, and waits until it has ended.
    static func run(
        _ arguments: [String], _ input: String = "", environment: [String: String] = [:],
        shell: String = #"exec "$@""#
    ) async throws -> (status: Int32, output: String, errors: String) {
        let program = try Program(arguments, environment: environment, shell: shell)
        program.type(input)
        program.endInput()
        return try await program.ends()
    }

    private func run(_ patience: DispatchTimeInterval = .seconds(180)) throws {
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        watchdog = Watchdog(process, patience: patience)
    }

    deinit { if process.isRunning { process.terminate() } }

    static func url() throws -> URL { try BuiltProgram.url("scrollback-repl") }

    /// Writes to the program's input.
    ///
    /// If the program has ended, the text is dropped, and the signal `SIGPIPE` does not end the
    /// tests.
    func type(_ text: String) {
        var signals = sigset_t()
        var mask = sigset_t()
        var pending = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, &mask)
        // The output and the status show why the program has ended.
        try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
        sigpending(&pending)
        var number: Int32 = 0
        if sigismember(&pending, SIGPIPE) == 1 { sigwait(&signals, &number) }
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    func endInput() { input.fileHandleForWriting.closeFile() }

    /// Reads the output until a text appears.
    ///
    /// Returns the output including that text.
    @discardableResult
    func reads(_ text: String) async throws -> String {
        try await reads(anyOf: [text])
    }

    /// Reads the output until one of several texts appears.
    ///
    /// Returns the output including that text.
    @discardableResult
    func reads(anyOf texts: [String]) async throws -> String {
        try await onQueue { program in
            do {
                return try program.read.reads(anyOf: texts, from: program.output)
            } catch let ended as Ended {
                // With the stacks, if the watchdog ended the program.
                program.readOfErrors.add(program.errors.fileHandleForReading.readDataToEndOfFile())
                throw Ended(description: "\(ended), with errors: \(program.readOfErrors.text)")
            }
        }
    }

    /// Reads the standard error until a text appears.
    ///
    /// Returns what was read, including that text.
    @discardableResult
    func readsError(_ text: String) async throws -> String {
        try await onQueue { try $0.readOfErrors.reads(anyOf: [text], from: $0.errors) }
    }

    /// Waits until the process has ended.
    ///
    /// Returns the remaining output.
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

    /// Sends a signal, and returns the exit status.
    @discardableResult
    func kill(_ signal: Int32 = SIGKILL) async throws -> Int32 {
        try await onQueue { program in
            program.watchdog?.cancel()
            Foundation.kill(program.process.processIdentifier, signal)
            program.process.waitUntilExit()
            return program.process.terminationStatus
        }
    }

    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable (Program) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body(self) }) }
        }
    }

    /// Output that was read from the process but not consumed by the test yet.
    struct Text {
        private(set) var text = ""
        private var bytes = Data()

        /// Appends bytes.
        ///
        /// Terminals add a carriage return to each line end, which is removed. Invalid UTF-8 is
        /// replaced, so that the text after it can be found.
        mutating func add(_ data: Data) {
            bytes += data
            let end = bytes.endIndex - unfinished
            text += String(decoding: bytes[..<end], as: UTF8.self).replacing("\r\n", with: "\n")
            bytes = Data(bytes[end...])
        }

        /// The number of bytes at the end that may belong to an incomplete character or line end.
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

/// Writes the gzip file of a text.
func writeGzip(_ text: String, to file: URL) async throws {
    try Data(text.utf8).write(to: file.deletingPathExtension())
    let gzip = Process()
    gzip.executableURL = URL(filePath: "/usr/bin/env")
    gzip.arguments = ["gzip", "-f", file.deletingPathExtension().path]
    let (ends, continuation) = AsyncStream.makeStream(of: Int32.self)
    gzip.terminationHandler = {
        continuation.yield($0.terminationStatus)
        continuation.finish()
    }
    try gzip.run()
    for await status in ends { #expect(status == 0) }
}
