import EmbeddedServer
import Foundation
import Scrollback

/// An example world of three users, three channels, and a week of messages.
enum Demo {
    static let users = [("alice", "Alice"), ("bob", "Bob"), ("carol", "Carol")]

    static let channels: [(url: ChannelURL, lines: [String])] = [
        ("general", general), ("cats", cats), ("random", random),
    ]

    /// Creates the demo, with the last message at `now`, unless it exists.
    static func make(on server: EmbeddedServer, now: Timestamp) throws {
        for (id, name) in users {
            try server.addUser(User(id: UserID(id), nickname: name))
        }
        do throws(BackendError) {
            try makeChannels(on: server, now: now)
        } catch {
            guard error.code == .refused else { throw error }
        }
    }

    private static func makeChannels(
        on server: EmbeddedServer, now: Timestamp
    ) throws(BackendError) {
        for (url, lines) in channels {
            var params = GroupChannelCreateParams(url.rawValue.capitalized, url: url)
            params.userIDs = users.dropFirst().map { UserID($0.0) }
            try server.createChannel(params, by: "alice")
            var messages: [Message] = []
            for (index, line) in lines.enumerated() {
                let left = lines.count - index
                let time = now.advanced(by: .seconds(left < 8 ? -60 * left : -7200 * left))
                let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
                let user = users.first { $0.0 == parts[0] } ?? users[0]
                messages.append(
                    Message(
                        id: nil, channelURL: url,
                        sender: Sender(id: UserID(user.0), nickname: user.1),
                        text: parts[1].trimmingCharacters(in: .whitespaces), createdAt: time))
            }
            try server.importMessages(messages)
        }
    }

    private static let general: [String] =
        (1...50).map { day in
            let talk = [
                "bob: Good morning!", "carol: Morning. Did the build go through?",
                "bob: It did, after the second try.", "alice: Lunch at noon?",
                "carol: Yes, the usual place.", "bob: I shall be five minutes late.",
                "alice: The train was late again.", "carol: Has anybody seen my umbrella?",
                "bob: It is by the door.", "alice: See you tomorrow!",
            ]
            return talk[(day - 1) % talk.count]
        } + [
            "bob: Does this work without a network?", "carol: Type: offline, and then: send Hello",
            "bob: And what I have not seen yet?", "carol: That is a gap. Type: away 1d 400",
            "bob: How do I get to older messages?", "carol: With prev, and help lists the rest.",
            "alice: And how do I see what is known?", "carol: Type: coverage",
            "bob: Nice. Let us talk about cats.", "carol: open cats",
        ]

    private static let cats: [String] = [
        "carol: Minka has learnt to open the fridge.", "bob: They all do in the end.",
        "carol: She cannot close it.", "bob: Nobody can have everything.",
        "carol: Meow.",
    ]

    private static let random: [String] = [
        "bob: What is the answer?", "carol: 42, as always.", "bob: And the question?",
    ]
}
