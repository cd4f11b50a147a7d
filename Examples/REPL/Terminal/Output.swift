import Foundation

/// The output of a script.
///
/// Results go to stdout; errors and progress go to stderr. With `--json`, results, errors and
/// events go to stdout, as lines of JSON.
@MainActor final class Output {
    /// The number of the line being performed; 0 before the first line.
    var line = 0

    private let isJSON: Bool
    private let isQuiet: Bool
    private let showsProgress: Bool
    private var plainProgress: PlainProgress?

    init(_ options: Options) {
        (isJSON, isQuiet) = (options.isJSON, options.isQuiet)
        showsProgress = !options.isQuiet
        plainProgress = isatty(STDERR_FILENO) == 1 ? nil : PlainProgress()
    }

    /// The number of columns of the terminal; `nil` if the output is not a terminal.
    var width: Int? {
        for file in [STDOUT_FILENO, STDERR_FILENO] {
            var size = winsize()
            if ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 8 {
                return Int(size.ws_col)
            }
        }
        return nil
    }

    /// Writes the result of a command.
    ///
    /// Empty lines and comments have no result.
    func answer(_ reply: Command.Reply, to input: String) {
        guard isJSON else { return writeText(reply.shown) }
        for answer in reply.jsonLines(to: input, line) { write("\(answer)\n", to: .standardOutput) }
    }

    /// Writes the error of a command, after the events that arrived before the error.
    func fail(_ error: any Error, _ input: String = "", _ events: [Event] = []) {
        write(events)
        if isJSON {
            return write(
                "\(ResultLine(error, to: input, line).json)\n", to: .standardOutput)
        }
        let place = line > 0 ? "line \(line): " : ""
        write("error: \(place)\(sentence(of: error))\n", to: .standardError)
    }

    /// Writes events that no command has caused.
    func write(_ events: [Event]) {
        guard isJSON else { return writeText(events.map(\.text).joined(separator: "\n")) }
        for event in events {
            write("\(ResultLine(event, line).json)\n", to: .standardOutput)
        }
    }

    /// Shows progress: on a terminal in place, otherwise as lines at intervals.
    func progress(_ text: String?) {
        guard showsProgress else { return }
        if plainProgress == nil {
            FileHandle.standardError.write(Data("\r\u{1B}[K\(text?.visible ?? "")".utf8))
        } else if let line = plainProgress?.line(text, at: .now) {
            write("\(line)\n", to: .standardError)
        }
    }

    private func writeText(_ text: String) {
        if !text.isEmpty, !isQuiet { write("\(text)\n", to: .standardOutput) }
    }

    /// Writes text to a file.
    ///
    /// Do not use `print` here: flushing its output waits for stdin, which another thread is
    /// reading.
    private func write(_ text: String, to file: FileHandle) {
        file.write(Data(text.visible.utf8))
    }
}

extension Command.Reply {
    /// Returns the lines that `--json` writes: a line for the result, and one for each event.
    func jsonLines(to input: String, _ line: Int) -> [String] {
        let isCommand = Command.name(in: input) != nil
        return (isCommand ? [ResultLine(self, to: input, line).json] : [])
            + events.map { ResultLine($0, line).json }
    }
}

/// Selects the lines of progress for an output that cannot overwrite a line.
///
/// The lines are the first line of each command, and further lines at intervals.
struct PlainProgress {
    private var last: ContinuousClock.Instant?

    private static let interval = Duration.seconds(5)

    /// Returns the line if it is to be printed now; otherwise `nil`.
    ///
    /// Pass `nil` to end the progress.
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
