import Foundation

/// The output of a script.
///
/// Results go to stdout; errors and progress go to stderr.
@MainActor final class Output {
    /// The number of the line being performed; 0 before the first line.
    var line = 0

    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var lastProgress: ContinuousClock.Instant?

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

    /// Writes the result of a command, or events that no command has caused.
    ///
    /// Empty lines and comments have no result.
    func write(_ text: String) {
        if !text.isEmpty { write("\(text)\n", to: .standardOutput) }
    }

    func fail(_ error: any Error) {
        let place = line > 0 ? "line \(line): " : ""
        write("error: \(place)\(sentence(of: error))\n", to: .standardError)
    }

    /// Shows progress: on a terminal in place, otherwise as lines at intervals.
    ///
    /// Pass `nil` to end the progress.
    func progress(_ text: String?) {
        if isTerminal {
            FileHandle.standardError.write(Data("\r\u{1B}[K\(text?.visible ?? "")".utf8))
        } else if let text {
            if let lastProgress, .now - lastProgress < .seconds(5) { return }
            lastProgress = .now
            write("\(text)\n", to: .standardError)
        } else {
            lastProgress = nil
        }
    }

    /// Writes text to a file.
    ///
    /// Do not use `print` here: flushing its output waits for stdin, which another thread is
    /// reading.
    private func write(_ text: String, to file: FileHandle) {
        file.write(Data(text.visible.utf8))
    }
}
