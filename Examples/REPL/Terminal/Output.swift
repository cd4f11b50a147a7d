import Foundation

/// The output of a script.
///
/// Results go to stdout; errors and progress go to stderr. With `--json`, results, errors and
/// events go to stdout, as lines of JSON. A failure of stdout is reported once.
@MainActor final class Output {
    /// The number of the current line; 0 before the first line.
    var line = 0

    /// `true` if stdout could not be written; later output to it is discarded.
    private(set) var hasFailed = false

    /// The reason why nothing is stored on disk, for each result and error.
    var notStored: String?

    private let isJSON: Bool
    private let isQuiet: Bool
    private var plainProgress = isatty(STDERR_FILENO) == 1 ? nil : PlainProgress()

    init(_ options: Options) { (isJSON, isQuiet) = (options.isJSON, options.isQuiet) }

    /// The terminal's number of columns; `nil` without a terminal.
    var width: Int? {
        for file in [STDOUT_FILENO, STDERR_FILENO] {
            var size = winsize()
            if ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 8 {
                return Int(size.ws_col)
            }
        }
        return nil
    }

    func write(_ outcome: Command.Outcome, of input: String) {
        if !isJSON, let notStored, outcome.reply != nil { report("warning: \(notStored)\n") }
        if isQuiet { return }
        guard isJSON else { return writeText(outcome.text) }
        write(outcome.lines(for: input, line))
    }

    func write(_ events: [Event]) {
        if isQuiet { return }
        guard isJSON else { return writeText(events.map(\.text.oneLine).joined(separator: "\n")) }
        write(events.map { OutputLine($0, line) })
    }

    private func write(_ lines: [OutputLine]) {
        for line in lines { write("\(line.with(warning: notStored).json)\n") }
    }

    private func writeText(_ text: String) {
        if !text.isEmpty { write("\(text)\n") }
    }

    func fail(_ error: any Error, of input: String = "") {
        guard !isJSON else { return write([OutputLine(error, to: input, line)]) }
        let place = line > 0 ? "line \(line): " : ""
        report("error: \(place)\(sentence(of: error))\n")
    }

    /// Shows progress, on a terminal in place, otherwise as lines; `nil` ends it.
    func progress(_ text: String?) {
        guard !isQuiet else { return }
        if plainProgress == nil {
            _ = StandardFiles.write("\r\u{1B}[K\(text?.visible ?? "")", to: STDERR_FILENO)
        } else if let line = plainProgress?.line(text, at: .now) {
            report("\(line)\n")
        }
    }

    /// Writes text to stdout, without `print`, whose flush waits for the thread that reads stdin.
    private func write(_ text: String) {
        guard !hasFailed else { return }
        let error = StandardFiles.write(text.visible, to: STDOUT_FILENO)
        guard error != 0 else { return }
        hasFailed = true
        report("error: the output cannot be written: \(String(cString: strerror(error)))\n")
    }

    private func report(_ text: String) {
        // If this fails too, only the exit status shows that a command failed.
        _ = StandardFiles.write(text.visible, to: STDERR_FILENO)
    }
}

extension Command.Outcome {
    func lines(for input: String, _ line: Int) -> [OutputLine] {
        (reply.map { [OutputLine($0, to: input, line)] } ?? [])
            + events.map { OutputLine($0, line) }
    }
}

/// Selects the lines of progress for an output that cannot overwrite: each command's first one, and
/// further ones at intervals.
struct PlainProgress {
    private var last: ContinuousClock.Instant?

    private static let interval = Duration.seconds(5)

    /// Returns the line if it is to be printed now; `nil` for `text` ends the progress.
    mutating func line(_ text: String?, at now: ContinuousClock.Instant) -> String? {
        guard let text else {
            last = nil
            return nil
        }
        if let last, now - last < PlainProgress.interval { return nil }
        last = now
        return text
    }
}
