import Models

/// Where a channel stands in a list, without the channel: enough to sort it, and to go on behind it.
struct ListPlace: Hashable {
    /// What the order looks at first: a time, or a text; `nil` comes last.
    var time: Timestamp?
    var value: String?
    /// Whether the order looks at a time.
    var isByTime: Bool
    var createdAt: Timestamp
    var url: ChannelURL
    var channel: ChannelNumber

    /// The order of `GroupChannelListQuery`, on what is here of it.
    func precedes(_ other: ListPlace) -> Bool {
        if isByTime, time != other.time {
            guard let time else { return false }
            return other.time.map { time > $0 } ?? true
        }
        if !isByTime, value != other.value {
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
        let first = isByTime ? time.map { "t\($0)" } ?? "t" : value == nil ? "n" : "v"
        let value = value ?? ""
        return "\(first) \(createdAt) \(channel) \(value.utf8.count) \(value)\(url)"
    }

    init(
        _ channel: ServerChannel, time: Timestamp?, value: String?, isByTime: Bool
    ) {
        (self.time, self.value, self.isByTime) = (time, value, isByTime)
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
        case "t":
            isByTime = true
            time = Int64(parts[0].dropFirst()).map { Timestamp(milliseconds: $0) }
        case "n": isByTime = false
        case "v":
            isByTime = false
            self.value = valueText
        default: return nil
        }
        createdAt = Timestamp(milliseconds: created)
        self.channel = channel
        self.url = ChannelURL(urlText)
    }
}

extension ServerState {
    /// The places of all channels of a user in a list, in no order.
    func listPlaces(
        for userID: UserID, order: GroupChannelListOrder, metaDataKey: String?
    ) throws(BackendError) -> [ListPlace] {
        var places: [ListPlace] = []
        for number in accounts[userID]?.channels ?? [] {
            guard let channel = channels[number] else { continue }
            var time: Timestamp?
            var value: String?
            switch order {
            case .chronological: break
            case .latestLastMessage:
                let last = try lastMessage(of: channel)
                if let last, isVisible(last, in: channel, to: userID) { time = last.createdAt }
            case .channelNameAlphabetical: value = channel.group.name
            case .metaDataValueAlphabetical:
                value = metaDataKey.flatMap { channel.group.metadata[$0] }
            }
            let isByTime = order == .chronological || order == .latestLastMessage
            places.append(ListPlace(channel, time: time, value: value, isByTime: isByTime))
        }
        return places
    }

    /// Returns a page of the group channels that a query is for, in its order.
    func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?, for userID: UserID
    ) throws(BackendError) -> Page<GroupChannel> {
        var last: ListPlace?
        if let cursor {
            let text = try counters.pageText(cursor)
            guard let place = ListPlace(text: String(text)) else {
                throw .cannotGoOn(from: cursor.rawValue)
            }
            last = place
        }
        var places = try listPlaces(
            for: userID, order: query.order, metaDataKey: query.metaDataOrderKeyFilter)
        if let last { places.removeAll { !last.precedes($0) } }
        places.sort { $0.precedes($1) }
        let limit = min(max(query.limit, 1), conditions.listLimit)
        var found: [GroupChannel] = []
        var end: ListPlace?
        for place in places {
            guard let channel = channels[place.channel] else { continue }
            let view = try view(channel, for: userID)
            guard query.belongsTo(view, currentUserID: userID) else { continue }
            if found.count == limit {
                return Page(found, next: end.map { counters.pageCursor($0.text) })
            }
            found.append(query.reduce(view))
            end = place
        }
        return Page(found, next: nil)
    }
}

extension GroupChannelListQuery {
    /// A channel with as much as the query wants of it.
    fileprivate func reduce(_ channel: GroupChannel) -> GroupChannel {
        if includesMemberList && includesMetaData { return channel }
        var channel = channel
        if !includesMemberList { channel.members = [] }
        if !includesMetaData {
            channel.metadata = [:]
            channel.metadataUpdatedAt = [:]
        }
        return channel
    }
}
