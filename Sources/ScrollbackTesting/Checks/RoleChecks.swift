import Models
import Sync

extension BackendConformance {
    static let roleChecks: [ConformanceCheck] = [
        ConformanceCheck("unread.reported", "mark messages as unread", needs: .markingAsUnread) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            var sent: [Message] = []
            for text in ["one", "two", "three"] { sent.append(try await alice.send(text, in: url)) }
            guard let second = sent[1].messageID, let third = sent[2].messageID else { return }
            // If the server's clocks differ, the messages may be in another order.
            let newer = sent.filter { second == $0.messageID || sent[1].isOlder(than: $0) }.count
            if bob.can(.readReceipts) { try await bob.backend.perform(MarkAsRead(url)) }
            let cursor = try await bob.tip()
            // The second call has no effect: the third message is already unread.
            for id in [second, third] {
                try await bob.backend.perform(MarkAsUnread(from: id, in: url))
                let channel = try await bob.backend.channel(url)
                try expect(
                    channel.myLastRead.map { $0 < sent[1].createdAt } ?? true,
                    "the user has read up to \(channel.myLastRead as Any)")
            }
            let reported = try await bob.reported(url, since: cursor)
            try expect(
                reported.patch.contains(\.myLastRead),
                "the feed did not report the new read position")
            guard bob.can(.unreadCounts) else { return }
            let count = reported.channel.unreadMessageCount
            try expect(
                (newer...sent.count).contains(count),
                "the reported unread count is \(count) instead of \(newer)")
        },
        ConformanceCheck("pin.reported", "pin a message", needs: .pinnedMessages) { scene in
            let (alice, bob, url) = try await scene.pair()
            let first = try await alice.send("one", in: url).messageID
            let second = try await alice.send("two", in: url).messageID
            guard let first, let second else { return }
            let cursor = try await bob.tip()
            func expectPins(_ expected: [MessageID], _ what: String) async throws {
                for device in [alice, bob] {
                    let pinned = try await device.backend.channel(url).pinnedMessageIDs
                    try expectEqual(pinned.sorted(), expected.sorted(), "the pins after \(what)")
                }
                let reported = try await bob.reported(url, since: cursor).channel.pinnedMessageIDs
                try expectEqual(
                    reported.sorted(), expected.sorted(), "the reported pins after \(what)")
            }
            try await alice.backend.perform(SetPinned(true, first, in: url))
            try await expectPins([first], "pinning a message")
            for _ in 0..<2 { try await alice.backend.perform(SetPinned(true, second, in: url)) }
            try await expectPins([first, second], "pinning the same message twice")
            try await alice.backend.perform(SetPinned(false, first, in: url))
            try await expectPins([second], "unpinning a message")
            try await alice.backend.delete(
                second, in: url, requestID: scene.subject.makeRequestID())
            try await expectPins([], "deleting a pinned message")
            try await expectFailure(.notFound, of: "pinning a deleted message") {
                try await alice.backend.perform(SetPinned(true, second, in: url))
            }
        },
        ConformanceCheck("role.reported", "make an operator", needs: .roleManagement) { scene in
            let (alice, bob, carol) = try await scene.trio()
            let url = try await scene.channel(alice, bob)
            try await expectFailure(.refused, of: "a role set by a member who is not an operator") {
                try await bob.backend.perform(SetRole(.operator, of: [bob.userID], in: url))
            }
            try await expectFailure(.notFound, of: "a role of a user who is not a member") {
                try await alice.backend.perform(
                    SetRole(
                        .operator, of: [bob.userID, carol.userID], in: url))
            }
            let before = try await bob.backend.channel(url).myRole
            try expectEqual(before, .none, "the role after a failure")
            let cursor = try await bob.tip()
            for role in [Role.operator, .none] {
                try await alice.backend.perform(SetRole(role, of: [bob.userID], in: url))
                let own = try await bob.backend.channel(url).myRole
                try expectEqual(own, role, "the user's role in the channel")
                let member = try await alice.members(of: url).first { $0.userID == bob.userID }
                try expectEqual(member?.role, role, "the role in the list of members")
                let reported = try await bob.reported(url, since: cursor)
                try expect(reported.patch.contains(\.myRole), "the feed did not report the role")
                try expectEqual(reported.channel.myRole, role, "the reported role")
            }
        },
        ConformanceCheck(
            "restricted.all", "list muted and banned users",
            needs: [.moderation, .restrictionLists]
        ) { scene in
            let (alice, bob, carol) = try await scene.trio()
            let url = try await scene.channel(alice, bob, carol)
            func list(_ type: RestrictionType) async throws -> [RestrictedUser] {
                try await allPages(of: "the list of \(type) users", "restricted.all") {
                    try await alice.backend.perform(
                        ListRestrictedUsers(of: url, as: type, after: $0, limit: 1))
                }
            }
            try await expectFailure(
                .refused, of: "a list requested by a member who is not an operator"
            ) {
                _ = try await bob.backend.perform(
                    ListRestrictedUsers(
                        of: url, as: .muted, after: nil, limit: 10))
            }
            for device in [bob, carol] {
                try await alice.backend.perform(
                    RestrictUser(
                        device.userID, in: url, as: .muted, until: nil, reason: "loud"))
            }
            let muted = try await list(.muted)
            try expectEqual(
                muted.map(\.userID), [bob.userID, carol.userID].sorted(), "the muted users")
            for user in muted {
                try expectEqual(user.restrictionType, .muted, "the restriction")
                try expectEqual(user.restrictionDescription, "loud", "the reason")
                try expect(
                    user.endAt.map { $0 < 0 } ?? true,
                    "the mute has an end, although none was requested")
            }
            try expectEqual(try await list(.banned).map(\.userID), [], "the banned users")
            try await alice.backend.perform(LiftRestriction(.muted, of: bob.userID, in: url))
            try await alice.backend.perform(RestrictUser(bob.userID, in: url, as: .banned))
            try expectEqual(
                try await list(.muted).map(\.userID), [carol.userID], "the muted users afterwards")
            try expectEqual(
                try await list(.banned).map(\.userID), [bob.userID], "the banned users afterwards")
        },
        ConformanceCheck("poll.options", "create a poll", needs: .polls) { scene in
            let (alice, bob, url) = try await scene.pair()
            let (poll, sent) = try await alice.sendPoll(["tea", "coffee"], in: url)
            try expect(poll.id != 0, "the poll has no ID")
            try expectEqual(Set(poll.options.map(\.id)).count, 2, "the IDs of the options")
            let found = try await bob.history(url).last
            for message in [sent, found] {
                try expectEqual(message?.poll?.title, "Which?", "the title")
                try expectEqual(
                    message?.poll?.options.map(\.text), ["tea", "coffee"], "the options")
            }
        },
        ConformanceCheck("vote.reported", "vote in a poll", needs: .polls) { scene in
            let (alice, bob, url) = try await scene.pair()
            let (poll, sent) = try await alice.sendPoll(["tea", "coffee"], in: url)
            guard let id = sent.messageID else { return }
            let options = poll.options.map(\.id)
            var changed = sent.poll?.updatedAt ?? .distantPast
            for (voted, counts) in [
                ([options[0]], [1, 0]), ([options[1]], [0, 1]), ([], [0, 0]),
            ] {
                let cursor = try await alice.tip()
                let message = try await bob.backend.perform(
                    VoteInPoll(for: voted, inPollOf: id, in: url))
                try expectEqual(
                    message.poll?.votedOptionIDs ?? [], voted,
                    "the options that the voter sees as voted for")
                var reported: [Poll] = []
                for event in try await alice.missed(since: cursor).events(in: url) {
                    switch event {
                    case .messageUpdated, .messageChanged:
                        reported += try await alice.messages(of: event).compactMap(\.poll)
                    default: break
                    }
                }
                guard let last = reported.last else {
                    throw Broken(text: "the feed did not report the vote")
                }
                try expectEqual(last.options.map(\.voteCount), counts, "the reported counts")
                try expectEqual(
                    last.votedOptionIDs, [], "the options that another user sees as voted for")
                try expect(
                    last.updatedAt.map { changed < $0 } ?? false,
                    "the time of the poll's last change is not later than before")
                changed = last.updatedAt ?? changed
            }
            try await expectFailure(.refused, of: "a vote for several options") {
                _ = try await bob.backend.perform(VoteInPoll(for: options, inPollOf: id, in: url))
            }
            try await expectFailure(.refused, of: "a vote for an option that does not exist") {
                _ = try await bob.backend.perform(VoteInPoll(for: [1 << 40], inPollOf: id, in: url))
            }
            let other = try await alice.send("no poll", in: url)
            guard let other = other.messageID else { return }
            try await expectFailure(.notFound, of: "a vote in a message without a poll") {
                _ = try await bob.backend.perform(
                    VoteInPoll(for: [options[0]], inPollOf: other, in: url))
            }
        },
        ConformanceCheck("block.listed", "block a user", needs: .blocking) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            try await alice.backend.perform(SetBlocked(true, bob.userID))
            try await alice.backend.perform(SetBlocked(true, bob.userID))
            try expectEqual(try await alice.blockedIDs(), [bob.userID], "the blocked users")
            try expectEqual(try await bob.blockedIDs(), [], "the list of the blocked user")
            try await expectFailure(.refused, of: "blocking oneself") {
                try await alice.backend.perform(SetBlocked(true, alice.userID))
            }
            try await alice.backend.perform(SetBlocked(false, bob.userID))
            try expectEqual(try await alice.blockedIDs(), [], "the blocked users afterwards")
        },
        ConformanceCheck("blocked.all", "list blocked users", needs: .blocking) { scene in
            let (alice, bob, carol) = try await scene.trio()
            for device in [bob, carol] {
                try await alice.backend.perform(SetBlocked(true, device.userID))
            }
            let ids = [bob.userID, carol.userID].sorted()
            try expectEqual(try await alice.blockedIDs(limit: 1), ids, "the blocked users")
            for id in ids { try await alice.backend.perform(SetBlocked(false, id)) }
        },
        ConformanceCheck(
            "report.missing", "report a message, a user and a channel, and then a deleted message",
            needs: .reporting
        ) { scene in
            let (alice, bob, carol) = try await scene.trio()
            let url = try await scene.channel(alice, bob)
            let sent = try await alice.send("spam", in: url).messageID
            guard let sent else { return }
            for subject in [
                .message(sent, in: url), .user(alice.userID), .channel(url),
            ] as [ModerationReport.Subject] {
                try await bob.backend.perform(
                    ReportAbuse(ModerationReport(subject, as: .spam, comment: "spam")))
            }
            try await alice.backend.delete(
                sent, in: url, requestID: scene.subject.makeRequestID())
            try await expectFailure(.notFound, .refused, of: "a report of a deleted message") {
                try await bob.backend.perform(
                    ReportAbuse(
                        ModerationReport(.message(sent, in: url), as: .spam)))
            }
            try await expectFailure(.notFound, .refused, of: "a report by a user without access") {
                try await carol.backend.perform(
                    ReportAbuse(ModerationReport(.channel(url), as: .spam)))
            }
        },
    ]
}

