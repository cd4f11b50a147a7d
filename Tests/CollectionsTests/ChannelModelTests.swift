import Collections
import EmbeddedServer
import Models
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Compares channel lists with the server's channels, under random changes and network failures.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct ChannelModelTests {
    @Test(arguments: 0..<24) func everyListEqualsTheServersList(seed: Int) async throws {
        var random = SeededRandom(seed: seed)
        let device = seed % 4 == 0 ? try TemporaryStore() : nil
        let story = try await Story(store: device?.store, seed: UInt64(seed))
        let bob = try await story.otherDevice()
        if seed % 3 > 0 { story.network.conditions = .withinContract(seed: UInt64(seed)) }
        if seed % 3 == 2 { story.server.conditions.feedBatchSize = 3 }
        var urls: [ChannelURL] = []
        var views: [ChannelView] = []
        for _ in 0..<80 {
            switch random.number(below: 10) {
            case 0 where views.count < 12:
                let query = GroupChannelListQuery.random(&random)
                views.append(
                    ChannelView(
                        GroupChannelCollection(query: query, userID: "bob", engine: story.engine)))
            case 1 where !views.isEmpty:
                // Without a connection, there may be no page to load.
                _ = try? await views[random.number(below: views.count)].load()
            case 2:
                await story.engine.disconnect()
                // If the network loses the request, the engine retries it.
                try? await story.connect()
            case 3 where random.oneIn(8): try await story.engine.clearCachedData()
            case 4 where !urls.isEmpty:
                let url = urls[random.number(below: urls.count)]
                let labels = ChannelLabels.random(&random)
                try story.engine.store.write { try $0.setLabels(labels, of: url) }
            default: await story.change(&urls, bob, &random)
            }
            for view in views { #expect(view.differences == []) }
        }
        story.network.conditions = .perfect
        await story.engine.disconnect()
        try await story.catchUp()

        let held = try await story.channels(of: bob)
        let labels = try story.engine.store.channelLabels()
        for view in views {
            let query = view.collection.query
            let expected = query.list(of: held, labels).map(\.url)
            try await view.load()
            #expect(expected.starts(with: view.collection.channels.map(\.url)))
            while view.collection.hasMore { try await view.load() }
            #expect(view.collection.channels.map(\.url) == expected, "\(query)")
            #expect(view.channels == view.collection.channels)
            #expect(view.differences == [])
        }
        let total = await story.engine.state.unreadCount
        #expect(
            total?.groupChannelUnreadMessageCount
                == held.reduce(0) { $0 + $1.unreadMessageCount })
        #expect(
            total?.groupChannelInvitationCount
                == held.count { $0.myMemberState == .invited })
        await story.engine.close()
        let queries = views.map(\.collection.query)
        let expected = queries.map { $0.list(of: held, labels).map(\.url.rawValue) }
        let engine = story.restarted()
        for (query, expected) in zip(queries, expected) {
            let view = ChannelView(
                GroupChannelCollection(query: query, userID: "bob", engine: engine))
            while view.collection.hasMore { try await view.load() }
            #expect(view.channels.map(\.url.rawValue) == expected)
        }
        await engine.close()
        guard let device else { return }
        device.store.close()
        #expect(try FreshProcess.channels(in: device.directory, queries) == expected)
    }
}

extension GroupChannelListQuery {
    fileprivate static func random(_ random: inout SeededRandom) -> GroupChannelListQuery {
        var query = GroupChannelListQuery()
        query.limit = 1 + random.number(below: 8)
        query.order = GroupChannelListOrder.allCases.randomElement(using: &random)!
        query.metaDataOrderKeyFilter = "rank"
        query.hiddenStateFilter = HiddenStateFilter.allCases.randomElement(using: &random)!
        if random.oneIn(2) { query.hiddenStateFilter = .all }
        for _ in 0..<random.number(below: 3) {
            switch random.number(below: 18) {
            case 0: query.includesEmptyChannel = false
            case 1: query.includesFrozenChannel = false
            case 2: query.channelURLsFilter = ["c1", "c3", "c4", "gone"]
            case 3: query.channelNameContainsFilter = "A"
            case 4: query.customTypesFilter = ["x", "xy"]
            case 5: query.customTypeStartsWithFilter = "x"
            case 6: query.nicknameStartsWithFilter = "al"
            case 7: query.publicChannelFilter = random.oneIn(2) ? .publicOnly : .privateOnly
            case 8: query.memberStateFilter = random.oneIn(2) ? .joinedOnly : .invitedOnly
            case 9: query.unreadChannelFilter = .unreadMessage
            case 10: query.nicknameContainsFilter = "al"
            case 11: query.userIDsIncludeFilter = ["carol"]
            case 12: query.userIDsExactFilter = ["alice"]
            case 13: query.searchQuery = "b"
            case 14: query.labelListedFirst = "top"
            case 15:
                query.labelsFilter = random.oneIn(2) ? ["a", "top"] : []
                query.excludedLabelsFilter = random.oneIn(2) ? ["b"] : []
            case 16:
                query.metaDataKeyFilter = "rank"
                query.metaDataValuesFilter = ["1", "2"]
            default:
                if random.oneIn(2) {
                    query.createdBefore = 20_000
                } else {
                    query.createdAfter = 20_000
                }
            }
        }
        return query
    }

