import Scrollback

extension Command {
    static let general: [Command] = [
        Command(
            name: "help",
            usage: "[COMMAND]",
            summary: "Lists the commands, or tells how one is used.",
            example: "help time",
            offers: .commands
        ) { arguments in
            guard let name = arguments.words.first else { return .text(overview) }
            let command = try named(name)
            return .text(
                """
                \(command.title)
                    \(command.summary)
                    For example: \(command.example)
                """
            )
        },
        Command(
            name: "version",
            summary: "Shows the versions of the package and of the LevelDB it is linked with.",
            example: "version"
        ) { _ in
            .text("Scrollback \(Version.package), LevelDB \(Version.levelDB)")
        },
        Command(
            name: "quit",
            summary: "Leaves. So does Ctrl-D.",
            example: "quit"
        ) { _ in
            .quit
        },
    ]

    /// One line for each command, in columns.
    private static var overview: String {
        let width = all.map(\.title.count).max() ?? 0
        return all.map { command in
            let gap = String(repeating: " ", count: width - command.title.count)
            return "\(command.title)\(gap)  \(command.summary)"
        }.joined(separator: "\n")
    }
}

/// The versions that `version` shows.
enum Version {
    static let package = "0.1.0"

    static var levelDB: String { "\(LevelDB.version.major).\(LevelDB.version.minor)" }
}
