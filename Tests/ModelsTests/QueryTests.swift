import ScrollbackTesting
import Testing

@testable import Models

/// Compares `belongsTo` with a list of rules, one rule for each filter, on small sets of channels.
@Suite struct QueryTests {
    /// A closure that enables one filter in a query, and the condition that the filter then imposes
    /// on a channel.
    struct Rule: Sendable {
        let name: String
        let turnOn: @Sendable (inout GroupChannelListQuery) -> Void
        let passes: @Sendable (GroupChannel) -> Bool
    }

    static let me: UserID = "me"

    static let rules: [Rule] = [
        // This condition applies even if no filter is enabled.
        Rule(name: "mine", turnOn: { _ in }, passes: { $0.myMemberState != .none }),
        Rule(
            name: "no empty", turnOn: { $0.includesEmptyChannel = false },
            passes: { $0.lastMessage != nil }),
        Rule(
            name: "no frozen", turnOn: { $0.includesFrozenChannel = false },
            passes: { !$0.isFrozen }),
        Rule(
            name: "urls", turnOn: { $0.channelURLsFilter = ["c0", "c2", "gone"] },
            passes: { ["c0", "c2"].contains($0.url) }),
        Rule(
            name: "name", turnOn: { $0.channelNameContainsFilter = "TE" },
            passes: { ["team", "Update"].contains($0.name) }),
        Rule(
            name: "types", turnOn: { $0.customTypesFilter = ["x", "xy"] },
            passes: { ["x", "xy"].contains($0.customType) }),
        Rule(
            name: "type prefix", turnOn: { $0.customTypeStartsWithFilter = "x" },
            passes: { $0.customType.first == "x" }),
        Rule(name: "public", turnOn: { $0.publicChannelFilter = .publicOnly }, passes: \.isPublic),
        Rule(
            name: "private", turnOn: { $0.publicChannelFilter = .privateOnly },
            passes: { !$0.isPublic }),
        Rule(name: "before", turnOn: { $0.createdBefore = 2 }, passes: { $0.createdAt == 1 }),
        Rule(name: "after", turnOn: { $0.createdAfter = 2 }, passes: { $0.createdAt == 3 }),
        Rule(
            name: "joined", turnOn: { $0.memberStateFilter = .joinedOnly },
            passes: { $0.myMemberState == .joined }),
        Rule(
            name: "invited", turnOn: { $0.memberStateFilter = .invitedOnly },
            passes: { $0.myMemberState == .invited }),
        Rule(
            name: "unread", turnOn: { $0.unreadChannelFilter = .unreadMessage },
            passes: { $0.unreadMessageCount > 0 }),
        Rule(
            name: "contains", turnOn: { $0.nicknameContainsFilter = "NN" },
            passes: { others($0).contains("Ann") }),
        Rule(
            name: "starts", turnOn: { $0.nicknameStartsWithFilter = "b" },
            passes: { !others($0).isDisjoint(with: ["bo", "Bob"]) }),
        Rule(
            name: "exact", turnOn: { $0.nicknameExactMatchFilter = "bo" },
            passes: { others($0).contains("bo") }),
        Rule(
            name: "all of", turnOn: { $0.userIDsIncludeFilter = ["ann", "bo"] },
            passes: { ids($0).isSuperset(of: ["ann", "bo"]) }),
        Rule(
            name: "any of",
            turnOn: {
                $0.userIDsIncludeFilter = ["ann", "bo"]
                $0.queryType = .or
            }, passes: { !ids($0).isDisjoint(with: ["ann", "bo"]) }),
        Rule(
            name: "exactly", turnOn: { $0.userIDsExactFilter = ["ann"] },
            passes: { ids($0) == ["ann", me] }),
        Rule(
            name: "search",
            turnOn: { $0.searchQuery = "an" },
            passes: { others($0).contains("Ann") || $0.name == "plan" }),
        Rule(
            name: "search names",
            turnOn: {
                $0.searchQuery = "an"
                $0.searchFields = [.channelName]
            }, passes: { $0.name == "plan" }),
        Rule(
            name: "search nicknames",
            turnOn: {
                $0.searchQuery = "an"
                $0.searchFields = [.memberNickname]
            }, passes: { others($0).contains("Ann") }),
        Rule(
            name: "key", turnOn: { $0.metaDataKeyFilter = "k" }, passes: { $0.metadata["k"] != nil }
        ),
        Rule(
            name: "values",
            turnOn: {
                $0.metaDataKeyFilter = "k"
                $0.metaDataValuesFilter = ["red", "rose"]
            }, passes: { ["red", "rose"].contains($0.metadata["k"] ?? "") }),
        Rule(
            name: "value prefix",
            turnOn: {
                $0.metaDataKeyFilter = "k"
                $0.metaDataValueStartsWithFilter = "r"
            }, passes: { ($0.metadata["k"] ?? "").first == "r" }),
    ]

