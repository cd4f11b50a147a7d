import Dispatch
import Foundation

@MainActor
enum SecretInput {
    /// Shows a question and reads the answer; `nil` if it is empty, or the task is canceled.
    static func read(_ question: String) async -> String? {
        var shown = termios()
        tcgetattr(STDIN_FILENO, &shown)
        var hidden = shown
        // The terminal collects a line, and shows only its end.
        hidden.c_lflag &= ~tcflag_t(ECHO)
        hidden.c_lflag |= tcflag_t(ICANON | ECHONL | ISIG)
        hidden.c_iflag |= tcflag_t(ICRNL)
        tcsetattr(STDIN_FILENO, TCSANOW, &hidden)
        defer { tcsetattr(STDIN_FILENO, TCSANOW, &shown) }
        print(question, terminator: "")
        fflush(nil)

        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let input = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
        input.setEventHandler {
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = Foundation.read(STDIN_FILENO, &bytes, bytes.count)
            if count > 0 {
                continuation.yield(String(decoding: bytes[..<count], as: UTF8.self))
            } else {
                continuation.finish()
            }
        }
        input.activate()
        defer { input.cancel() }
        var text = ""
        for await piece in lines {
            text += piece
            if text.hasSuffix("\n") { break }
        }
        if text.hasSuffix("\n") { text.removeLast() }
        return text.isEmpty || Task.isCancelled ? nil : text
    }
}
