import Models

/// The sort key of a channel in a list, from which the list can be continued.
struct ListSortKey: Hashable {
    /// The value of the order's first criterion, if that is a time.
    ///
    /// Channels without the first criterion are last.
    var time: Timestamp?
    var value: String?
    var criterion: Criterion
    var createdAt: Timestamp
    var url: ChannelURL
    var channel: ChannelNumber

    /// The kind of the first criterion.
    enum Criterion {
        case newestTime, oldestTime, text
    }

    /// Returns a Boolean value that indicates whether the key precedes another one in the order of
    /// `GroupChannelListQuery`.
    func precedes(_ other: ListSortKey) -> Bool {
        if criterion != .text, time != other.time {
            guard let time else { return false }
            guard let otherTime = other.time else { return true }
            return criterion == .newestTime ? time > otherTime : time < otherTime
        }
        if criterion == .text, value != other.value {
            guard let value else { return false }
            guard let otherValue = other.value else { return true }
            if value.precedesByBytes(otherValue) { return true }
            if otherValue.precedesByBytes(value) { return false }
        }
        if createdAt != other.createdAt { return createdAt > other.createdAt }
        return url < other.url
    }

    // `kind time createdAt channel value-size/value url`. DO NOT CHANGE: clients store it.
    var text: String {
        let time = time.map { "\($0)" } ?? ""
        let first =
            switch criterion {
            case .newestTime: "t\(time)"
            case .oldestTime: "o\(time)"
            case .text: value == nil ? "n" : "v"
            }
        let value = value ?? ""
        return "\(first) \(createdAt) \(channel) \(value.utf8.count) \(value)\(url)"
    }

    init(
        _ channel: ServerChannel, time: Timestamp?, value: String?, criterion: Criterion
    ) {
        (self.time, self.value, self.criterion) = (time, value, criterion)
        createdAt = channel.group.createdAt
        url = channel.url
        self.channel = channel.number
    }

    init?(text: String) {
        let parts = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count == 5, let kind = parts[0].first, let created = Int64(parts[1]),
            let channel = ChannelNumber(parts[2]), let size = Int(parts[3]), size >= 0,
            size <= parts[4].utf8.count
        else { return nil }
        let value = parts[4].utf8.prefix(size)
        let url = parts[4].utf8.dropFirst(size)
        guard let valueText = String(value), let urlText = String(url) else { return nil }
        switch kind {
        case "t", "o":
            criterion = kind == "t" ? .newestTime : .oldestTime
            time = Int64(parts[0].dropFirst()).map { Timestamp(milliseconds: $0) }
        case "n": criterion = .text
        case "v":
            criterion = .text
            self.value = valueText
        default: return nil
        }
        createdAt = Timestamp(milliseconds: created)
        self.channel = channel
        self.url = ChannelURL(urlText)
    }
}

extension ServerState {
    /// Returns the sort keys of all channels of a user, unordered.
    func listSortKeys(
        for userID: UserID, order: GroupChannelListOrder, metaDataKey: String?
    ) throws(BackendError) -> [ListSortKey] {
        let criterion: ListSortKey.Criterion =
            switch order {
            case .chronological, .latestLastMessage: .newestTime
            case .oldestLastMessage: .oldestTime
            case .channelNameAlphabetical, .metaDataValueAlphabetical: .text
            }
        var keys: [ListSortKey] = []
        for number in accounts[userID]?.channels ?? [] {
            guard let channel = channels[number] else { continue }
            var time: Timestamp?
            var value: String?
            switch order {
            case .chronological: break
            case .latestLastMessage, .oldestLastMessage:
                let last = try lastMessage(of: channel)
                if let last, isVisible(last, in: channel, to: userID) { time = last.createdAt }
            case .channelNameAlphabetical: value = channel.group.name
            case .metaDataValueAlphabetical:
                value = metaDataKey.flatMap { channel.group.metadata[$0] }
            }
            keys.append(ListSortKey(channel, time: time, value: value, criterion: criterion))
        }
        return keys
    }

    /// Returns a page of the group channels that match a query, in the query's order.
    func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?, for userID: UserID
    ) throws(BackendError) -> Page<GroupChannel> {
        var last: ListSortKey?
        if let cursor {
            let text = try counters.pageText(cursor)
            guard let key = ListSortKey(text: String(text)) else {
                throw .cannotResume(from: cursor.rawValue)
            }
            last = key
        }
        var keys = try listSortKeys(
            for: userID, order: query.order, metaDataKey: query.metaDataOrderKeyFilter)
        if let last { keys.removeAll { !last.precedes($0) } }
        keys.sort { $0.precedes($1) }
        let limit = min(max(query.limit, 1), conditions.listLimit)
        var found: [GroupChannel] = []
        var end: ListSortKey?
        for key in keys {
            guard let channel = channels[key.channel] else { continue }
            let view = try view(channel, for: userID)
            guard query.belongsTo(view, currentUserID: userID) else { continue }
            if found.count == limit {
                return Page(found, next: end.map { counters.pageCursor($0.text) })
            }
            found.append(view)
            end = key
        }
        return Page(found, next: nil)
    }
}
