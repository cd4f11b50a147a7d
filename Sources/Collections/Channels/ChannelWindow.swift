import Models
import Store

/// The shown part of a channel list: every stored channel that matches the query, from the start of
/// the list to ``upper``.
struct ChannelWindow {
    typealias RowEdits = ListEdits<GroupChannel, ChannelListPosition>

    enum Bound: Comparable {
        case beginning
        /// The window ends at the position that the last loaded channel had when it was loaded.
        case position(ChannelListPosition)
        case end
    }

    let query: GroupChannelListQuery
    /// The current user, whom filters by the nicknames of members ignore.
    let userID: UserID?

    private(set) var upper = Bound.beginning
    /// `true` if the store has every channel of the server's list.
    var isComplete = false
    /// `true` if the window shows channels of a cleared or replaced cache, and the store does not
    /// have the whole list again.
    private(set) var isReplaced = false
    /// The `count` of the last call of `load`.
    private var wanted = 0
    /// The local labels of all channels that have any, once the first channels are loaded.
    private(set) var labels: [ChannelURL: ChannelLabels] = [:]
    private(set) var labelsGeneration = 0
    private var hasReadLabels = false
    private var list = OrderedList<GroupChannel, ChannelListPosition>()

    init(of query: GroupChannelListQuery, userID: UserID? = nil) {
        self.query = query
        self.userID = userID
    }

    var channels: [GroupChannel] { list.elements }

    var hasMore: Bool { upper != .end || !isComplete }

    mutating func removeAll(_ source: CollectionEventSource) -> ChannelEdits {
        var edits = ChannelEdits()
        for channel in channels { edits.remove(channel.url, source) }
        upper = .beginning
        set(labels: [:])
        return edits
    }

    // MARK: Following

    mutating func record(_ change: Change) -> ChannelEdits {
        var edits = ChannelEdits()
        for entry in change.entries {
            switch entry.operation {
            case .savedGroupChannel(let channel): recordSaved(channel, entry.source, &edits)
            case .removedChannel(let url): edits.remove(url, entry.source)
            case .clearedCachedData, .replacedCache:
                // Keep the rows until the store has the whole list again, and show all stored
                // channels from now on.
                if upper != .beginning { upper = .end }
                (isComplete, isReplaced) = (false, upper != .beginning)
                edits.isCleared = true
            case .savedLabels(let labels, let url, let channel):
                self.labels[url] = labels.isEmpty ? nil : labels
                labelsGeneration += 1
                // A channel of a cleared cache is listed without being stored.
                let listed = edits.rows.affects(url) ? nil : list[url]
                if query.usesLabels, let channel = channel ?? listed {
                    recordSaved(channel, entry.source, &edits)
                }
            case .missed: edits.isMissed = true
            default: break
            }
        }
        return edits
    }

    private func recordSaved(
        _ channel: GroupChannel, _ source: CollectionEventSource?, _ edits: inout ChannelEdits
    ) {
        let position = position(of: channel)
        guard .position(position) <= upper, query.belongsTo(channel, currentUserID: userID),
            labels(of: channel).belong(to: query)
        else {
            return edits.remove(channel.url, source)
        }
        edits.rows.save(channel, at: position)
        edits.sources[channel.url] = source
    }

    private func labels(of channel: GroupChannel) -> ChannelLabels {
        labels[channel.url] ?? ChannelLabels()
    }

    private func position(of channel: GroupChannel) -> ChannelListPosition {
        ChannelListPosition(of: channel, in: query, labels: labels(of: channel))
    }

    private mutating func set(labels new: [ChannelURL: ChannelLabels]) {
        if labels == new { return }
        labels = new
        labelsGeneration += 1
    }

