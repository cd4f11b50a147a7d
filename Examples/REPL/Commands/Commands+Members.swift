import Scrollback

extension Command {
    static let members: [Command] =
        [
            Command(
                "members [CHANNEL] [limit N | all]",
                "Lists the first 100 (or N) members of a group channel, sorted by ID."
            ) { arguments in
                let url = try await arguments.channelOrOpenOne
                let client = try arguments.client
                return try await paged(arguments.limit, orNone: "no members") { cursor, count in
                    try await client.members(of: url, after: cursor, limit: count)
                } cells: {
                    [
                        $0.userID.rawValue, $0.role == .operator ? "operator" : "", "\($0.state)",
                        $0.isMuted ? "muted" : "",
                    ]
                }
            },
            role(
                "make-operator", .operator, "Makes a member an operator.",
                outcome: "is an operator of"),
            role(
                "dismiss-operator", .none, "Makes an operator an ordinary member.",
                outcome: "is no operator of"),
            onUser("block", "Blocks a user, who then cannot invite you.") { client, user in
                try await client.block(user)
                return "blocked \(user)"
            },
            onUser("unblock", "Ends the block of a user.") { client, user in
                try await client.unblock(user)
                return "\(user) is not blocked"
            },
            Command(
                "blocked [limit N | all]",
                "Lists the first 100 (or N) users whom you have blocked, sorted by ID."
            ) { arguments in
                try arguments.expectNoWords()
                let client = try arguments.client
                return try await paged(arguments.limit, orNone: "no blocked users") {
                    cursor, count in
                    try await client.blockedUsers(after: cursor, limit: count)
                } cells: {
                    [$0.userID.rawValue]
                }
            },
            Command(
                "report (message ID | user USER | channel) CATEGORY [TEXT ...]",
                "Reports a message, a user or the open channel to the moderators.",
                notes: ["A CATEGORY is \(categories)."],
                example: "report message 60 spam buy cheap cats", run: report),
        ]
        + restriction(
            .muted, "mute", "Mutes a user in a channel: the user can read but not write.")
        + restriction(.banned, "ban", "Bans a user from a channel: the user cannot join again.")

    private static let categories = ModerationReport.Category.allCases.map(\.rawValue)
        .joined(separator: ", ")

    @MainActor private static func report(_ arguments: Arguments) async throws -> String {
        var words = arguments.words[...]
        let url = try arguments.collection.channelURL
        let subject: ModerationReport.Subject
        let name: String
        switch (words.popFirst(), words.first) {
        case ("message", let word?):
            let id = try arguments.messageID(word, in: url)
            (subject, name) = (.message(id, in: url), "message \(id)")
        case ("user", let id?): (subject, name) = (.user(UserID(id)), id)
        case ("channel", _): (subject, name) = (.channel(url), "\(url)")
        default: throw CommandError.usage
        }
        if subject != .channel(url) { words.removeFirst() }
        guard let word = words.popFirst() else { throw CommandError.usage }
        guard let category = ModerationReport.Category(rawValue: word) else {
            throw CommandError.failed("'\(word)' is no category: \(categories)")
        }
        try await arguments.client.report(
            subject, as: category, comment: words.joined(separator: " "))
        return "reported \(name)"
    }

    private static func onUser(
        _ name: String, _ summary: String,
        _ body: @escaping @MainActor @Sendable (ChatClient, UserID) async throws -> String
    ) -> Command {
        Command("\(name) USER", summary) { arguments in
            try await body(arguments.client, UserID(try arguments.onlyWord))
        }
    }

    private static func role(
        _ name: String, _ role: Role, _ summary: String, outcome: String
    ) -> Command {
        Command("\(name) USER [in CHANNEL]", summary) { arguments in
            let (user, url) = try await arguments.wordInChannel()
            try await arguments.client.setRole(role, of: [UserID(user)], in: url)
            return "\(user) \(outcome) \(url)"
        }
    }

    private static func restriction(
        _ type: RestrictionType, _ verb: String, _ summary: String
    ) -> [Command] {
        [
            Command("\(verb) USER [for DURATION] [in CHANNEL]", summary) { arguments in
                let (words, url) = try await arguments.wordsInChannel()
                var end: Timestamp?
                if words.count == 3, words[1] == "for" {
                    end = try arguments.world.clock.now.advanced(by: arguments.duration(words[2]))
                } else if words.count != 1 {
                    throw CommandError.usage
                }
                try await arguments.client.restrict(UserID(words[0]), in: url, as: type, until: end)
                return "\(words[0]) is \(type) in \(url)"
            },
            Command("un\(verb) USER [in CHANNEL]", "Un\(verb)s a user.") { arguments in
                let (user, url) = try await arguments.wordInChannel()
                try await arguments.client.liftRestriction(type, of: UserID(user), in: url)
                return "\(user) is not \(type) in \(url)"
            },
            Command(
                "\(type) [CHANNEL] [limit N | all]",
                "Lists the first 100 (or N) \(type) users of a channel, sorted by ID."
            ) { arguments in
                let url = try await arguments.channelOrOpenOne
                let client = try arguments.client
                return try await paged(arguments.limit, orNone: "no \(type) users") {
                    cursor, count in
                    try await client.restrictedUsers(of: url, as: type, after: cursor, limit: count)
                } cells: { user in
                    let end = user.endAt.flatMap { $0 < 0 ? nil : "until \($0.iso8601)" }
                    return [user.userID.rawValue, end ?? "for good", user.restrictionDescription]
                }
            },
        ]
    }
}
