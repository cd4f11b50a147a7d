import Models
import Store

/// The part of a list of channels that is shown, from its beginning, and how it follows what happens.
///
/// Pure: it reads from what it is given, and says what became of the rows. Through ``upper`` it shows all
/// that is held and belongs to the list.
struct ChannelWindow {
    typealias Edits = ListEdits<GroupChannel, ChannelPlace>

    /// How far a list is shown.
    enum Bound: Comparable {
        /// Nothing is.
        case beginning
        /// Through a place: where the last channel was when it was loaded.
        case place(ChannelPlace)
        /// All that is held.
        case end
    }

    let query: GroupChannelListQuery
    /// Whom the filters by nickname leave out.
    let userID: UserID?

    private(set) var upper = Bound.beginning
    /// Whether at the end of what is held nothing more exists.
    private(set) var isWhole = false
    /// How many channels were asked for in all.
    private var wanted = 0
    private var list = OrderedList<GroupChannel, ChannelPlace>()

    init(of query: GroupChannelListQuery, userID: UserID? = nil) {
        self.query = query
        self.userID = userID
    }

    /// The channels, in the order of the list.
    var channels: [GroupChannel] { list.elements }

    /// Whether more exists, or may exist.
    var hasMore: Bool { upper != .end || !isWhole }

    // MARK: Following

    /// Takes over what was done to the store.
    ///
    /// - Returns: What is to be done to the rows; hand it to ``apply(_:)``.
    mutating func fold(_ change: Change) -> ChannelEdits {
        var edits = ChannelEdits()
        for entry in change.entries {
            switch entry.operation {
            case .savedGroupChannel(let channel): save(channel, entry.source, &edits)
            case .removedChannel(let url): edits.remove(url, entry.source)
            case .clearedCachedData:
                for url in channels.map(\.url) + edits.rows.saved.keys {
                    edits.remove(url, entry.source)
                }
                // What comes again is shown as it comes.
                if upper != .beginning { upper = .end }
                isWhole = false
                edits.isCleared = true
            case .missed: edits.isMissed = true
            default: break
            }
        }
        return edits
    }

    private func save(
        _ channel: GroupChannel, _ source: CollectionEventSource?, _ edits: inout ChannelEdits
    ) {
        let place = ChannelPlace(of: channel, in: query)
        guard .place(place) <= upper, query.belongsTo(channel, currentUserID: userID) else {
            return edits.remove(channel.url, source)
        }
        edits.rows.save(channel, at: place)
        edits.sources[channel.url] = source
    }

    /// Changes the rows.
    ///
    /// As long as more may come from the server in between, no more is shown than was asked for.
    ///
    /// - Returns: What became of whose place.
    mutating func apply(_ edits: ChannelEdits) -> ListDiff<GroupChannel> {
        var edits = edits
        if upper == .end, !isWhole, list.count(after: edits.rows) > wanted {
            var next = list
            _ = next.apply(edits.rows)
            for channel in next.elements[wanted...] { edits.rows.remove(channel.url) }
            upper = wanted == 0 ? .beginning : .place(next.keys[wanted - 1])
        }
        return list.apply(edits.rows)
    }

    // MARK: Reading

    /// Shows so many channels in all, if there are as many.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - isWhole: Whether all that exists is held.
    ///   - reader: What to read from.
    /// - Returns: What is to be done to the rows.
    /// - Throws: What reading throws; nothing has changed then.
    mutating func load(
        upTo count: Int, isWhole: Bool, in reader: some StoreReader
    ) throws(StoreError) -> ChannelEdits {
        var edits = ChannelEdits()
        let left = count - channels.count
        if upper != .end, left > 0 {
            var last: ChannelPlace?
            if case .place(let place) = upper { last = place }
            // One more than asked for tells whether there is more.
            let found = try reader.groupChannels(
                matching: query, after: last, limit: left + 1, currentUserID: userID)
            for channel in found.prefix(left) {
                edits.rows.save(channel, at: ChannelPlace(of: channel, in: query))
            }
            upper =
                found.count > left
                ? .place(ChannelPlace(of: found[left - 1], in: query)) : .end
        }
        self.isWhole = isWhole
        wanted = count
        return edits
    }

    /// Notes that all that exists is held.
    mutating func noteIsWhole() { isWhole = true }

    /// Shows again what is there, after changes were missed.
    ///
    /// - Parameters:
    ///   - isWhole: Whether all that exists is held.
    ///   - reader: What to read from.
    ///   - ahead: What was done since, and is there already; it is not to be folded any more.
    /// - Returns: What is to be done to the rows.
    /// - Throws: What reading throws; nothing has changed then.
    mutating func readAgain(
        isWhole: Bool, in reader: some StoreReader, _ ahead: [Change] = []
    ) throws(StoreError) -> ChannelEdits {
        var next = self
        var edits = ChannelEdits()
        // For the reasons; and what was cleared meanwhile is shown as it comes.
        for change in ahead { edits.sources.merge(next.fold(change).sources) { $1 } }
        for url in channels.map(\.url) { edits.rows.remove(url) }
        for channel in try reader.groupChannels(matching: query, currentUserID: userID) {
            let place = ChannelPlace(of: channel, in: query)
            guard .place(place) <= next.upper else { break }
            edits.rows.save(channel, at: place)
        }
        next.isWhole = isWhole
        self = next
        return edits
    }
}

extension GroupChannel: ListRow {
    var rowID: ChannelURL { url }
}

/// What is to be done to the rows of a list of channels, and why.
struct ChannelEdits {
    var rows = ChannelWindow.Edits()
    var sources: [ChannelURL: CollectionEventSource] = [:]
    /// Whether all that was held is gone.
    var isCleared = false
    /// Whether there was more than the store could tell: all has to be read again.
    var isMissed = false

    mutating func remove(_ url: ChannelURL, _ source: CollectionEventSource?) {
        rows.remove(url)
        sources[url] = source
    }
}
