import Scrollback

extension Command {
    static let general: [Command] = [
        Command("help [COMMAND | --json]", "Lists the commands, or explains one, or --json.") {
            arguments in
            if arguments.words == ["--json"] { return OutputLine.help }
            if arguments.words.isEmpty { return overview }
            let begun = beginning(with: arguments.words)
            guard !begun.isEmpty else { throw unknown(arguments.words.joined(separator: " ")) }
            guard let command = begun.first(where: { $0.words.count == arguments.words.count })
            else { return begun.map(\.overviewLine).joined(separator: "\n") }
            let others = begun.map(\.name).filter { $0 != command.name }
            let lines =
                [command.title] + ([command.summary] + command.notes).map { "    \($0)" }
                + (command.example.map { ["    For example: \($0)"] } ?? [])
                + (others.isEmpty ? [] : ["    See also: \(others.joined(separator: ", "))"])
            return lines.joined(separator: "\n")
        },
        Command(
            "version", "Shows the versions of the package and of the LevelDB it is linked with."
        ) {
            _ in
            let (major, minor) = LevelDB.version
            return "Scrollback \(version) (unreleased), LevelDB \(major).\(minor)"
        },
        Command("quit", "Ends the prompt. Ctrl-D does the same.") { arguments in
            arguments.workspace.hasEnded = true
            return ""
        },
    ]

    static let version = "0.1.0"

    private static var overview: String {
        groups.map { title, commands in
            ([title] + commands.map(\.overviewLine)).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    /// The line in the list of commands, without long arguments.
    private var overviewLine: String {
        let limit = 32
        let shown = title.count <= limit ? title : "\(name) …"
        return "  \(shown.padded(to: limit))  \(summary)"
    }
}
