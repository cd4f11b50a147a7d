import Foundation

/// Commands from a pipe or a file: no prompt, results on stdout, errors on stderr.
enum Script {
    /// Performs all of stdin, also what follows a command that failed, and returns whether none did.
    static func run() async -> Bool {
        var succeeded = true
        var number = 0
        let workspace = await Workspace()
        for await line in lines() {
            number += 1
            do {
                switch try await Command.perform(line, in: workspace) {
                case .text(let text):
                    if !text.isEmpty { write("\(text)\n", to: .standardOutput) }
                case .quit: return succeeded
                }
            } catch {
                succeeded = false
                write("error: line \(number): \(error)\n", to: .standardError)
            }
        }
        return succeeded
    }

    /// Not `print`: flushing it would wait for stdin, which another thread is reading.
    private static func write(_ text: String, to file: FileHandle) {
        file.write(Data(text.visible.utf8))
    }

    /// The lines of stdin, read on a thread of their own: `readLine` blocks the one it is called on.
    private static func lines() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        return stream
    }
}
