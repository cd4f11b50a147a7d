import Foundation
import Scrollback

/// Commands from a pipe or a file: no prompt, results on stdout, errors on stderr.
@MainActor enum Script {
    /// Performs all lines, and returns whether none failed.
    ///
    /// A file stops at the first that does; of a pipe the rest is performed too.
    static func run(_ options: Options) async -> Bool {
        let workspace = Workspace(options.world)
        var output = Output(options)
        let lines: AsyncStream<String>
        do {
            lines = try options.script.map { try Script.lines(of: $0) } ?? linesOfInput()
        } catch {
            output.fail("\(error)")
            return false
        }
        onTermination {
            Task { @MainActor in
                await workspace.end()
                exit(130)
            }
        }
        if isatty(STDERR_FILENO) == 1, !options.isQuiet {
            workspace.onProgress = { output.progress($0) }
        }
        var succeeded = true
        if options.isDemo { succeeded = await perform("demo", 0, workspace, &output) ?? true }
        var number = 0
        for await line in lines {
            number += 1
            guard let isFine = await perform(line, number, workspace, &output) else { break }
            succeeded = succeeded && isFine
            if !isFine, options.script != nil { break }
        }
        await workspace.end()
        return succeeded
    }

    /// Performs a line, and returns whether it succeeded; `nil` if it is to be the last.
    private static func perform(
        _ line: String, _ number: Int, _ workspace: Workspace, _ output: inout Output
    ) async -> Bool? {
        do {
            switch try await Command.perform(line, in: workspace) {
            case .text(let text): output.answer(text, to: line, number)
            case .quit: return nil
            }
            return true
        } catch {
            output.fail(sentence(of: error), line, number, workspace.news())
            return false
        }
    }

    /// What is written.
    private struct Output {
        private let isJSON: Bool
        private let isQuiet: Bool

        init(_ options: Options) { (isJSON, isQuiet) = (options.isJSON, options.isQuiet) }

        func answer(_ text: String, to line: String, _ number: Int) {
            if isJSON {
                guard !line.trimmingCharacters(in: .whitespaces).isEmpty else { return }
                return write(Answer(line: number, command: line, ok: true, lines: text.lines))
            }
            if !text.isEmpty, !isQuiet { write("\(text)\n", to: .standardOutput) }
        }

        func fail(_ message: String, _ line: String = "", _ number: Int = 0, _ news: [String] = [])
        {
            if isJSON {
                let answer = Answer(
                    line: number, command: line, ok: false, error: message, lines: news)
                return write(answer)
            }
            for line in news where !isQuiet { write("\(line)\n", to: .standardOutput) }
            let place = number > 0 ? "line \(number): " : ""
            write("error: \(place)\(message)\n", to: .standardError)
        }

        func progress(_ text: String?) {
            FileHandle.standardError.write(Data("\r\u{1B}[K\(text ?? "")".utf8))
        }

        private func write(_ answer: Answer) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            // Texts, numbers and truths can always be written.
            guard let data = try? encoder.encode(answer) else { return }
            FileHandle.standardOutput.write(data + Data("\n".utf8))
        }

        /// Not `print`: flushing it would wait for stdin, which another thread is reading.
        private func write(_ text: String, to file: FileHandle) {
            file.write(Data(text.visible.utf8))
        }
    }

    /// One command and what came of it, as `--json` writes it.
    private struct Answer: Encodable {
        var line: Int
        var command: String
        var ok: Bool
        var error: String?
        var lines: [String]
    }

    private static var signals: [any DispatchSourceSignal] = []

    private static func onTermination(_ body: @escaping @MainActor () -> Void) {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { MainActor.assumeIsolated(body) }
            source.activate()
            signals.append(source)
        }
    }

    /// The lines of a file.
    private static func lines(of path: String) throws -> AsyncStream<String> {
        let url = URL(filePath: NSString(string: path).expandingTildeInPath)
        guard let text = try? String(contentsOf: url, encoding: .utf8) else {
            throw CommandError.failed("there is no script '\(path)' that can be read")
        }
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        for line in text.lines { continuation.yield(line) }
        continuation.finish()
        return stream
    }

    /// The lines of stdin, read on a thread of their own: `readLine` blocks the one it is called on.
    private static func linesOfInput() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return stream
    }
}

extension String {
    /// Its lines, an empty one too.
    fileprivate var lines: [String] {
        isEmpty ? [] : split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