    /// Returns whether a channel fulfills the conditions that a default query has besides the
    /// rules.
    static func isShownUnlessAsked(_ channel: GroupChannel) -> Bool {
        channel.myMemberState != .none && channel.hiddenState == .unhidden
    }

    static func ids(_ channel: GroupChannel) -> Set<UserID> { Set(channel.members.map(\.userID)) }

    static func others(_ channel: GroupChannel) -> Set<String> {
        Set(channel.members.filter { $0.userID != me }.map(\.nickname))
    }

    static let channels: [GroupChannel] = {
        var random = SeededRandom(seed: 11)
        return (0..<400).map { index in channel(index, &random) }
    }()

    private static func channel(_ index: Int, _ random: inout SeededRandom) -> GroupChannel {
        func any<Value>(_ values: [Value]) -> Value {
            values[Int(random.next() % UInt64(values.count))]
        }
        var channel = GroupChannel(
            url: ChannelURL("c\(index % 4)"), name: any(["team", "Update", "plan", ""]),
            createdAt: any([1, 2, 3]))
        if any([true, false]) {
            channel.lastMessage = Message(id: "1", channelURL: channel.url, createdAt: 5)
        }
        channel.isFrozen = any([true, false])
        channel.customType = any(["", "x", "xy", "y"])
        channel.isPublic = any([true, false])
        channel.myMemberState = any([.joined, .joined, .invited, .none])
        channel.hiddenState = any([.unhidden, .unhidden, .unhidden] + HiddenState.knownValues)
        channel.unreadMessageCount = any([0, 2])
        channel.inviter = any([nil, User(id: "inviter")])
        channel.metadata = any([[:], ["k": "red"], ["k": "rose"], ["k": "blue"], ["other": "red"]])
        let people = [("ann", "Ann"), ("bo", "bo"), ("bob", "Bob"), ("me", "Ann bo")]
        channel.members = people.filter { $0.0 == "me" || any([true, false]) }
            .map { Member(User(id: UserID($0.0), nickname: $0.1)) }
        return channel
    }

    @Test(arguments: rules.indices)
    func filterAgreesWithItsRule(_ index: Int) {
        let rule = Self.rules[index]
        var query = GroupChannelListQuery()
        rule.turnOn(&query)
        let listed = Self.channels.filter { query.belongsTo($0, currentUserID: Self.me) }
        let expected = Self.channels.filter { Self.isShownUnlessAsked($0) && rule.passes($0) }
        #expect(listed == expected, "\(rule.name)")
        // The rule must accept some channels and reject others. Otherwise this comparison would
        // test nothing.
        #expect(!listed.isEmpty && listed.count < Self.channels.count, "\(rule.name)")
    }

    @Test func combinedFiltersAgreeWithTheirRules() {
        for (index, first) in Self.rules.enumerated() {
            for second in Self.rules[(index + 1)...] {
                var query = GroupChannelListQuery()
                first.turnOn(&query)
                let before = query
                second.turnOn(&query)
                // If both rules set the same field, the second one overwrites the first, so they
                // cannot be combined.
                let names = Set(before.customMirror.children.map(\.label))
                var alone = GroupChannelListQuery()
                second.turnOn(&alone)
                guard names.isDisjoint(with: alone.customMirror.children.map(\.label)) else {
                    continue
                }
                for channel in Self.channels.prefix(60) {
                    let expected =
                        Self.isShownUnlessAsked(channel) && first.passes(channel)
                        && second.passes(channel)
                    #expect(
                        query.belongsTo(channel, currentUserID: Self.me) == expected,
                        "\(first.name) and \(second.name)")
                }
            }
        }
    }

    @Test(arguments: HiddenStateFilter.allCases)
    func hiddenChannelsAreListedAsAskedFor(_ filter: HiddenStateFilter) {
        var query = GroupChannelListQuery()
        query.hiddenStateFilter = filter
        let states: [HiddenState] =
            switch filter {
            case .unhiddenOnly: [.unhidden]
            case .hiddenOnly: [.hiddenAllowAutoUnhide, .hiddenPreventAutoUnhide]
            case .hiddenAllowAutoUnhide: [.hiddenAllowAutoUnhide]
            case .hiddenPreventAutoUnhide: [.hiddenPreventAutoUnhide]
            case .all: HiddenState.knownValues
            }
        for state in HiddenState.knownValues {
            var channel = GroupChannel(url: "c", createdAt: 1)
            channel.hiddenState = state
            #expect(query.belongsTo(channel) == states.contains(state))
        }
    }

    @Test func changelogReportsTheChannelsOfItsList() {
        var query = GroupChannelListQuery()
        query.customTypesFilter = ["x"]
        query.includesEmptyChannel = false
        query.includesFrozenChannel = false
        let params = GroupChannelChangelogParams(query)
        for channel in Self.channels {
            #expect(
                params.belongsTo(channel)
                    == (channel.customType == "x" && channel.lastMessage != nil
                        && !channel.isFrozen))
        }
    }
}
