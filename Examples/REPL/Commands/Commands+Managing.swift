import Scrollback

extension Command {
    static let managing: [Command] = [
        Command(
            "create [named] CHANNEL [NAME=VALUE ...] [with USER ...]",
            "Creates a group channel, private unless isPublic=true, and invites users.",
            notes: [
                "After named, and on a Matrix server, the server chooses the channel's URL, and",
                "CHANNEL is the channel's name.",
                "NAME is one of: "
                    + Setting.ofGroupChannel.map(\.name).joined(separator: ", ") + ".",
            ]
        ) { arguments in
            let isNamed = arguments.words.first == "named" && arguments.words.count > 1
            let url = try isNamed ? ChannelURL(arguments.words[1]) : arguments.channel
            let parts = arguments.words.dropFirst(isNamed ? 2 : 1).split(
                separator: "with", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count < 2 || !parts[1].isEmpty else { throw CommandError.usage }
            let users = parts.count == 2 ? parts[1].map { UserID($0) } : []
            let client = try arguments.client
            let hasURL = try !isNamed && arguments.world.host.server != nil
            let channel: GroupChannel
            if !hasURL, parts[0].isEmpty {
                channel = try await client.createChannel(name: url.rawValue, members: users)
            } else {
                var params = GroupChannelCreateParams(
                    url.rawValue, userIDs: users, url: hasURL ? url : nil)
                try Setting.ofGroupChannel.set(parts[0], of: &params)
                channel = try await client.createChannel(params)
            }
            return "created \(channel.url) with \(counted(channel.memberCount, "member"))"
        },
        Command(
            "update CHANNEL name NAME | JSON",
            "Changes a group channel: name, cover_url, data, custom_type, metadata.",
            example: #"update cats {"name": "All cats"}"#
        ) { arguments in
            if arguments.words.count == 3, arguments.words[1] == "name", arguments.json.isEmpty {
                let channel = try await arguments.client.updateChannel(
                    arguments.existing(arguments.channel), name: arguments.words[2])
                return "\(channel.url) is \(channel.name)"
            }
            guard !arguments.json.isEmpty else { throw CommandError.usage }
            let url = try await arguments.existing(arguments.onlyChannel)
            let patch = try RecordType(named: "GroupChannel").patch(
                GroupChannel.self, json: arguments.json,
                only: ["name", "cover_url", "data", "custom_type", "metadata"])
            let channel = try await arguments.client.updateChannel(url, with: patch)
            return "\(channel.url) is \(channel.name)"
        },
        onChannel(
            "delete-channel CHANNEL", "Deletes a group channel with its messages, for all members."
        ) { client, url in
            try await client.deleteChannel(url)
            return "deleted \(url)"
        },
        Command(
            "list [ORDER | JSON]",
            "Lists a page of the channels, from the cache and the server; more continues."
        ) { arguments in
            let device = try arguments.device
            (device.search, device.messageList) = (nil, nil)
            device.channelList = try device.client.makeGroupChannelCollection(
                try arguments.channelQuery(arguments.words))
            return try await device.channels { (list) throws(SyncError) in
                let start = list.start()
                do throws(SyncError) {
                    return (try await start.refreshed, true)
                } catch {
                    guard error.code == .notConnected else { throw error }
                    return (try start.cached, false)
                }
            }
        },
        Command(
            "more [COUNT]",
            "Lists the next page of what search, gallery, mentions, threads or list began.",
            notes: ["COUNT lists that many more messages of a gallery, mentions or threads."]
        ) { arguments in
            let count = arguments.words.first.map { Int($0) ?? 0 }
            guard arguments.words.count <= 1, count.map({ $0 > 0 }) ?? true else {
                throw CommandError.usage
            }
            if let list = try arguments.device.messageList {
                return try await arguments.nextPage(of: list, count)
            }
            if try arguments.device.search != nil { return try await arguments.found() }
            return try await arguments.device.channels { (list) throws(SyncError) in
                (try await list.loadMore(), true)
            }
        },
        onChannel(
            "get-channel CHANNEL",
            "Gets a group channel, from the cache if possible, and shows it in a line."
        ) { client, url in
            let channel = try await client.channel(url)
            return ValuedReply(columns([channel.tableRow]), channel)
        },
        onChannel("refresh [CHANNEL]", "Gets a group channel from the server.") { client, url in
            let channel = try await client.refreshChannel(url)
            return ValuedReply(columns([channel.tableRow]), channel)
        },
        Command("join CHANNEL", "Joins a public group channel.") { arguments in
            // The server may not show a channel that the user has not joined.
            let channel = try await arguments.client.join(arguments.onlyChannel)
            return "joined \(channel.url), of \(counted(channel.memberCount, "member"))"
        },
        onChannel("leave [CHANNEL]", "Leaves a group channel.") { client, url in
            try await client.leave(url)
            return "left \(url)"
        },
        Command("invite USER ... [in CHANNEL]", "Invites users into a group channel.") {
            arguments in
            let (words, url) = try await arguments.wordsInChannel()
            guard !words.isEmpty else { throw CommandError.usage }
            try await arguments.client.invite(words.map { UserID($0) }, to: url)
            return "invited \(words.joined(separator: ", ")) to \(url)"
        },
        onChannel("accept CHANNEL", "Accepts an invitation.") { client, url in
            try await client.acceptInvitation(to: url)
            return "accepted \(url)"
        },
        onChannel("decline CHANNEL", "Declines an invitation.") { client, url in
            try await client.declineInvitation(to: url)
            return "declined \(url)"
        },
        Command(
            "hide CHANNEL [history] [for-good]",
            "Hides a group channel until a new message arrives, or for good."
        ) { arguments in
            let flags = Set(arguments.words.dropFirst())
            guard flags.isSubset(of: ["history", "for-good"]) else { throw CommandError.usage }
            let url = try await arguments.existing(arguments.channel)
            try await arguments.client.hide(
                url, hidesPreviousMessages: flags.contains("history"),
                allowsAutoUnhide: !flags.contains("for-good"))
            return "hid \(url)"
        },
        onChannel("unhide CHANNEL", "Unhides a group channel: lists show it again.") {
            client, url in
            try await client.unhide(url)
            return "\(url) is in the list again"
        },
        onChannel("reset-history [CHANNEL]", "Resets a channel's history for the user only.") {
            client, url in
            let time = try await client.resetMyHistory(of: url)
            return "\(url) begins at \(time.iso8601)"
        },
        onChannel("freeze [CHANNEL]", "Freezes a channel, so that only operators may write.") {
            client, url in
            try await client.freeze(url)
            return "froze \(url)"
        },
        onChannel("unfreeze [CHANNEL]", "Unfreezes a channel: all members may write again.") {
            client, url in
            try await client.unfreeze(url)
            return "\(url) is not frozen"
        },
        Command(
            "server open-channels [limit N | all]",
            "Lists the newest 100 (or N) open channels of the server."
        ) { arguments in
            try arguments.expectNoWords()
            let client = try arguments.client
            return try await paged(arguments.limit, orNone: "no open channels") { cursor, count in
                try await client.openChannels(after: cursor, limit: count)
            } cells: {
                [$0.url.rawValue, $0.name]
            }
        },
        Command("create-open CHANNEL [NAME=VALUE ...]", "Creates an open channel.") { arguments in
            let url = try arguments.channel
            var params = OpenChannelCreateParams(url.rawValue, url: url)
            try Setting.ofOpenChannel.set(arguments.words.dropFirst(), of: &params)
            return "created \(try await arguments.client.createOpenChannel(params).url)"
        },
        onChannel("enter CHANNEL", "Enters an open channel, to receive its messages until exit.") {
            client, url in
            let channel = try await client.enter(client.openChannel(url).url)
            return
                "entered \(channel.url), with \(counted(channel.participantCount, "participant"))"
        },
        Command("exit [CHANNEL]", "Exits an open channel; without one, ends the prompt.") {
            arguments in
            guard !arguments.words.isEmpty else {
                return try await run("quit", in: arguments.workspace)
            }
            let url = try arguments.onlyChannel
            try await arguments.client.exit(url)
            return "exited \(url)"
        },
    ]

    /// Creates a command whose argument is a channel; in the usage `[CHANNEL]`, by default the open
    /// one.
    static func onChannel(
        _ title: String, _ summary: String,
        _ body:
            @escaping @MainActor @Sendable (ChatClient, ChannelURL) async throws -> any Reply
    ) -> Command {
        Command(title, summary) { arguments in
            let url =
                try await title.hasSuffix("[CHANNEL]")
                ? arguments.channelOrOpenOne : arguments.existing(arguments.onlyChannel)
            return try await body(arguments.client, url)
        }
    }

    /// Returns the first rows of a list of the server, which `page` fetches page by page, as a
    /// table, with a line if there are more.
    static func paged<Row: Record>(
        _ limit: Int?, orNone none: String,
        _ page: (PageCursor?, Int) async throws -> Page<Row>, cells: (Row) -> [String]
    ) async throws -> any Reply {
        let limit = limit ?? rowLimit
        var rows: [Row] = []
        var cursor: PageCursor?
        repeat {
            try Task.checkCancellation()
            let next = try await page(cursor, min(limit - rows.count, 100))
            rows += next.elements
            // Stop: the server has repeated a page.
            guard next.next != cursor else { break }
            cursor = next.next
        } while cursor != nil && rows.count < limit
        let remark = cursor == nil ? "" : "\n\(cutRemark(rows.count, of: nil))"
        return ValuedReply(rows.isEmpty ? none : columns(rows.map(cells)) + remark, list: rows)
    }
}

extension Device {
    fileprivate func channels(
        _ page: (GroupChannelCollection) async throws(SyncError) -> (
            [GroupChannel], isAnswered: Bool
        )
    ) async throws -> any Reply {
        guard let channelList else {
            throw CommandError.failed("no list was started: type list")
        }
        let (channels, isAnswered) = try await page(channelList)
        let hasMore = channelList.hasMore && !channels.isEmpty
        let none = channelList.channels.isEmpty ? "no channels" : "no more channels"
        let rows = channels.map { channel in
            channel.tableRow + [channelList.drafts[channel.url].map { "draft: \($0)" } ?? ""]
        }
        let lines =
            [channels.isEmpty ? none : Command.columns(rows)]
            + (hasMore ? ["… there are more: type more"] : [])
            + (channelList.isStale ? ["(the cache was cleared: fetching the list again)"] : [])
            + (isAnswered ? [] : ["(offline: cached channels)"])
        return ValuedReply(lines.joined(separator: "\n"), list: channels)
    }
}

extension GroupChannel {
    var tableRow: [String] {
        let state = [
            isFrozen ? "frozen" : nil, isHidden ? "hidden" : nil,
            isCurrentUserMuted ? "muted" : nil,
            myMemberState == .invited ? "invited" : nil,
        ]
        return [
            url.rawValue, name == url.rawValue ? "" : name,
            unreadMessageCount > 0 ? "\(unreadMessageCount) unread" : "",
            memberCount > 0 ? counted(memberCount, "member") : "",
            state.compactMap { $0 }.joined(separator: ", "),
            lastMessage.map { message in
                "\(message.sender.map { "\($0.displayName): " } ?? "")\(message.text)"
            } ?? "",
        ]
    }
}
