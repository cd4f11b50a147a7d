import Scrollback

extension Command {
    static let observing: [Command] = [
        Command(
            name: "observe",
            usage: "[CHANNEL]",
            summary: "Tells below each reply what changed, in one channel or anywhere.",
            example: "remove general a",
            preparation: ["draw general a b", "observe"],
            output: """
                removed message a from general
                change 2: removed message a from general
                """,
            offers: [.channels],
            gives: [.change]
        ) { arguments in
            guard arguments.words.count <= 1 else { throw CommandError.usage }
            let number = try arguments.workspace.observe(
                arguments.words.isEmpty ? .everything : .channel(try arguments.channel))
            let part = arguments.words.first ?? "everything"
            // What is to come can be observed, too.
            let isKnown =
                try arguments.words.isEmpty || arguments.workspace.store.holds(arguments.channel)
            return .text(
                "observing \(part)\(isKnown ? "" : ", of which nothing is held yet,") "
                    + "after change \(number)", [.change: number])
        },
        Command(
            name: "unobserve",
            summary: "Ends what observe began.",
            example: "unobserve",
            preparation: ["observe"],
            output: "nothing is observed any more"
        ) { arguments in
            guard arguments.workspace.unobserve() else {
                return .text("nothing was observed")
            }
            return .text("nothing is observed any more")
        },
    ]
}
