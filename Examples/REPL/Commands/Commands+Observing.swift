import Scrollback

extension Command {
    static let observing: [Command] = [
        Command(
            "observe [CHANNEL]",
            "Prints changes of the store after each reply, of one channel or all."
        ) { arguments in
            let part = try arguments.optionalWord ?? "everything"
            let number = try arguments.workspace.observe(
                arguments.words.isEmpty ? .everything : .channel(try arguments.channel))
            // A channel can be observed before the store has it.
            let isKnown =
                try arguments.words.isEmpty || arguments.workspace.store.holds(arguments.channel)
            return "observing \(part)\(isKnown ? "" : ", of which the store has no data yet,") "
                + "after change \(number)"
        },
        Command("unobserve", "Ends observing.") { arguments in
            guard arguments.workspace.unobserve() else {
                return "no observation was active"
            }
            return "not observing"
        },
    ]
}
