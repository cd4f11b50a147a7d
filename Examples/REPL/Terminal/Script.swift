import Foundation
import Scrollback

@MainActor enum Script {
    /// Performs all lines, and returns whether all succeeded.
    ///
    /// A script in a file stops at the first error. A script from a pipe continues, unless the
    /// output cannot be written.
    static func run(_ options: Options) async -> Bool {
        let output = Output(options)
        var worldOptions = options.world
        // A reader of JSON can ignore events itself.
        if options.isJSON { worldOptions.eventLimit = 10_000 }
        let workspace = Workspace(worldOptions)
        if let patience = options.patience { workspace.patience = patience }
        if let width = output.width { workspace.width = width }
        let lines: AsyncStream<String>
        do {
            lines = try options.script.map { try Script.lines(of: $0) } ?? linesOfInput()
        } catch {
            output.fail(error)
            return false
        }
        onTermination { number in
            Task { @MainActor in
                await workspace.end()
                // As a shell reports a process that a signal has ended.
                exit(128 + number)
            }
        }
        workspace.onEvent = { output.write($0) }
        workspace.onProgress = { output.progress($0) }
        var succeeded = true
        if let command = options.firstCommand {
            succeeded = await perform(command, workspace, output) ?? true
            // Later lines would report that no user is connected.
            if output.hasFailed || !succeeded && !options.isDemo {
                await workspace.end()
                return false
            }
        }
        for await line in lines {
            output.line += 1
            guard let isSuccess = await perform(line, workspace, output) else { break }
            succeeded = succeeded && isSuccess
            if output.hasFailed || !isSuccess && options.script != nil { break }
        }
        let isStored = workspace.notStored == nil
        await workspace.end()
        return succeeded && isStored && !output.hasFailed
    }

    /// Performs a line, and returns whether it succeeded; `nil` if it ends the script.
    private static func perform(
        _ line: String, _ workspace: Workspace, _ output: Output
    ) async -> Bool? {
        do {
            let outcome = try await Command.perform(line, in: workspace)
            output.notStored = workspace.notStored
            output.write(outcome, of: line)
            return workspace.hasEnded ? nil : true
        } catch {
            output.notStored = workspace.notStored
            output.write(workspace.events())
            output.fail(error, of: line)
            return false
        }
    }

    private static var signals: [any DispatchSourceSignal] = []

    private static func onTermination(_ body: @escaping @MainActor (Int32) -> Void) {
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
            source.setEventHandler { MainActor.assumeIsolated { body(number) } }
            source.activate()
            signals.append(source)
        }
    }

    private static func lines(of path: String) throws -> AsyncStream<String> {
        let url = URL(filePath: path.fromHome)
        guard let text = try? String(contentsOf: url, encoding: .utf8) else {
            throw CommandError.failed("there is no script '\(path)' that can be read")
        }
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        for line in text.withoutByteOrderMark.textLines { continuation.yield(String(line)) }
        continuation.finish()
        return stream
    }

    /// Returns the lines of stdin, read by a separate thread, which `readLine` blocks.
    private static func linesOfInput() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            var isFirst = true
            while let line = readLine() {
                continuation.yield(isFirst ? line.withoutByteOrderMark : line)
                isFirst = false
            }
            continuation.finish()
        }
        return stream
    }
}

extension String {
    /// The lines of a text file of any operating system.
    var textLines: [Substring] {
        isEmpty
            ? [] : split(omittingEmptySubsequences: false) { ["\n", "\r\n", "\r"].contains($0) }
    }
}
