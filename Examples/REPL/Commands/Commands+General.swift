import Scrollback

extension Command {
    static let general: [Command] = [
        Command(
            name: "help",
            usage: "[COMMAND | --json]",
            summary: "Lists the commands, explains one, or explains the output of --json.",
            example: "help time",
            offers: [.commands],
            gives: [.commands]
        ) { arguments in
            if arguments.words.isEmpty { return .text(overview, [.commands: all.map(\.name)]) }
            if arguments.text == "--json" { return .text(ResultLine.help, [:]) }
            let begun = beginning(with: arguments.words)
            guard let command = begun.first(where: { $0.words.count == arguments.words.count })
            else {
                guard !begun.isEmpty else { throw unknown(arguments.words.joined(separator: " ")) }
                let lines =
                    begun.map(\.overviewLine)
                    + [
                        "For example: \(begun[0].example)",
                        "help \(begun[0].name) explains it.",
                    ]
                return .text(lines.joined(separator: "\n"), [.commands: begun.map(\.name)])
            }
            let others = begun.map(\.name).filter { $0 != command.name }
            let more = others.isEmpty ? "" : "\n    See also:    \(others.joined(separator: ", "))"
            return .text(command.help + more, [.commands: [command.name]])
        },
        Command(
            name: "version",
            summary: "Shows the versions of the package and of the LevelDB it is linked with.",
            example: "version",
            gives: [.version, .levelDB]
        ) { _ in
            .text(
                "Scrollback \(Version.package), LevelDB \(Version.levelDB)",
                [.version: Version.package, .levelDB: Version.levelDB])
        },
        Command(
            name: "quit",
            summary: "Ends the prompt. Ctrl-D does the same.",
            example: "quit"
        ) { _ in
            .quit
        },
    ]

    /// The commands by subject, in columns, with a line for each.
    private static var overview: String {
        groups.map { title, commands in
            ([title] + commands.map(\.overviewLine)).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    /// The command's line in the list of commands.
    ///
    /// Long arguments are omitted.
    private var overviewLine: String {
        let limit = 32
        let shown = title.count <= limit ? title : "\(name) …"
        return "  \(shown.padded(to: limit))  \(summary)"
    }

    /// The help of the command: its usage, and an example with preparation and output.
    private var help: String {
        var lines = [title, "    \(summary)"] + notes.map { "    \($0)" }
        if let first = preparation.first {
            lines.append("    First:       \(first)")
            lines += preparation.dropFirst().map { "                 \($0)" }
        }
        lines.append("    For example: \(example)")
        if let output {
            lines += output.split(separator: "\n", omittingEmptySubsequences: false).map {
                "    \($0)"
            }
        }
        if !gives.isEmpty {
            lines.append("    With --json: \(gives.map(\.rawValue).joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }
}

enum Version {
    static let package = "0.1.0"

    static var levelDB: String { "\(LevelDB.version.major).\(LevelDB.version.minor)" }
}