extension Message {
    fileprivate func isOlder(than other: Message) -> Bool {
        guard let position, let newer = other.position else { return false }
        return position < newer
    }
}

extension Device {
    /// Returns the reported state, and the last patch that sets the user's role or last read time.
    fileprivate func reported(
        _ url: ChannelURL, since cursor: FeedCursor
    ) async throws -> (patch: Patch<GroupChannel>, channel: GroupChannel) {
        var channel = GroupChannel()
        var last = Patch<GroupChannel>()
        for event in try await missed(since: cursor).events(in: url) {
            guard case .channel(let update) = event else { continue }
            update.patch.apply(to: &channel)
            if update.patch.contains(\.myRole) || update.patch.contains(\.myLastRead) {
                last = update.patch
            }
        }
        return (last, channel)
    }

    fileprivate func blockedIDs(limit: Int = 100) async throws -> [UserID] {
        try await allPages(of: "the list of blocked users", "blocked.all") {
            try await backend.perform(ListBlockedUsers(after: $0, limit: limit))
        }.map(\.userID)
    }

    func sendPoll(
        _ texts: [String], in url: ChannelURL
    ) async throws -> (Poll, Message) {
        var poll = Poll()
        poll.title = "Which?"
        poll.options = texts.map { text in
            var option = PollOption()
            option.text = text
            return option
        }
        let created = try await backend.perform(CreatePoll(poll))
        var params = NewMessage("a poll")
        params.pollID = created.id
        return (created, try await send(params, in: url))
    }
}
