import Models
import Sync

extension BackendConformance {
    static let managementChecks: [ConformanceCheck] = [
        ConformanceCheck("create.members", "create a channel", needs: .channelCreation) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            var params = GroupChannelCreateParams("Made", userIDs: [bob.userID])
            params.data = "data"
            params.customType = "made"
            let made = try await alice.backend.perform(CreateChannel(params))
            try expectEqual(made.myMemberState, .joined, "the member state of the creator")
            for device in [alice, bob] {
                let channel = try await device.backend.channel(made.url)
                try expectEqual(channel.name, "Made", "the name")
                let isInvited = device.userID == bob.userID && device.can(.invitations)
                try expect(
                    channel.myMemberState == .joined
                        || isInvited && channel.myMemberState == .invited,
                    "\(device.userID) is \(channel.myMemberState)")
                let urls = try await device.channelURLs()
                try expect(urls.contains(made.url), "\(device.userID) has no such channel")
                // A server may show an invited user less than a member.
                guard channel.myMemberState == .joined else { continue }
                try expectEqual(channel.data, "data", "the data")
                try expectEqual(channel.customType, "made", "the custom type")
                try expectEqual(channel.memberCount, 2, "the number of members")
            }
        },
        ConformanceCheck(
            "create.distinct", "create a distinct channel twice",
            needs: [.channelCreation, .distinctChannels]
        ) {
            scene in
            let (alice, bob, carol) = try await scene.trio()
            var params = GroupChannelCreateParams("", userIDs: [bob.userID, carol.userID])
            params.isDistinct = true
            let first = try await alice.backend.perform(CreateChannel(params)).url
            params.userIDs = [carol.userID, bob.userID]
            let second = try await alice.backend.perform(CreateChannel(params)).url
            params.userIDs = [alice.userID, carol.userID]
            let third = try await bob.backend.perform(CreateChannel(params)).url
            try expectEqual(
                [second, third], [first, first], "the distinct channels of the same users")
            params.userIDs = [bob.userID]
            let fewer = try await alice.backend.perform(CreateChannel(params)).url
            try expect(fewer != first, "the distinct channel of fewer users is not a new one")
            params.isDistinct = false
            let other = try await alice.backend.perform(CreateChannel(params)).url
            try expect(
                other != fewer && other != first, "a channel that is not distinct is not a new one")
        },
        ConformanceCheck(
            "updateChannel.absent", "change one property at a time", needs: .channelUpdates
        ) { scene in
            let (alice, bob) = (try await scene.device(0), try await scene.device(1))
            var params = GroupChannelCreateParams("name", userIDs: [bob.userID])
            params.data = "data"
            params.customType = "type"
            params.coverURL = "https://example.com/cover.png"
            let url = try await alice.backend.perform(CreateChannel(params)).url
            try await bob.accept(url)
            var metadata = Patch<GroupChannel>()
            metadata.set(\.metadata, to: ["mood": "sunny"])
            _ = try await alice.backend.perform(UpdateChannel(url, with: metadata))
            var name = Patch<GroupChannel>()
            name.set(\.name, to: "another name")
            var data = Patch<GroupChannel>()
            data.set(\.data, to: "")
            for patch in [name, data] {
                var expected = try await alice.backend.channel(url)
                patch.apply(to: &expected)
                let changed = try await alice.backend.perform(UpdateChannel(url, with: patch))
                try expectEqual(changed.essence, expected.essence, "the channel after \(patch)")
                let found = try await bob.backend.channel(url)
                try expectEqual(
                    [found.name, found.data, found.customType, found.coverURL],
                    [expected.name, expected.data, "type", params.coverURL],
                    "the other members' channel after \(patch)")
                try expectEqual(found.metadata, ["mood": "sunny"], "the metadata after \(patch)")
            }
        },
        ConformanceCheck("deleteChannel.gone", "delete a channel", needs: .channelDeletion) {
            scene in
            let (alice, bob, url) = try await scene.pair()
            _ = try await alice.send("hello", in: url)
            try await alice.backend.perform(DeleteChannel(url))
            for device in [alice, bob] { try await device.expectLoss(of: url) }
        },
        ConformanceCheck("invite.reported", "invite a user", needs: .inviting) { scene in
            let (alice, bob, carol) = try await scene.trio()
            let url = try await scene.channel(alice, bob)
            let cursor = try await carol.tip()
            try await alice.backend.perform(InviteUsers([carol.userID], to: url))
            let state = try await carol.backend.channel(url).myMemberState
            let isIn = state == .joined || state == .invited && carol.can(.invitations)
            try expect(isIn, "\(carol.userID) is \(state)")
            let urls = try await carol.channelURLs()
            try expect(urls.contains(url), "\(carol.userID) has no such channel")
            let notified = try await carol.missed(since: cursor).events(in: url)
            try expect(!notified.isEmpty, "\(carol.userID) was not notified")
        },
        ConformanceCheck(
            "invitation.answer", "accept and decline an invitation",
            needs: [.channelCreation, .invitations]
        ) { scene in
            let (alice, bob, carol) = try await scene.trio()
            let params = GroupChannelCreateParams("", userIDs: [bob.userID, carol.userID])
            let url = try await alice.backend.perform(CreateChannel(params)).url
            for device in [bob, carol] {
                guard try await device.backend.channel(url).myMemberState == .invited else {
                    throw Skipped(text: "invited users join without an answer")
                }
            }
            try await bob.backend.perform(AnswerInvitation(to: url, accepts: true))
            try await carol.backend.perform(AnswerInvitation(to: url, accepts: false))
            let state = try await bob.backend.channel(url).myMemberState
            try expectEqual(state, .joined, "the member state after accepting")
            _ = try await bob.send("hello", in: url)
            try await carol.expectLoss(of: url)
        },
        ConformanceCheck(
            "invitation.none", "answer an invitation that does not exist",
            needs: .invitations
        ) { scene in
            let (alice, bob, carol) = try await scene.trio()
            let url = try await scene.channel(alice, bob)
            for accepts in [true, false] {
                for device in [alice, bob] {
                    try await expectFailure(.refused, of: "an answer of \(device.userID)") {
                        try await device.backend.perform(
                            AnswerInvitation(to: url, accepts: accepts))
                    }
                }
                try await expectFailure(
                    .notFound, .refused, of: "an answer of \(carol.userID)"
                ) {
                    try await carol.backend.perform(AnswerInvitation(to: url, accepts: accepts))
                }
            }
            let members = try await alice.members(of: url)
            try expectEqual(
                members.map(\.userID), [alice.userID, bob.userID].sorted(), "the members")
        },
        ConformanceCheck("leave.loses", "leave a channel", needs: .leaving) { scene in
            let (alice, bob, carol) = try await scene.trio()
            let url = try await scene.channel(alice, bob, carol)
            try await bob.backend.perform(LeaveChannel(url))
            try await bob.expectLoss(of: url)
            try expectEqual(try await alice.backend.channel(url).memberCount, 2, "the member count")
            let members = try await carol.members(of: url)
            try expectEqual(
                members.map(\.userID), [alice.userID, carol.userID].sorted(), "the members")
        },
    ]
}

extension Device {
    func expectLoss(of url: ChannelURL) async throws {
        let urls = try await channelURLs()
        try expect(!urls.contains(url), "\(userID) still has \(url)")
        try await expectFailure(.notFound, .refused, of: "fetching the lost channel") {
            _ = try await history(url)
        }
        try await expectFailure(.notFound, .refused, of: "sending to the lost channel") {
            _ = try await send("hello", in: url)
        }
    }
}