    /// Applies edits to the rows, and returns the differences.
    ///
    /// Until the store has the whole list, unlisted channels may belong between the listed ones, so
    /// the window shows at most the requested number of channels.
    mutating func apply(_ edits: inout ChannelEdits) -> ListDiff<GroupChannel> {
        if upper == .end, !isComplete, list.count(after: edits.rows) > wanted {
            var next = list
            _ = next.apply(edits.rows)
            for channel in next.elements[wanted...] { edits.remove(channel.url, .windowTrimmed) }
            upper = wanted == 0 ? .beginning : .position(next.keys[wanted - 1])
        }
        return list.apply(edits.rows)
    }

    // MARK: Reading

    /// Extends the list to `count` channels, or to fewer if no more are stored or if the limit of
    /// `visits` stops the read.
    ///
    /// `isComplete` is true if the store has every channel of the server's list. If reading fails,
    /// the window is unchanged.
    mutating func load(
        upTo count: Int, isComplete: Bool, in reader: some StoreReader,
        visiting visits: inout ChannelVisits
    ) throws(StoreError) -> ChannelEdits {
        var edits = ChannelEdits()
        // The store has the whole list again: remove the channels that the user has lost.
        if isReplaced, isComplete { edits = try readAgain(isComplete: true, in: reader) }
        if !hasReadLabels {
            set(labels: try reader.channelLabels())
            hasReadLabels = true
        }
        let left = count - channels.count
        if upper != .end, left > 0 {
            var last: ChannelListPosition?
            if case .position(let position) = upper { last = position }
            // Read one more than requested, to find out whether more exist.
            let found = try reader.groupChannels(
                matching: query, after: last, limit: left + 1, currentUserID: userID,
                visiting: &visits)
            for channel in found.prefix(left) {
                edits.rows.save(channel, at: position(of: channel))
            }
            if found.count > left {
                upper = .position(position(of: found[left - 1]))
            } else if let stop = visits.stop {
                upper = .position(stop)
            } else if !visits.needsSorting {
                upper = .end
            }
        }
        self.isComplete = isComplete
        wanted = count
        return edits
    }

    /// Reads the shown part again, after the store has dropped changes without reporting them.
    ///
    /// The reader already contains `skipped`, which the caller must not apply afterwards. If
    /// reading fails, the window is unchanged.
    mutating func readAgain(
        isComplete: Bool, in reader: some StoreReader, _ skipped: [Change] = []
    ) throws(StoreError) -> ChannelEdits {
        var next = self
        var edits = ChannelEdits()
        // The rows come from the reader; the queued changes determine only the sources of the
        // edits.
        for change in skipped { edits.sources.merge(next.record(change).sources) { $1 } }
        next.set(labels: try reader.channelLabels())
        for url in channels.map(\.url) { edits.rows.remove(url) }
        try next.readShownPart(in: reader) { edits.rows.save($0, at: next.position(of: $0)) }
        (next.isComplete, next.isReplaced) = (isComplete, false)
        self = next
        return edits
    }
}

extension ChannelWindow {
    private func readShownPart(
        in reader: some StoreReader, _ list: (GroupChannel) -> Void
    ) throws(StoreError) {
        var last: ChannelListPosition?
        var visits = ChannelVisits.unlimited
        let limit = upper == .end ? nil : channels.count + 1
        while true {
            let page = try reader.groupChannels(
                matching: query, after: last, limit: limit, currentUserID: userID,
                visiting: &visits)
            for channel in page {
                let position = position(of: channel)
                guard .position(position) <= upper else { return }
                list(channel)
                last = position
            }
            if page.count < limit ?? .max { return }
        }
    }
}

extension GroupChannel: ListRow {
    var rowID: ChannelURL { url }
}

struct ChannelEdits {
    var rows = ChannelWindow.RowEdits()
    var sources: [ChannelURL: CollectionEventSource] = [:]
    var isCleared = false
    /// `true` if the store has dropped changes, so that all rows have to be read again.
    var isMissed = false

    mutating func remove(_ url: ChannelURL, _ source: CollectionEventSource?) {
        rows.remove(url)
        sources[url] = source
    }
}
