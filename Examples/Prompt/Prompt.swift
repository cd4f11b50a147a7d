import ScrollbackREPL

/// The program `scrollback`, a prompt for the package.
@main struct Prompt {
    @MainActor static func main() async { await REPL.run() }
}