    /// Returns the channels that the list of bob contains, in its order.
    fileprivate func list(
        of channels: [GroupChannel], _ labels: [ChannelURL: ChannelLabels]
    ) -> [GroupChannel] {
        func isFirst(_ channel: GroupChannel) -> Bool {
            labelListedFirst.map { labels[channel.url]?.labels.contains($0) ?? false } ?? false
        }
        func isListed(_ channel: GroupChannel) -> Bool {
            let labels = labels[channel.url]?.labels ?? []
            return (labelsFilter.isEmpty || !labels.isDisjoint(with: labelsFilter))
                && labels.isDisjoint(with: excludedLabelsFilter)
                && belongsTo(channel, currentUserID: "bob")
        }
        let listed = channels.filter(isListed)
        let first = Dictionary(grouping: listed.filter(isFirst)) { labels[$0.url]?.sortKey }
        // The keys of this test are ASCII.
        let keys = first.keys.compactMap(\.self).sorted() + (first[nil] == nil ? [] : [nil])
        return keys.flatMap { first[$0]?.sorted(by: precedes) ?? [] }
            + listed.filter { !isFirst($0) }.sorted(by: precedes)
    }
}

extension ChannelLabels {
    fileprivate static func random(_ random: inout SeededRandom) -> ChannelLabels {
        var labels = ChannelLabels()
        for label in ["a", "b", "top"] where random.oneIn(2) { labels.labels.insert(label) }
        labels.sortKey = [nil, "", "1", "2"][random.number(below: 4)]
        return labels
    }
}

extension Story {
    /// Makes a random change to the channels.
    ///
    /// A change that is not possible has no effect.
    fileprivate func change(
        _ urls: inout [ChannelURL], _ bob: EmbeddedClient, _ random: inout SeededRandom
    ) async {
        clock.advance(by: .milliseconds(500 * random.number(below: 4)))
        let url = urls.randomElement(using: &random)
        let names = ["a", "b", "ab", "Ba", "c"]
        switch random.number(below: 14) {
        case 0, 1, 2:
            let url = ChannelURL("c\(urls.count)")
            urls.append(url)
            var params = GroupChannelCreateParams(
                names.randomElement(using: &random)!,
                userIDs: random.oneIn(3) ? ["carol"] : [], url: url)
            params.customType = ["", "x", "xy", "y"].randomElement(using: &random)!
            params.isPublic = random.oneIn(3)
            _ = try? await alice.perform(CreateChannel(params))
            guard !random.oneIn(5) else { return }
            try? await alice.perform(InviteUsers(["bob"], to: url))
            if !random.oneIn(4) { try? await bob.perform(AnswerInvitation(to: url, accepts: true)) }
        case 3, 4, 5: if let url { _ = try? await say("m", in: url) }
        case 6:
            guard let url else { return }
            if random.oneIn(3) {
                let newest = try? await bob.messages(in: url, at: .newest, older: 1, newer: 0)
                guard let id = newest?.messages.first?.messageID else { return }
                try? await bob.perform(MarkAsUnread(from: id, in: url))
            } else {
                try? await bob.perform(MarkAsRead(url))
            }
        case 7:
            let state: HiddenState =
                random.oneIn(2) ? .hiddenAllowAutoUnhide : .hiddenPreventAutoUnhide
            if let url {
                try? await bob.perform(HideChannel(url, until: random.oneIn(3) ? .unhidden : state))
            }
        case 8:
            var patch = Patch<GroupChannel>()
            patch.set(\.name, to: names.randomElement(using: &random)!)
            if let url { _ = try? await alice.perform(UpdateChannel(url, with: patch)) }
        case 9:
            var patch = Patch<GroupChannel>()
            patch.set(\.metadata, to: ["rank": "\(random.number(below: 4))"])
            if let url { _ = try? await alice.perform(UpdateChannel(url, with: patch)) }
        case 10: if let url { try? await alice.perform(SetFrozen(random.oneIn(2), for: url)) }
        case 11:
            let accepts = random.oneIn(2)
            if let url { try? await bob.perform(AnswerInvitation(to: url, accepts: accepts)) }
        case 12:
            guard let url else { return }
            if random.oneIn(2) {
                try? await alice.perform(InviteUsers(["bob"], to: url))
            } else {
                try? await bob.perform(LeaveChannel(url))
            }
        default:
            guard let url, random.oneIn(2) else { return }
            if random.oneIn(2) {
                try? await alice.perform(DeleteChannel(url))
            } else {
                try? await alice.perform(
                    RestrictUser("bob", in: url, as: .banned, until: nil, reason: ""))
            }
        }
    }

    /// Returns all channels of a user, whether hidden or not.
    fileprivate func channels(of user: EmbeddedClient) async throws -> [GroupChannel] {
        var query = GroupChannelListQuery()
        query.hiddenStateFilter = .all
        var channels: [GroupChannel] = []
        var cursor: PageCursor?
        repeat {
            let page = try await user.channels(matching: query, after: cursor)
            channels += page.elements
            cursor = page.next
        } while cursor != nil
        return channels
    }
}
