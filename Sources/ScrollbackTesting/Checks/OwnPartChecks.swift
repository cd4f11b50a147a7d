import Models
import Sync

extension BackendConformance {
    static let ownPartChecks: [ConformanceCheck] = [
        ConformanceCheck("hide.state", "hide a channel, and receive a message", needs: .hiding) {
            scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            for state in [HiddenState.hiddenAllowAutoUnhide, .hiddenPreventAutoUnhide] {
                let url = try await scene.channel(alice, bob)
                _ = try await alice.send("before", in: url)
                try await bob.backend.perform(HideChannel(url, until: state))
                let hidden = try await bob.backend.channel(url).hiddenState
                try expectEqual(hidden, state, "the hidden state")
                let others = try await alice.backend.channel(url).hiddenState
                try expectEqual(others, .unhidden, "the hidden state of others")
                _ = try await alice.send("after", in: url)
                let after = try await bob.backend.channel(url).hiddenState
                let expected = state == .hiddenAllowAutoUnhide ? .unhidden : state
                try expectEqual(after, expected, "the hidden state after a message")
                try await bob.backend.perform(HideChannel(url, until: .unhidden))
                let shown = try await bob.backend.channel(url).hiddenState
                try expectEqual(shown, .unhidden, "the hidden state after unhiding")
            }
        },
        ConformanceCheck("reset.history", "reset the user's history", needs: .historyReset) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            let old = try await alice.send(3, in: url)
            let offset = try await bob.backend.perform(ResetMyHistory(of: url))
            let new = try await alice.send(2, in: url).inOrder
            try expect(
                old.allSatisfy { $0.createdAt < offset },
                "a message from before the reset is not older than the time of the reset")
            try expect(
                new.allSatisfy { offset <= $0.createdAt },
                "a message from after the reset is older than the time of the reset")
            for messages in [
                try await bob.readAll(url, from: .newest, .older),
                try await bob.readAll(url, from: .time(.distantPast), .newer),
            ] {
                try expectEqual(messages.ids, new.ids, "the history after the reset")
            }
            let answer = try await bob.backend.lookup([old[0].id, new[0].id], in: url)
            try expectEqual(answer.found.ids, [new[0]].ids, "the messages that a lookup finds")
            try expectEqual(answer.gone, [try old[0].id], "the ids that a lookup reports as gone")
            if bob.can(.counts) {
                let count = try await bob.backend.perform(
                    CountMessages(in: url, from: nil, to: nil))
                try expectEqual(count, 2, "the count")
            }
            let channel = try await bob.backend.channel(url)
            try expectEqual(channel.messageOffset, offset, "the channel's messageOffset")
            try expectEqual(
                try await alice.history(url).ids, (old + new).inOrder.ids,
                "the history of other users")
        },
    ]

    static let moderationChecks: [ConformanceCheck] = [
        ConformanceCheck("freeze.refuses", "freeze a channel", needs: .freezing) { scene in
            let (alice, bob, url) = try await scene.pair()
            try await expectFailure(.refused, of: "freezing by a member who is not an operator") {
                try await bob.backend.perform(SetFrozen(true, for: url))
            }
            try await alice.backend.perform(SetFrozen(true, for: url))
            try await expectFailure(.refused, of: "sending", detail: .channelFrozen) {
                _ = try await bob.send("hello", in: url)
            }
            _ = try await alice.send("sent by the operator", in: url)
            try await alice.backend.perform(SetFrozen(false, for: url))
            _ = try await bob.send("hello", in: url)
            let texts = try await alice.history(url).map(\.text)
            try expectEqual(texts.sorted(), ["hello", "sent by the operator"], "the messages")
        },
        ConformanceCheck("mute.refuses", "mute a user", needs: .muting) { scene in
            let (alice, bob, url) = try await scene.pair()
            try await expectFailure(.refused, of: "muting by a member who is not an operator") {
                try await bob.backend.perform(RestrictUser(alice.userID, in: url, as: .muted))
            }
            try await alice.backend.perform(RestrictUser(bob.userID, in: url, as: .muted))
            try await expectFailure(.refused, of: "sending", detail: .mutedInChannel) {
                _ = try await bob.send("hello", in: url)
            }
            try await alice.backend.perform(LiftRestriction(.muted, of: bob.userID, in: url))
            _ = try await bob.send("hello again", in: url)
            let texts = try await alice.history(url).map(\.text)
            try expectEqual(texts, ["hello again"], "the messages")
        },
        ConformanceCheck("ban.loses", "ban a user", needs: .banning) { scene in
            let (alice, bob, url) = try await scene.pair()
            try await alice.backend.perform(RestrictUser(bob.userID, in: url, as: .banned))
            try await bob.expectLoss(of: url)
            guard bob.can(.joining) else { return }
            try await expectFailure(.notFound, .refused, of: "joining again") {
                _ = try await bob.backend.perform(JoinChannel(url))
            }
            do {
                try await alice.backend.perform(InviteUsers([bob.userID], to: url))
            } catch is BackendError {
                // The server may refuse to invite a banned user.
            }
            let urls = try await bob.channelURLs()
            try expect(
                !urls.contains(url),
                "the banned user \(bob.userID) is a member of the channel again")
        },
        ConformanceCheck(
            "restrict.self", "mute and ban the requesting user", needs: [.muting, .banning]
        ) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            for type in [RestrictionType.muted, .banned] {
                try await expectFailure(.refused, of: "restricting themselves as \(type)") {
                    try await alice.backend.perform(
                        RestrictUser(alice.userID, in: url, as: type))
                }
            }
            _ = try await alice.send("hello", in: url)
            let texts = try await bob.history(url).map(\.text)
            try expectEqual(texts, ["hello"], "the messages")
        },
    ]

    static let openChannelChecks: [ConformanceCheck] = [
        ConformanceCheck("open.live", "enter and exit an open channel", needs: .openChannels) {
            scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            let url = try await alice.backend.perform(
                CreateOpenChannel(OpenChannelCreateParams("Open"))
            ).url
            _ = try await alice.backend.perform(EnterOpenChannel(url))
            let before = try await alice.sendOpen("before", in: url)
            var reading = FeedReading(bob, since: try await bob.tip())
            _ = try await bob.backend.perform(EnterOpenChannel(url))
            let message = try await alice.sendOpen("hello", in: url)
            try await reading.await("the message", else: nil) { $0.isAbout(message.messageID) }
            try await bob.backend.perform(ExitOpenChannel(url))
            let after = try await alice.sendOpen("after", in: url)
            try await reading.catchUp()
            for other in [before, after] {
                let isNotified = reading.events.contains { $0.isAbout(other.messageID) }
                try expect(
                    !isNotified,
                    "\(bob.userID) had not entered the channel, and received \(other.shown)")
            }
        }
    ]
}

extension Device {
    fileprivate func sendOpen(_ text: String, in url: ChannelURL) async throws -> Message {
        var message = Message(
            id: nil, channelURL: url, channelType: .open, text: text, createdAt: 0)
        message.newMessage = NewMessage(text)
        return try await backend.send(OutboxItem(message, requestID: scene.subject.makeRequestID()))
    }
}
