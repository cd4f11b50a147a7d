import Foundation

/// The interactive prompt, until `quit` or Ctrl-D.
@MainActor enum Prompt {
    static func run(_ options: Options) async {
        let editor = LineEditor.shared
        let history = History()
        let workspace = Workspace(options.world)
        workspace.width = editor.width
        // Longer effects continue while the user types the next line.
        workspace.patience = options.patience ?? .milliseconds(300)
        workspace.onEvent = { editor.printAbovePrompt($0.map(\.text)) }
        workspace.onProgress = { editor.showProgress($0) }
        workspace.askSecret = { await editor.secret($0) }
        editor.completions = { Completion.words($0, after: $1, in: workspace, quote: $2) }
        history.load()
        print("Scrollback \(Command.version). Type help for the commands, Ctrl-D to leave.")
        let lines = editor.lines(prompt: workspace.prompt)
        if let command = options.firstCommand {
            await perform(command, workspace, editor)
        } else {
            editor.print(greeting(workspace.keptDeviceNames, isEmbedded: options.homeserver == nil))
        }
        for await line in lines {
            workspace.width = editor.width
            guard await perform(line, workspace, editor) else { break }
        }
        editor.stop()
        // The lines contain the texts of messages.
        if options.encryptionKey == nil { history.save() }
        await workspace.end()
        if editor.isTerminated { exit(128 + SIGTERM) }
    }

    static func greeting(_ devices: [String], isEmbedded: Bool = true) -> String {
        guard let first = devices.first else {
            guard isEmbedded else {
                return
                    "No user is connected: connect @alice:localhost connects one of the homeserver."
            }
            return "No user is connected: demo makes an example world, connect alice an empty one."
        }
        let shown = devices.prefix(5).map(\.visible.oneLine).joined(separator: ", ")
        let more = devices.count > 5 ? ", …" : ""
        return "Devices of earlier runs: \(shown)\(more). "
            + "Type connect \(first.visible.oneLine), or devices."
    }

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
            editor.printReply(try await task.value.text)
        } catch {
            editor.printAbovePrompt(workspace.events().map(\.text))
            editor.printError(task.isCancelled ? "canceled" : "error: \(sentence(of: error))")
        }
        return !workspace.hasEnded
    }
}
