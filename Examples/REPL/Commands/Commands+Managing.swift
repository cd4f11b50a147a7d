import Foundation
import Scrollback

extension Command {
    static let managing: [Command] = [
        Command(
            name: "create",
            usage: "CHANNEL [with USER ...]",
            summary: "Creates a group channel, and invites users.",
            example: "create lunch with bob carol",
            preparation: ["demo"],
            covers: ["ChatClient.createChannel(_:)"]
        ) { arguments in
            let url = try arguments.channel
            var users: [UserID] = []
            if arguments.words.count > 1 {
                guard arguments.words[1] == "with", arguments.words.count > 2 else {
                    throw CommandError.usage
                }
                users = arguments.words.dropFirst(2).map { UserID($0) }
            }
            var params = GroupChannelCreateParams(url.rawValue, userIDs: users, url: url)
            params.isPublic = users.isEmpty
            let channel = try await arguments.client.createChannel(params)
            return .text("created \(channel.url) with \(counted(channel.memberCount, "member"))")
        },
        Command(
            name: "update",
            usage: "CHANNEL JSON",
            summary: "Changes what a group channel says of itself: its name, picture, data.",
            example: #"update cats {"name": "All cats"}"#,
            preparation: ["demo"],
            offers: .channels,
            covers: ["ChatClient.updateChannel(_:with:)"]
        ) { arguments in
            let url = try arguments.channel
            guard arguments.rest.hasPrefix("{") else { throw CommandError.usage }
            let patch: Patch<GroupChannel>
            do {
                patch = try JSONDecoder().decode(
                    Patch<GroupChannel>.self, from: Data(arguments.rest.utf8))
            } catch {
                throw CommandError.failed("this is not the JSON of a channel: \(arguments.rest)")
            }
            let channel = try await arguments.client.updateChannel(url, with: patch)
            return .text("\(channel.url) is \(channel.name)")
        },
        Command(
            name: "delete-channel",
            usage: "CHANNEL",
            summary: "Deletes a group channel with its messages, for all.",
            example: "delete-channel cats",
            preparation: ["demo"],
            offers: .channels,
            covers: ["ChatClient.deleteChannel(_:)"]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let url = try arguments.channel
            try await arguments.client.deleteChannel(url)
            return .text("deleted \(url)")
        },
        Command(
            name: "list",
            usage: "[ORDER | JSON]",
            summary:
                "Lists the channels, from the cache and the server, a page; more goes on.",
            example: "list",
            preparation: ["demo"],
            output: """
                cats     Cats     3 members  carol: Meow.
                general  General  3 members  carol: open cats
                random   Random   3 members  bob: And the question?
                """,
            offers: .orders,
            covers: [
                "ChatClient.makeGroupChannelCollection(_:)", "GroupChannelCollection.loadMore()",
                "GroupChannelCollection.channels", "GroupChannelCollection.hasMore",
                "GroupChannelCollection.dispose()",
            ]
        ) { arguments in
            let device = try arguments.device
            device.channelList = try device.client.makeGroupChannelCollection(
                try arguments.channelQuery)
            return .text(try await device.moreChannels())
        },
        Command(
            name: "more",
            summary: "Lists more of the channels that list began with.",
            example: "more",
            preparation: ["demo", #"list {"limit": 2}"#],
            output: "random  Random  3 members  bob: And the question?",
            covers: ["GroupChannelCollection.allChanges()"]
        ) { arguments in
            try arguments.checkIsEmpty()
            return .text(try await arguments.device.moreChannels())
        },
        Command(
            name: "get-channel",
            usage: "CHANNEL",
            summary: "Gets a group channel, from the cache if it is held, and shows it in a line.",
            example: "get-channel cats",
            preparation: ["demo"],
            offers: .channels,
            covers: ["ChatClient.channel(_:)"]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            return .text(columns([try await arguments.client.channel(arguments.channel).tableRow]))
        },
        Command(
            name: "refresh",
            usage: "[CHANNEL]",
            summary: "Gets a group channel from the server.",
            example: "refresh cats",
            preparation: ["demo"],
            offers: .channels,
            covers: ["ChatClient.refreshChannel(_:)"]
        ) { arguments in
            let url = try arguments.channelOrOpenOne
            return .text(columns([try await arguments.client.refreshChannel(url).tableRow]))
        },
        Command(
            name: "members",
            usage: "[CHANNEL]",
            summary: "Lists the members of a group channel, by their ids; the first 100.",
            example: "members",
            preparation: ["demo"],
            output: """
                alice  operator  joined
                bob              joined
                carol            joined
                """,
            offers: .channels,
            covers: ["ChatClient.members(of:after:limit:)"]
        ) { arguments in
            let url = try arguments.channelOrOpenOne
            let page = try await arguments.client.members(of: url)
            var lines = columns(
                page.elements.map { member in
                    [
                        member.userID.rawValue, member.role == .operator ? "operator" : "",
                        "\(member.state)", member.isMuted ? "muted" : "",
                    ]
                })
            if page.next != nil { lines += "\n… and more" }
            return .text(lines)
        },
        Command(
            name: "join",
            usage: "CHANNEL",
            summary: "Joins a public group channel.",
            example: "join tea",
            preparation: ["demo", "create tea", "as bob"],
            covers: ["ChatClient.join(_:)"]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let channel = try await arguments.client.join(try arguments.channel)
            return .text("joined \(channel.url), of \(counted(channel.memberCount, "member"))")
        },
        Command(
            name: "leave",
            usage: "[CHANNEL]",
            summary: "Leaves a group channel.",
            example: "leave cats",
            preparation: ["demo"],
            offers: .channels,
            covers: ["ChatClient.leave(_:)"]
        ) { arguments in
            let url = try arguments.channelOrOpenOne
            try await arguments.client.leave(url)
            return .text("left \(url)")
        },
        Command(
            name: "invite",
            usage: "USER ... [in CHANNEL]",
            summary: "Invites users into a group channel.",
            example: "invite dave",
            preparation: ["demo", "as dave", "as alice"],
            covers: ["ChatClient.invite(_:to:)"]
        ) { arguments in
            let (words, url) = try arguments.wordsInChannel()
            guard !words.isEmpty else { throw CommandError.usage }
            try await arguments.client.invite(words.map { UserID($0) }, to: url)
            return .text("invited \(words.joined(separator: ", ")) to \(url)")
        },
        Command(
            name: "accept",
            usage: "CHANNEL",
            summary: "Accepts an invitation.",
            example: "accept general",
            preparation: ["demo", "as dave", "as alice invite dave", "as dave"],
            offers: .channels,
            covers: ["ChatClient.acceptInvitation(to:)"]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            try await arguments.client.acceptInvitation(to: try arguments.channel)
            return .text("accepted \(arguments.text)")
        },
        Command(
            name: "decline",
            usage: "CHANNEL",
            summary: "Declines an invitation.",
            example: "decline general",
            preparation: ["demo", "as dave", "as alice invite dave", "as dave"],
            offers: .channels,
            covers: ["ChatClient.declineInvitation(to:)"]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            try await arguments.client.declineInvitation(to: try arguments.channel)
            return .text("declined \(arguments.text)")
        },
        Command(
            name: "hide",
            usage: "CHANNEL [history] [for-good]",
            summary: "Hides a group channel from the list, until a new message comes, or for good.",
            example: "hide cats",
            preparation: ["demo"],
            offers: .channels,
            covers: ["ChatClient.hide(_:hidesPreviousMessages:allowsAutoUnhide:)"]
        ) { arguments in
            let url = try arguments.channel
            let flags = Set(arguments.words.dropFirst())
            guard flags.isSubset(of: ["history", "for-good"]) else { throw CommandError.usage }
            try await arguments.client.hide(
                url, hidesPreviousMessages: flags.contains("history"),
                allowsAutoUnhide: !flags.contains("for-good"))
            return .text("hid \(url)")
        },
        Command(
            name: "unhide",
            usage: "CHANNEL",
            summary: "Shows a group channel again that was hidden.",
            example: "unhide cats",
            preparation: ["demo", "hide cats"],
            offers: .channels,
            covers: ["ChatClient.unhide(_:)"]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            try await arguments.client.unhide(try arguments.channel)
            return .text("\(arguments.text) is in the list again")
        },
        Command(
            name: "reset-history",
            usage: "[CHANNEL]",
            summary: "Begins one's own history of a channel anew; others keep theirs.",
            example: "reset-history cats",
            preparation: ["demo"],
            offers: .channels,
            covers: ["ChatClient.resetMyHistory(of:)"]
        ) { arguments in
            let url = try arguments.channelOrOpenOne
            let time = try await arguments.client.resetMyHistory(of: url)
            return .text("\(url) begins at \(time.iso8601)")
        },
        Command(
            name: "freeze",
            usage: "[CHANNEL]",
            summary: "Freezes a channel, so that only who moderates it may write.",
            example: "freeze",
            preparation: ["demo"],
            offers: .channels,
            covers: ["ChatClient.freeze(_:)"]
        ) { arguments in
            let url = try arguments.channelOrOpenOne
            try await arguments.client.freeze(url)
            return .text("froze \(url)")
        },
        Command(
            name: "unfreeze",
            usage: "[CHANNEL]",
            summary: "Ends freeze.",
            example: "unfreeze",
            preparation: ["demo", "freeze"],
            offers: .channels,
            covers: ["ChatClient.unfreeze(_:)"]
        ) { arguments in
            let url = try arguments.channelOrOpenOne
            try await arguments.client.unfreeze(url)
            return .text("\(url) is not frozen any more")
        },
        restricting("mute", .muted, "Mutes a user in a channel: they may only read."),
        lifting("unmute", .muted, "mute", "Lets a user write again."),
        restricting("ban", .banned, "Bans a user from a channel."),
        lifting("unban", .banned, "ban", "Ends ban."),
        Command(
            name: "server open-channels",
            summary: "Lists the open channels of the server, the newest first.",
            example: "server open-channels",
            preparation: ["demo", "create-open lobby"],
            output: "lobby  lobby",
            covers: ["ChatClient.openChannels(after:limit:)"]
        ) { arguments in
            try arguments.checkIsEmpty()
            let page = try await arguments.client.openChannels()
            return .text(
                page.elements.isEmpty
                    ? "no open channels"
                    : columns(page.elements.map { [$0.url.rawValue, $0.name] }))
        },
        Command(
            name: "create-open",
            usage: "CHANNEL",
            summary: "Creates an open channel.",
            example: "create-open lobby",
            preparation: ["demo"],
            output: "created lobby",
            covers: ["ChatClient.createOpenChannel(_:)"]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let params = OpenChannelCreateParams(arguments.text, url: try arguments.channel)
            return .text(
                "created \(try await arguments.client.createOpenChannel(params).url)")
        },
        Command(
            name: "enter",
            usage: "CHANNEL",
            summary: "Enters an open channel, whose messages come live until one exits.",
            example: "enter lobby",
            preparation: ["demo", "create-open lobby"],
            covers: ["ChatClient.enter(_:)", "ChatClient.openChannel(_:)"]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let url = try arguments.channel
            let known = try await arguments.client.openChannel(url)
            let channel = try await arguments.client.enter(known.url)
            return .text(
                "entered \(channel.url), with \(counted(channel.participantCount, "participant"))")
        },
        Command(
            name: "exit",
            usage: "CHANNEL",
            summary: "Exits an open channel; quit leaves the prompt.",
            example: "exit lobby",
            preparation: ["demo", "create-open lobby", "enter lobby"],
            covers: ["ChatClient.exit(_:)"]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            try await arguments.client.exit(try arguments.channel)
            return .text("exited \(arguments.text)")
        },
    ]

    private static func restricting(
        _ name: String, _ restriction: RestrictionType, _ summary: String
    ) -> Command {
        Command(
            name: name,
            usage: "USER [for DURATION] [in CHANNEL]",
            summary: summary,
            example: "\(name) bob for 10m",
            preparation: ["demo"],
            covers: ["ChatClient.restrict(_:in:_:until:reason:)"]
        ) { arguments in
            let (words, url) = try arguments.wordsInChannel()
            var end: Timestamp?
            if words.count == 3, words[1] == "for" {
                end = try arguments.world.clock.now.later(by: try arguments.duration(words[2]))
            } else if words.count != 1 {
                throw CommandError.usage
            }
            try await arguments.client.restrict(UserID(words[0]), in: url, restriction, until: end)
            return .text("\(words[0]) is \(restriction) in \(url)")
        }
    }

    private static func lifting(
        _ name: String, _ restriction: RestrictionType, _ opposite: String, _ summary: String
    ) -> Command {
        Command(
            name: name,
            usage: "USER [in CHANNEL]",
            summary: summary,
            example: "\(name) bob",
            preparation: ["demo", "\(opposite) bob"],
            covers: ["ChatClient.lift(_:of:in:)"]
        ) { arguments in
            let (user, url) = try arguments.wordInChannel()
            try await arguments.client.lift(restriction, of: UserID(user), in: url)
            return .text("\(user) is not \(restriction) in \(url) any more")
        }
    }
}

extension Device {
    /// A page more of the list of channels.
    fileprivate func moreChannels() async throws -> String {
        guard let channelList else {
            throw CommandError.failed("there is no list: list begins one")
        }
        let channels = try await channelList.loadMore()
        let lines =
            (channels.isEmpty ? [] : [Command.columns(channels.map(\.tableRow))])
            + (channelList.hasMore ? ["… and more: more"] : [])
        return lines.isEmpty ? "no more channels" : lines.joined(separator: "\n")
    }
}

extension GroupChannel {
    /// What a table shows of it.
    var tableRow: [String] {
        [
            url.rawValue, name == url.rawValue ? "" : name,
            unreadMessageCount > 0 ? "\(unreadMessageCount) unread" : "",
            memberCount > 0 ? counted(memberCount, "member") : "", state,
            lastMessage.map { message in
                "\(message.sender.map { "\($0.userID): " } ?? "")\(message.text)"
            } ?? "",
        ]
    }

    private var state: String {
        [
            isFrozen ? "frozen" : nil, isHidden ? "hidden" : nil, isMuted ? "muted" : nil,
            myMemberState == .invited ? "invited" : nil,
        ].compactMap { $0 }.joined(separator: ", ")
    }
}
