import Foundation

/// A person at a terminal: each line is a command, until `quit` or Ctrl-D.
@MainActor enum Prompt {
    static func run(_ options: Options) async {
        let editor = LineEditor.shared
        let history = History()
        let workspace = Workspace(options.world)
        workspace.width = editor.width
        // What takes longer goes on while the next line is typed.
        workspace.patience = options.patience ?? .milliseconds(300)
        workspace.onNews = { editor.printNews($0.map(\.text)) }
        workspace.onProgress = { editor.showProgress($0) }
        editor.completions = { Completion.words($0, after: $1, in: workspace, quote: $2) }
        history.load()
        print("Scrollback \(Version.package). Type help for the commands, Ctrl-D to leave.")
        let lines = editor.lines(prompt: workspace.prompt)
        if options.isDemo {
            await perform("demo", workspace, editor)
        } else {
            editor.print(
                "Nobody is here yet: demo opens a small world, connect alice an empty one.")
        }
        for await line in lines {
            workspace.width = editor.width
            guard await perform(line, workspace, editor) else { break }
        }
        editor.stop()
        history.save()
        await workspace.end()
    }

    /// Performs a line, and returns whether there may be another one.
    @discardableResult
    private static func perform(
        _ line: String, _ workspace: Workspace, _ editor: LineEditor
    ) async -> Bool {
        let task = Task { try await Command.perform(line, in: workspace) }
        editor.onInterrupt = { task.cancel() }
        defer {
            editor.onInterrupt = nil
            editor.showProgress(nil)
            editor.setPrompt(workspace.prompt)
        }
        do {
            let reply = try await task.value
            if reply.isLast { return false }
            editor.printReply(reply.shown)
        } catch {
            editor.printNews(workspace.news().map(\.text))
            editor.printError(task.isCancelled ? "canceled" : "error: \(sentence(of: error))")
        }
        return true
    }
}
