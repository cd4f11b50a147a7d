import Foundation
import Scrollback

extension Command {
    static let managing: [Command] = [
        Command(
            name: "create",
            usage: "CHANNEL [NAME=VALUE ...] [with USER ...]",
            summary: "Creates a group channel, private unless isPublic=true, and invites users.",
            notes: ["A Matrix server chooses the channel's URL; CHANNEL is then its name."],
            example: "create lunch with bob carol",
            preparation: ["demo"],
            covers: ["ChatClient.createChannel(_:)"],
            gives: [.channel]
        ) { arguments in
            let url = try arguments.channel
            let parts = arguments.words.dropFirst().split(
                separator: "with", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count < 2 || !parts[1].isEmpty else { throw CommandError.usage }
            let users = parts.count == 2 ? parts[1].map { UserID($0) } : []
            let isEmbedded = try arguments.world.host.server != nil
            var params = GroupChannelCreateParams(
                url.rawValue, userIDs: users, url: isEmbedded ? url : nil)
            try GroupChannelSetting.all.set(parts[0], of: &params)
            let channel = try await arguments.client.createChannel(params)
            return .text(
                "created \(channel.url) with \(counted(channel.memberCount, "member"))",
                [.channel: channel])
        },
        Command(
            name: "update",
            usage: "CHANNEL JSON",
            summary: "Changes a group channel: name, cover_url, data, custom_type, metadata.",
            example: #"update cats {"name": "All cats"}"#,
            preparation: ["demo"],
            offers: [.channels],
            covers: ["ChatClient.updateChannel(_:with:)"],
            gives: [.channel]
        ) { arguments in
            guard !arguments.json.isEmpty else { throw CommandError.usage }
            let url = try await arguments.existing(arguments.onlyChannel)
            let patch = try RecordType(named: "GroupChannel").patch(
                GroupChannel.self, json: arguments.json,
                only: ["name", "cover_url", "data", "custom_type", "metadata"])
            let channel = try await arguments.client.updateChannel(url, with: patch)
            return .text("\(channel.url) is \(channel.name)", [.channel: channel])
        },
        onChannel(
            "delete-channel", "Deletes a group channel with its messages, for all members.",
            example: "delete-channel cats", after: ["demo"],
            covers: ["ChatClient.deleteChannel(_:)"]
        ) { client, url in
            try await client.deleteChannel(url)
            return .of(url, "deleted \(url)")
        },
        Command(
            name: "list",
            usage: "[ORDER | JSON]",
            summary: "Lists a page of the channels, from the cache and the server; more continues.",
            example: "list",
            preparation: ["demo"],
            output: """
                cats     Cats     3 members  carol: Meow.
                general  General  3 members  carol: open cats
                random   Random   3 members  bob: And the question?
                """,
            offers: [.orders],
            covers: [
                "ChatClient.makeGroupChannelCollection(_:)", "GroupChannelCollection.start()",
                "CollectionStart.cached", "CollectionStart.refreshed",
                "GroupChannelCollection.channels", "GroupChannelCollection.hasMore",
                "GroupChannelCollection.dispose()",
            ],
            gives: [.channels, .hasMore]
        ) { arguments in
            let device = try arguments.device
            device.search = nil
            device.channelList = try device.client.makeGroupChannelCollection(
                try arguments.channelQuery(arguments.words) ?? GroupChannelListQuery())
            return try await device.channels { (list) throws(SyncError) in
                let start = list.start()
                do throws(SyncError) {
                    return try await start.refreshed
                } catch {
                    guard error.code == .notConnected else { throw error }
                    return try start.cached
                }
            }
        },
        Command(
            name: "more",
            summary:
                "Lists the next page of what search found, or of the channels that list began.",
            example: "more",
            preparation: ["demo", #"list {"limit": 2}"#],
            output: "random  Random  3 members  bob: And the question?",
            covers: [
                "GroupChannelCollection.loadMore()", "GroupChannelCollection.allChanges()",
                "MessageSearch.loadMore()",
            ],
            gives: [.channels, .hasMore, .messages, .outboxItems, .unsearched]
        ) { arguments in
            if try arguments.device.search != nil { return try await arguments.found() }
            return try await arguments.device.channels { (list) throws(SyncError) in
                try await list.loadMore()
            }
        },
        onChannel(
            "get-channel",
            "Gets a group channel, from the cache if possible, and shows it in a line.",
            example: "get-channel cats", after: ["demo"],
            covers: ["ChatClient.channel(_:)"], gives: [.channel]
        ) { client, url in
            .channel(try await client.channel(url))
        },
        onChannel(
            "refresh", orOpenOne: true, "Gets a group channel from the server.",
            example: "refresh cats", after: ["demo"],
            covers: ["ChatClient.refreshChannel(_:)"], gives: [.channel]
        ) { client, url in
            .channel(try await client.refreshChannel(url))
        },
        Command(
            name: "members",
            usage: "[CHANNEL] [limit N | all]",
            summary: "Lists the first 100 members of a group channel or N, by their ids.",
            example: "members",
            preparation: ["demo"],
            output: """
                alice  operator  joined
                bob              joined
                carol            joined
                """,
            offers: [.channels],
            covers: ["ChatClient.members(of:after:limit:)"],
            gives: [.members, .hasMore]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            let url = try await arguments.channelOrOpenOne(of: words)
            let client = try arguments.client
            let page = try await firstRows(limit) { cursor, count in
                try await client.members(of: url, after: cursor, limit: count)
            }
            var lines = table(page.elements, limit: limit) { member in
                [
                    member.userID.rawValue, member.role == .operator ? "operator" : "",
                    "\(member.state)", member.isMuted ? "muted" : "",
                ]
            }
            if page.next != nil {
                let total = try client.engine.store.groupChannel(url)?.memberCount
                lines.append(cutRemark(page.elements.count, of: total))
            }
            return .text(
                lines.joined(separator: "\n"),
                [.members: page.elements, .hasMore: page.next != nil])
        },
        onChannel(
            "join", "Joins a public group channel.",
            example: "join tea", after: ["demo", "create tea isPublic=true", "as bob"],
            covers: ["ChatClient.join(_:)"], gives: [.channel]
        ) { client, url in
            let channel = try await client.join(url)
            return .text(
                "joined \(channel.url), of \(counted(channel.memberCount, "member"))",
                [.channel: channel])
        },
        onChannel(
            "leave", orOpenOne: true, "Leaves a group channel.",
            example: "leave cats", after: ["demo"],
            covers: ["ChatClient.leave(_:)"]
        ) { client, url in
            try await client.leave(url)
            return .of(url, "left \(url)")
        },
        Command(
            name: "invite",
            usage: "USER ... [in CHANNEL]",
            summary: "Invites users into a group channel.",
            example: "invite dave",
            preparation: ["demo", "as dave", "as alice"],
            covers: ["ChatClient.invite(_:to:)"],
            gives: [.channelURL, .userIDs]
        ) { arguments in
            let (words, url) = try await arguments.wordsInChannel()
            guard !words.isEmpty else { throw CommandError.usage }
            try await arguments.client.invite(words.map { UserID($0) }, to: url)
            return .text(
                "invited \(words.joined(separator: ", ")) to \(url)",
                [.channelURL: url, .userIDs: words])
        },
        onChannel(
            "accept", "Accepts an invitation.", example: "accept general",
            after: ["demo", "as dave", "as alice invite dave", "as dave"],
            covers: ["ChatClient.acceptInvitation(to:)"]
        ) { client, url in
            try await client.acceptInvitation(to: url)
            return .of(url, "accepted \(url)")
        },
        onChannel(
            "decline", "Declines an invitation.", example: "decline general",
            after: ["demo", "as dave", "as alice invite dave", "as dave"],
            covers: ["ChatClient.declineInvitation(to:)"]
        ) { client, url in
            try await client.declineInvitation(to: url)
            return .of(url, "declined \(url)")
        },
        Command(
            name: "hide",
            usage: "CHANNEL [history] [for-good]",
            summary: "Hides a group channel until a new message arrives, or for good.",
            example: "hide cats",
            preparation: ["demo"],
            offers: [.channels, .oneOf(["history", "for-good"])],
            offersForMore: true,
            covers: ["ChatClient.hide(_:hidesPreviousMessages:allowsAutoUnhide:)"],
            gives: [.channelURL]
        ) { arguments in
            let flags = Set(arguments.words.dropFirst())
            guard flags.isSubset(of: ["history", "for-good"]) else { throw CommandError.usage }
            let url = try await arguments.existing(arguments.channel)
            try await arguments.client.hide(
                url, hidesPreviousMessages: flags.contains("history"),
                allowsAutoUnhide: !flags.contains("for-good"))
            return .of(url, "hid \(url)")
        },
        onChannel(
            "unhide", "Unhides a group channel: lists show it again.",
            example: "unhide cats", after: ["demo", "hide cats"],
            covers: ["ChatClient.unhide(_:)"]
        ) { client, url in
            try await client.unhide(url)
            return .of(url, "\(url) is in the list again")
        },
        onChannel(
            "reset-history", orOpenOne: true,
            "Resets a channel's history for the user only.",
            example: "reset-history cats", after: ["demo"],
            covers: ["ChatClient.resetMyHistory(of:)"], gives: [.channelURL, .time]
        ) { client, url in
            let time = try await client.resetMyHistory(of: url)
            return .text("\(url) begins at \(time.iso8601)", [.channelURL: url, .time: time])
        },
        onChannel(
            "freeze", orOpenOne: true,
            "Freezes a channel, so that only operators may write.",
            example: "freeze", after: ["demo"],
            covers: ["ChatClient.freeze(_:)"]
        ) { client, url in
            try await client.freeze(url)
            return .of(url, "froze \(url)")
        },
        roleGiving(
            "make-operator", .operator, "Makes a member an operator.", after: ["demo"],
            "is an operator of"),
        roleGiving(
            "dismiss-operator", .none, "Makes an operator an ordinary member.",
            after: ["demo", "make-operator bob"], "is no operator of"),
        onUser(
            "block", "Blocks a user, who then cannot invite you.", after: ["demo"],
            output: "blocked bob", covers: "ChatClient.block(_:)"
        ) { client, user in
            try await client.block(user)
            return "blocked \(user)"
        },
        onUser(
            "unblock", "Ends the block of a user.", after: ["demo", "block bob"],
            output: "bob is not blocked", covers: "ChatClient.unblock(_:)"
        ) { client, user in
            try await client.unblock(user)
            return "\(user) is not blocked"
        },
        Command(
            name: "blocked",
            usage: "[limit N | all]",
            summary: "Lists the first 100 users whom you have blocked or N, by their ids.",
            example: "blocked",
            preparation: ["demo", "block bob"],
            output: "bob",
            covers: ["ChatClient.blockedUsers(after:limit:)"],
            gives: [.userIDs, .hasMore]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            guard words.isEmpty else { throw CommandError.usage }
            let client = try arguments.client
            let page = try await firstRows(limit) { cursor, count in
                try await client.blockedUsers(after: cursor, limit: count)
            }
            var lines = page.elements.map(\.userID.rawValue)
            if page.next != nil { lines.append(cutRemark(page.elements.count, of: nil)) }
            return .text(
                lines.isEmpty ? "no blocked users" : lines.joined(separator: "\n"),
                [.userIDs: page.elements.map(\.userID), .hasMore: page.next != nil])
        },
        Command(
            name: "report",
            usage: "message ID CATEGORY [TEXT ...] | user USER CATEGORY | channel CATEGORY",
            summary: "Reports a message, a user or the open channel to the moderators.",
            notes: [
                "A category follows: "
                    + ModerationReport.Category.allCases.map(\.rawValue).joined(separator: ", ")
                    + "."
            ],
            example: "report message 60 spam buy cheap cats",
            preparation: ["demo"],
            output: "reported message 60",
            offers: [.oneOf(["message", "user", "channel"])],
            covers: ["ChatClient.report(_:as:comment:)"],
            gives: [.text]
        ) { arguments in
            var words = arguments.words[...]
            let url = try arguments.collection.channelURL
            let subject: (ModerationReport.Subject, String)
            switch (words.popFirst(), words.first) {
            case ("message", let id?): subject = (.message(MessageID(id), in: url), "message \(id)")
            case ("user", let id?): subject = (.user(UserID(id)), id)
            case ("channel", _): subject = (.channel(url), "\(url)")
            default: throw CommandError.usage
            }
            if subject.0 != .channel(url) { words.removeFirst() }
            guard let word = words.popFirst() else { throw CommandError.usage }
            guard let category = ModerationReport.Category(rawValue: word) else {
                throw CommandError.failed(
                    "'\(word)' is no category: "
                        + ModerationReport.Category.allCases.map(\.rawValue)
                        .joined(separator: ", "))
            }
            try await arguments.client.report(
                subject.0, as: category, comment: words.joined(separator: " "))
            return .text("reported \(subject.1)", [.text: subject.1])
        },
        restricted("muted", .muted, by: "mute"),
        restricted("banned", .banned, by: "ban"),
        onChannel(
            "unfreeze", orOpenOne: true, "Unfreezes a channel: all members may write again.",
            example: "unfreeze", after: ["demo", "freeze"],
            covers: ["ChatClient.unfreeze(_:)"]
        ) { client, url in
            try await client.unfreeze(url)
            return .of(url, "\(url) is not frozen")
        },
        restricting("mute", .muted, "Mutes a user in a channel: the user can read but not write."),
        lifting("unmute", .muted, "mute", "Unmutes a user."),
        restricting("ban", .banned, "Bans a user from a channel."),
        lifting("unban", .banned, "ban", "Unbans a user, who may then join again."),
        Command(
            name: "server open-channels",
            usage: "[limit N | all]",
            summary: "Lists the newest 100 open channels of the server or N.",
            example: "server open-channels",
            preparation: ["demo", "create-open lobby"],
            output: "lobby  lobby",
            covers: ["ChatClient.openChannels(after:limit:)"],
            gives: [.channels, .hasMore]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            guard words.isEmpty else { throw CommandError.usage }
            let client = try arguments.client
            let page = try await firstRows(limit) { cursor, count in
                try await client.openChannels(after: cursor, limit: count)
            }
            var lines = table(page.elements, limit: limit) { [$0.url.rawValue, $0.name] }
            if page.next != nil { lines.append(cutRemark(page.elements.count, of: nil)) }
            return .text(
                lines.isEmpty ? "no open channels" : lines.joined(separator: "\n"),
                [.channels: page.elements, .hasMore: page.next != nil])
        },
        Command(
            name: "create-open",
            usage: "CHANNEL [NAME=VALUE ...]",
            summary: "Creates an open channel.",
            example: "create-open lobby",
            preparation: ["demo"],
            output: "created lobby",
            covers: ["ChatClient.createOpenChannel(_:)"],
            gives: [.channel]
        ) { arguments in
            let url = try arguments.channel
            var params = OpenChannelCreateParams(url.rawValue, url: url)
            try OpenChannelSetting.all.set(arguments.words.dropFirst(), of: &params)
            let channel = try await arguments.client.createOpenChannel(params)
            return .text("created \(channel.url)", [.channel: channel])
        },
        Command(
            name: "enter",
            usage: "CHANNEL",
            summary: "Enters an open channel, to receive its messages until exit.",
            example: "enter lobby",
            preparation: ["demo", "create-open lobby"],
            covers: ["ChatClient.enter(_:)", "ChatClient.openChannel(_:)"],
            gives: [.channel]
        ) { arguments in
            let url = try await arguments.existing(arguments.onlyChannel)
            let known = try await arguments.client.openChannel(url)
            let channel = try await arguments.client.enter(known.url)
            return .text(
                "entered \(channel.url), with \(counted(channel.participantCount, "participant"))",
                [.channel: channel])
        },
        onChannel(
            "exit", "Exits an open channel; quit leaves the prompt.",
            example: "exit lobby", after: ["demo", "create-open lobby", "enter lobby"],
            covers: ["ChatClient.exit(_:)"]
        ) { client, url in
            try await client.exit(url)
            return .of(url, "exited \(url)")
        },
    ]

    /// Creates a command whose only argument is a channel.
    ///
    /// - Parameters:
    ///   - name: The name of the command.
    ///   - orOpenOne: A Boolean value that indicates whether the open channel is the default.
    ///   - summary: The help text.
    ///   - example: A complete line as an example.
    ///   - preparation: The lines to perform before the example.
    ///   - symbols: The calls of the API that the command demonstrates.
    ///   - fields: The values of the result.
    ///   - body: The action.
    /// - Returns: The command.
    static func onChannel(
        _ name: String, orOpenOne: Bool = false, _ summary: String, example: String,
        after preparation: [String], covers symbols: [String],
        gives fields: [Field] = [.channelURL],
        _ body: @escaping @MainActor @Sendable (ChatClient, ChannelURL) async throws -> Reply
    ) -> Command {
        Command(
            name: name, usage: orOpenOne ? "[CHANNEL]" : "CHANNEL", summary: summary,
            example: example, preparation: preparation, offers: [.channels], covers: symbols,
            gives: fields
        ) { arguments in
            let url =
                try await orOpenOne
                ? arguments.channelOrOpenOne : arguments.existing(arguments.onlyChannel)
            return try await body(arguments.client, url)
        }
    }

    static func onMessage(
        _ name: String, _ summary: String, example: String, after preparation: [String],
        output: String, covers symbols: [String],
        _ body:
            @escaping @MainActor @Sendable (ChatClient, MessageID, ChannelURL) async throws
            -> String
    ) -> Command {
        Command(
            name: name, usage: "ID [in CHANNEL]", summary: summary, example: example,
            preparation: preparation, output: output, offers: [.messages], covers: symbols,
            gives: [.messageID, .channelURL]
        ) { arguments in
            let (id, url) = try await arguments.wordInChannel()
            let text = try await body(arguments.client, MessageID(id), url)
            return .text(text, [.messageID: id, .channelURL: url])
        }
    }

    private static func onUser(
        _ name: String, _ summary: String, after preparation: [String], output: String,
        covers symbol: String,
        _ body: @escaping @MainActor @Sendable (ChatClient, UserID) async throws -> String
    ) -> Command {
        Command(
            name: name, usage: "USER", summary: summary, example: "\(name) bob",
            preparation: preparation, output: output, covers: [symbol], gives: [.userID]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let user = arguments.words[0]
            return .text(try await body(arguments.client, UserID(user)), [.userID: user])
        }
    }

    private static func roleGiving(
        _ name: String, _ role: Role, _ summary: String, after preparation: [String],
        _ outcome: String
    ) -> Command {
        Command(
            name: name,
            usage: "USER [in CHANNEL]",
            summary: summary,
            example: "\(name) bob",
            preparation: preparation,
            output: "bob \(outcome) general\n* general has other operators",
            covers: ["ChatClient.setRole(_:of:in:)"],
            gives: [.userID, .channelURL]
        ) { arguments in
            let (user, url) = try await arguments.wordInChannel()
            try await arguments.client.setRole(role, of: [UserID(user)], in: url)
            return .text("\(user) \(outcome) \(url)", [.userID: user, .channelURL: url])
        }
    }

    private static func restricted(
        _ name: String, _ restriction: RestrictionType, by maker: String
    ) -> Command {
        Command(
            name: name,
            usage: "[CHANNEL] [limit N | all]",
            summary: "Lists the first 100 \(restriction) users of a channel or N, by their ids.",
            example: name,
            preparation: ["demo", "\(maker) bob"],
            output: "bob  for good",
            offers: [.channels],
            covers: ["ChatClient.restrictedUsers(of:as:after:limit:)"],
            gives: [.userIDs, .hasMore]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            let url = try await arguments.channelOrOpenOne(of: words)
            let client = try arguments.client
            let page = try await firstRows(limit) { cursor, count in
                try await client.restrictedUsers(
                    of: url, as: restriction, after: cursor, limit: count)
            }
            var lines = table(page.elements, limit: limit) { user in
                let end = user.endAt.flatMap { $0 < 0 ? nil : $0 }
                return [
                    user.userID.rawValue, end.map { "until \($0.iso8601)" } ?? "for good",
                    user.restrictionDescription,
                ]
            }
            if page.next != nil { lines.append(cutRemark(page.elements.count, of: nil)) }
            return .text(
                lines.isEmpty ? "no \(restriction) users" : lines.joined(separator: "\n"),
                [.userIDs: page.elements.map(\.userID), .hasMore: page.next != nil])
        }
    }

    private static func restricting(
        _ name: String, _ restriction: RestrictionType, _ summary: String
    ) -> Command {
        Command(
            name: name,
            usage: "USER [for DURATION] [in CHANNEL]",
            summary: summary,
            example: "\(name) bob for 10m",
            preparation: ["demo"],
            covers: ["ChatClient.restrict(_:in:as:until:reason:)"],
            gives: [.userID, .channelURL]
        ) { arguments in
            let (words, url) = try await arguments.wordsInChannel()
            var end: Timestamp?
            if words.count == 3, words[1] == "for" {
                end = try arguments.world.clock.now.later(by: try arguments.duration(words[2]))
            } else if words.count != 1 {
                throw CommandError.usage
            }
            try await arguments.client.restrict(
                UserID(words[0]), in: url, as: restriction, until: end)
            return .text(
                "\(words[0]) is \(restriction) in \(url)", [.userID: words[0], .channelURL: url])
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
            covers: ["ChatClient.lift(_:of:in:)"],
            gives: [.userID, .channelURL]
        ) { arguments in
            let (user, url) = try await arguments.wordInChannel()
            try await arguments.client.lift(restriction, of: UserID(user), in: url)
            return .text(
                "\(user) is not \(restriction) in \(url)",
                [.userID: user, .channelURL: url])
        }
    }
}

extension Command {
    /// Returns the first rows of a list.
    ///
    /// Requests as many pages as necessary.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of rows.
    ///   - page: A closure that fetches the page after a cursor, with a maximum number of rows.
    /// - Returns: The rows and, if there are more, the cursor after them.
    /// - Throws: The error of a request.
    fileprivate static func firstRows<Row: Sendable>(
        _ limit: Int, _ page: (PageCursor?, Int) async throws -> Page<Row>
    ) async throws -> Page<Row> {
        var rows: [Row] = []
        var cursor: PageCursor?
        repeat {
            try Task.checkCancellation()
            let next = try await page(cursor, min(limit - rows.count, 100))
            rows += next.elements
            // Stop if the server has repeated a page.
            guard next.next != cursor else { break }
            cursor = next.next
        } while cursor != nil && rows.count < limit
        return Page(rows, next: cursor)
    }
}

extension Device {
    fileprivate func channels(
        _ page: (GroupChannelCollection) async throws(SyncError) -> [GroupChannel]
    ) async throws -> Command.Reply {
        guard let channelList else {
            throw CommandError.failed("no list was started: type list")
        }
        let channels = try await page(channelList)
        let lines =
            (channels.isEmpty ? [] : [Command.columns(channels.map(\.tableRow))])
            + (channelList.hasMore ? ["… there are more: type more"] : [])
        return .text(
            lines.isEmpty ? "no more channels" : lines.joined(separator: "\n"),
            [.channels: channels, .hasMore: channelList.hasMore])
    }
}

extension Command.Reply {
    static func of(_ url: ChannelURL, _ text: String) -> Command.Reply {
        .text(text, [.channelURL: url])
    }

    fileprivate static func channel(_ channel: GroupChannel) -> Command.Reply {
        .text(Command.columns([channel.tableRow]), [.channel: channel])
    }
}

extension GroupChannel {
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
