import ScrollbackTesting
import Testing

@testable import Models

@Suite struct OrderTests {
    /// Channels that include ties in every criterion of the orders, so that only their URLs decide.
    static let channels: [GroupChannel] = {
        var channels: [GroupChannel] = []
        for created: Timestamp in [1, 2] {
            for last: Timestamp? in [nil, 5, 6] {
                for (name, value) in [("", nil), ("a", "z"), ("B", "\u{e9}"), ("a", nil)] {
                    var channel = GroupChannel(
                        url: ChannelURL("c\(channels.count)"), name: name, createdAt: created)
                    channel.lastMessage = last.map {
                        Message(id: "1", channelURL: channel.url, createdAt: $0)
                    }
                    channel.metadata = value.map { ["k": $0] } ?? [:]
                    channels.append(channel)
                }
            }
        }
        return channels
    }()

    @Test(arguments: GroupChannelListOrder.allCases)
    func everyOrderIsAStrictTotalOrder(_ order: GroupChannelListOrder) {
        var query = GroupChannelListQuery()
        query.order = order
        query.metaDataOrderKeyFilter = "k"
        expectStrictTotalOrder(Self.channels) { query.precedes($0, $1) }
    }

    /// Returns the sort key of a channel for an order.
    ///
    /// The most significant element is the first, and lower keys come first.
    private func key(_ channel: GroupChannel, _ order: GroupChannelListOrder) -> [[Int64]] {
        func text(_ text: String) -> [Int64] { text.utf8.map { Int64($0) } }
        let tie = [[-channel.createdAt.milliseconds], text(channel.url.rawValue)]
        switch order {
        case .chronological: return tie
        case .latestLastMessage:
            guard let last = channel.lastMessage else { return [[1]] + tie }
            return [[0, -last.createdAt.milliseconds]] + tie
        case .oldestLastMessage:
            guard let last = channel.lastMessage else { return [[1]] + tie }
            return [[0, last.createdAt.milliseconds]] + tie
        case .channelNameAlphabetical: return [text(channel.name)] + tie
        case .metaDataValueAlphabetical:
            guard let value = channel.metadata["k"] else { return [[1]] + tie }
            return [[0] + text(value)] + tie
        }
    }

    @Test(arguments: GroupChannelListOrder.allCases)
    func orderAgreesWithItsSortKeys(_ order: GroupChannelListOrder) {
        var random = SeededRandom(seed: 5)
        let byKey = Self.channels.sorted { a, b in
            key(a, order).lexicographicallyPrecedes(key(b, order)) {
                $0.lexicographicallyPrecedes($1)
            }
        }
        for _ in 0..<10 {
            let sorted = Self.channels.shuffled(using: &random).sorted {
                order.precedes($0, $1, metaDataKey: "k")
            }
            #expect(sorted == byKey)
        }
    }

    @Test func withoutAMetaDataKeyChannelsAreOrderedByCreation() {
        let sorted = Self.channels.sorted {
            GroupChannelListOrder.metaDataValueAlphabetical.precedes($0, $1)
        }
        #expect(
            sorted == Self.channels.sorted { GroupChannelListOrder.chronological.precedes($0, $1) })
    }

    // MARK: Messages

    static let messages: [Message] = {
        let sent = [(1, "9"), (1, "10"), (2, "1"), (2, "a")].map { time, id in
            Message(id: MessageID(id), channelURL: "c", createdAt: Timestamp(milliseconds: time))
        }
        // The clock of the device that wrote these messages is slow, and returned one time twice.
        let unsent = [(-5, "r1"), (-5, "r2"), (3, "r0")].map { time, id in
            Message(
                id: nil, channelURL: "c", requestID: RequestID(id),
                createdAt: Timestamp(milliseconds: Int64(time)), sendingStatus: .pending)
        }
        return sent + unsent
    }()

    @Test func messagesAreOrderedByPositionAndUnsentOnesComeLast() {
        var params = MessageListParams()
        var random = SeededRandom(seed: 6)
        let shuffled = Self.messages.shuffled(using: &random)
        #expect(shuffled.sorted { params.precedes($0, $1) } == Self.messages)
        expectStrictTotalOrder(Self.messages) { params.precedes($0, $1) }
        params.isReversed = true
        #expect(shuffled.sorted { params.precedes($0, $1) } == Self.messages.reversed())
        expectStrictTotalOrder(Self.messages) { params.precedes($0, $1) }
        var threaded = ThreadedMessageListParams()
        #expect(shuffled.sorted { threaded.precedes($0, $1) } == Self.messages)
        threaded.isReversed = true
        #expect(shuffled.sorted { threaded.precedes($0, $1) } == Self.messages.reversed())
    }
}
