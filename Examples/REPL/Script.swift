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
                case .text(let text): if !text.isEmpty { print(text) }
                case .quit: return succeeded
                }
            } catch {
                succeeded = false
                fflush(nil)
                FileHandle.standardError.write(Data("error: line \(number): \(error)\n".utf8))
            }
            fflush(nil)
        }
        return succeeded
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
