/// A person at a terminal: each line is a command, until `quit` or Ctrl-D.
@MainActor enum Prompt {
    static func run() async {
        let editor = LineEditor.shared
        let history = History()
        let workspace = Workspace()
        editor.completions = { Completion.words($0, after: $1, in: workspace) }
        history.load()
        print("Scrollback \(Version.package). Type help for the commands, Ctrl-D to leave.")
        for await line in editor.lines(prompt: "scrollback> ") {
            do {
                switch try await Command.perform(line, in: workspace) {
                case .text(let text): if !text.isEmpty { editor.print(text) }
                case .quit: editor.stop()
                }
            } catch {
                editor.print("error: \(error)")
            }
        }
        history.save()
    }
}
