import ScrollbackREPL

/// `scrollback`: the package at a prompt.
@main struct Prompt {
    @MainActor static func main() async { await REPL.run() }
}
