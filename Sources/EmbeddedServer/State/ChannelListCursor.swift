import Models

struct ChannelListCursor: Hashable {
    var key: ChannelSortKey
    var channel: ChannelNumber

    // `kind time createdAt channel value-size/value url`. DO NOT CHANGE: clients store it.
    var text: String {
        let (kind, value) =
            switch key.criterion {
            case .newestTime(let time): ("t\(time.map { "\($0)" } ?? "")", "")
            case .oldestTime(let time): ("o\(time.map { "\($0)" } ?? "")", "")
            case .text(let value): (value == nil ? "n" : "v", value ?? "")
            }
        return "\(kind) \(key.createdAt) \(channel) \(value.utf8.count) \(value)\(key.url)"
    }

    init(_ channel: ServerChannel, _ criterion: ChannelSortKey.Criterion) {
        key = ChannelSortKey(criterion, createdAt: channel.group.createdAt, url: channel.url)
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
        let time = Int64(parts[0].dropFirst()).map { Timestamp(milliseconds: $0) }
        let criterion: ChannelSortKey.Criterion
        switch kind {
        case "t": criterion = .newestTime(time)
        case "o": criterion = .oldestTime(time)
        case "n": criterion = .text(nil)
        case "v": criterion = .text(valueText)
        default: return nil
        }
        key = ChannelSortKey(
            criterion, createdAt: Timestamp(milliseconds: created), url: ChannelURL(urlText))
        self.channel = channel
    }
}

extension ServerState {
    func channelListCursors(
        for userID: UserID, order: GroupChannelListOrder, metaDataKey: String?
    ) throws(BackendError) -> [ChannelListCursor] {
        var cursors: [ChannelListCursor] = []
        for number in accounts[userID]?.channels ?? [] {
            guard let channel = channels[number] else { continue }
            let criterion: ChannelSortKey.Criterion
            switch order {
            case .chronological: criterion = .newestTime(nil)
            case .latestLastMessage:
                criterion = .newestTime(try lastMessage(of: channel, for: userID)?.createdAt)
            case .oldestLastMessage:
                criterion = .oldestTime(try lastMessage(of: channel, for: userID)?.createdAt)
            case .channelNameAlphabetical: criterion = .text(channel.group.name)
            case .metaDataValueAlphabetical:
                criterion = .text(metaDataKey.flatMap { channel.group.metadata[$0] })
            }
            cursors.append(ChannelListCursor(channel, criterion))
        }
        return cursors
    }

    func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?, for userID: UserID
    ) throws(BackendError) -> Page<GroupChannel> {
        var last: ChannelListCursor?
        if let cursor {
            let text = try counters.pageText(cursor)
            guard let start = ChannelListCursor(text: String(text)) else {
                throw .cannotResume(from: cursor.rawValue)
            }
            last = start
        }
        var cursors = try channelListCursors(
            for: userID, order: query.order, metaDataKey: query.metaDataOrderKeyFilter)
        if let last { cursors.removeAll { !last.key.precedes($0.key) } }
        cursors.sort { $0.key.precedes($1.key) }
        let limit = min(max(query.limit, 1), conditions.listLimit)
        var found: [GroupChannel] = []
        var end: ChannelListCursor?
        for cursor in cursors {
            guard let channel = channels[cursor.channel] else { continue }
            let view = try view(channel, for: userID)
            guard query.belongsTo(view, currentUserID: userID) else { continue }
            if found.count == limit {
                return Page(found, next: end.map { counters.pageCursor($0.text) })
            }
            found.append(view)
            end = cursor
        }
        return Page(found, next: nil)
    }
}
