import Scrollback

extension Command {
    static let observing: [Command] = [
        Command(
            name: "observe",
            usage: "[CHANNEL]",
            summary: "Prints changes of the store after each reply, of one channel or all.",
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
            // A channel can be observed before the store has it.
            let isKnown =
                try arguments.words.isEmpty || arguments.workspace.store.holds(arguments.channel)
            return .text(
                "observing \(part)\(isKnown ? "" : ", of which the store has no data yet,") "
                    + "after change \(number)", [.change: number])
        },
        Command(
            name: "unobserve",
            summary: "Ends observing.",
            example: "unobserve",
            preparation: ["observe"],
            output: "not observing"
        ) { arguments in
            guard arguments.workspace.unobserve() else {
                return .text("no observation was active")
            }
            return .text("not observing")
        },
    ]
}
