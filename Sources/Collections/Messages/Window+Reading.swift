import Models
import Store
import Sync

extension Window {
    /// Moves the window to another part of the history, and reads the outbox items.
    ///
    /// Pass `true` for `crossesGaps` before the server has answered, to include messages beyond a
    /// gap.
    mutating func open(
        at start: Start, crossesGaps: Bool, in reader: some StoreReader
    ) throws(StoreError) -> WindowEdits {
        var next = self
        var edits = WindowEdits()
        (next.gaps, next.storedVersions) = ([:], [:])
        try next.readOutboxItems(in: reader)
        switch start {
        case .newest: (next.lower, next.upper) = (.end, .end)
        case .time(let time):
            next.begin(at: time)
            try next.extendNewer(newerPageSize, crossesGaps, in: reader, &edits)
        case .position(let position):
            next.begin(at: position.createdAt)
            let count = max(1, newerPageSize)
            // More messages of the same time than fit in a page may precede the message.
            while next.upper < .position(position),
                try next.extendNewer(count, crossesGaps, in: reader, &edits).found == count
            {}
        }
        try next.extendOlder(olderPageSize, crossesGaps, in: reader, &edits)
        // First remove these rows, because gaps are placed between the others.
        next.removeRowsNotRead(&edits)
        try next.readGaps(in: reader, &edits)
        next.showAllUnsent(&edits)
        next.isReplaced = false
        self = next
        return edits
    }

    enum Start: Hashable {
        case newest
        case time(Timestamp)
        case position(Position)

        fileprivate var time: Timestamp? {
            switch self {
            case .newest: nil
            case .time(let time): time
            case .position(let position): position.createdAt
            }
        }
    }

    /// Returns the oldest message of another user that is newer than a time; `nil` if there is
    /// none, or if the window does not show all messages in between.
    func firstUnread(after time: Timestamp) -> MessageID? {
        var first: MessageID?
        let newestFirst = params.isReversed ? items : items.reversed()
        for item in newestFirst {
            guard let message = item.message else {
                first = nil
                continue
            }
            guard let id = message.messageID else { continue }
            if message.createdAt <= time { return first }
            if userID.map({ !message.isSent(by: $0) }) ?? true { first = id }
        }
        switch lower {
        case .beginning: return hasPrevious ? nil : first
        case .position(let position): return position.createdAt <= time ? first : nil
        case .end: return nil
        }
    }

    /// Returns `true` if the store has all messages of a window at `start`, up to date with the
    /// feed.
    func isKnown(at start: Start, in reader: some StoreReader) throws(StoreError) -> Bool {
        var next = Window(on: channelURL, thread: thread, params: params, capacity: capacity)
        var edits = WindowEdits()
        if let time = start.time {
            next.begin(at: time)
            guard try next.extendNewer(newerPageSize, false, in: reader, &edits).gap == nil
            else { return false }
        }
        guard try next.extendOlder(olderPageSize, false, in: reader, &edits).gap == nil
        else { return false }
        return try reader.staleRanges(in: channelURL, from: next.lower, to: next.upper).isEmpty
    }

    /// Empties the window, with both bounds just below the messages that were created at `time`.
    private mutating func begin(at time: Timestamp) {
        lower = .position(Position(createdAt: time, messageID: ""))
        upper = lower
    }

    /// Reads the shown range again, for example after the store has dropped changes.
    ///
    /// `earlier` contains the edits of the change that required it; their sources are kept.
    /// The reader already contains `skipped`, which the caller must not apply afterwards. If
    /// reading fails, the window is unchanged. If it reaches ``visits``, the caller has to discard
    /// the window and the edits.
    mutating func readAgain(
        in reader: some StoreReader, after earlier: WindowEdits = WindowEdits(),
        _ skipped: [Change] = []
    ) throws(StoreError) -> WindowEdits {
        var next = self
        var edits = WindowEdits()
        (edits.sources, edits.canceled, edits.accepted) =
            (earlier.sources, earlier.canceled, earlier.accepted)
        var mustExtendToPage = earlier.mustExtendToPage
        for change in skipped {
            let earlier = next.record(change)
            edits.sources.merge(earlier.sources) { $1 }
            edits.canceled += earlier.canceled
            edits.accepted.merge(earlier.accepted) { $1 }
            mustExtendToPage = mustExtendToPage || earlier.mustExtendToPage
        }
        try next.readOutboxItems(in: reader)
        var messages = try next.messages(
            from: next.lower, includesLower: true, to: next.upper, includesUpper: true,
            isNewestFirst: false, in: reader)
        if case .position(let position) = next.lower, next.lower == next.upper,
            let only = try reader.message(position.messageID, in: channelURL),
            only.position == position
        {
            messages = [only]
        }
        next.storedVersions = [:]
        if try next.isAtBeginning(in: reader) { next.lower = .beginning }
        for message in messages { next.showStored(message, &edits) }
        // While the older history was unknown, the window may have shown less than a page.
        let missing = olderPageSize - messages.count
        if mustExtendToPage, missing > 0 {
            try next.extendOlder(missing, false, in: reader, &edits)
        }
        next.removeRowsNotRead(&edits)
        try next.readGaps(in: reader, &edits)
        next.showAllUnsent(&edits)
        next.isReplaced = false
        self = next
        return edits
    }

    private mutating func isAtBeginning(in reader: some StoreReader) throws(StoreError) -> Bool {
        guard lower != .end, try firstGap(below: lower, in: reader) == nil else {
            return false
        }
        return try messages(
            from: .beginning, to: lower, isNewestFirst: true, limit: 1, in: reader
        ).isEmpty
    }

    enum Direction {
        case older, newer

        /// The end at which messages are removed if a load in this direction exceeds the capacity.
        var opposite: End { self == .older ? .newest : .oldest }
    }

    /// Loads at most `count` messages up to the next gap or, if `crossesGaps` is true, beyond it.
    ///
    /// The returned gap is the one that prevented finding `count` messages. If reading fails, the
    /// window is unchanged.
    mutating func load(
        _ direction: Direction, _ count: Int, crossesGaps: Bool = false, in reader: some StoreReader
    ) throws(StoreError) -> (edits: WindowEdits, (found: Int, gap: Gap?)) {
        var next = self
        var edits = WindowEdits()
        let page =
            switch direction {
            case .older: try next.extendOlder(count, crossesGaps, in: reader, &edits)
            case .newer: try next.extendNewer(count, crossesGaps, in: reader, &edits)
            }
        try next.readGaps(in: reader, &edits)
        self = next
        return (edits, page)
    }

    @discardableResult
    private mutating func extendOlder(
        _ count: Int, _ crossesGaps: Bool, in reader: some StoreReader,
        _ edits: inout WindowEdits
    ) throws(StoreError) -> (found: Int, gap: Gap?) {
        let start = crossesGaps ? lower : olderBound
        let gap = try firstGap(below: start, in: reader)
        let floor = crossesGaps ? .beginning : gap?.upper ?? .beginning
        guard floor < start else { return (0, gap) }
        // Read one more than requested, to find out whether more exist.
        let (messages, isCut) = try page(
            from: floor, includesLower: true, to: start, isNewestFirst: true, limit: count + 1,
            in: reader)
        if let end = showPage(messages, count, isCut: isCut, from: start, &edits) {
            lower = end
            return (min(messages.count, count), nil)
        }
        lower = crossesGaps ? try oldestBound(in: reader, messages.last?.bound ?? start) : floor
        return (messages.count, messages.count == count ? nil : gap)
    }

    /// Returns the lower bound of a window with the oldest stored message: the beginning of the
    /// history, unless a gap starts there.
    ///
    /// `oldest` is the position of the oldest message that was read, or the previous lower bound.
    private func oldestBound(
        in reader: some StoreReader, _ oldest: Gap.Bound
    ) throws(StoreError) -> Gap.Bound {
        let gap = try firstGap(above: .beginning, in: reader)
        guard let gap, gap.lower == .beginning else { return .beginning }
        return min(oldest, gap.upper)
    }

    @discardableResult
    private mutating func extendNewer(
        _ count: Int, _ crossesGaps: Bool, in reader: some StoreReader,
        _ edits: inout WindowEdits
    ) throws(StoreError) -> (found: Int, gap: Gap?) {
        let start = upper
        let gap = try firstGap(above: start, in: reader)
        let ceiling = crossesGaps ? .end : gap?.lower ?? .end
        guard start < ceiling else { return (0, gap) }
        let (messages, isCut) = try page(
            from: start, to: ceiling, includesUpper: true, isNewestFirst: false,
            limit: count + 1, in: reader)
        if let end = showPage(messages, count, isCut: isCut, from: start, &edits) {
            upper = end
            return (min(messages.count, count), nil)
        }
        upper = ceiling
        return (messages.count, messages.count == count ? nil : gap)
    }

    /// Shows at most `count` messages of a page, and returns the new bound of the window; `nil` if
    /// the page reaches the end of the range.
    private mutating func showPage(
        _ messages: [Message], _ count: Int, isCut: Bool, from start: Gap.Bound,
        _ edits: inout WindowEdits
    ) -> Gap.Bound? {
        for message in messages.prefix(count) { showStored(message, &edits) }
        if messages.count > count { return messages.dropLast().last.map(\.bound) ?? start }
        if isCut { return messages.last.map(\.bound) ?? start }
        return visits.stop.map { .position($0) }
    }

    /// The filter of reads from the store; `nil` if the user has unsent changes.
    ///
    /// An unsent edit may make a message match the list although its stored version does not.
    private var filter: MessageListParams? { unsentChanges.isEmpty ? params : nil }

    private mutating func showStored(_ message: Message, _ edits: inout WindowEdits) {
        guard let id = message.messageID, let position = message.position else { return }
        show(
            message, id, at: position, source: edits.sources[.message(rowIDs[id])], &edits)
    }

    private mutating func removeRowsNotRead(_ edits: inout WindowEdits) {
        for item in items where edits.rows.saved[item.id] == nil {
            edits.rows.remove(item.id)
            if let id = item.message?.messageID { rowIDs.release(id) }
        }
    }

    // MARK: Reading the history or the thread

    /// Reads the matching messages between two bounds.
    ///
    /// If a message other than the first is damaged, the page ends before it, and `isCut` is true,
    /// so that the list offers to load more.
    private mutating func page(
        from lower: Gap.Bound, includesLower: Bool = false, to upper: Gap.Bound,
        includesUpper: Bool = false, isNewestFirst: Bool, limit: Int, in reader: some StoreReader
    ) throws(StoreError) -> (messages: [Message], isCut: Bool) {
        let visits = visits
        do throws(StoreError) {
            let messages = try messages(
                from: lower, includesLower: includesLower, to: upper, includesUpper: includesUpper,
                isNewestFirst: isNewestFirst, limit: limit, matching: filter, in: reader)
            return (messages, false)
        } catch {
            guard error.code == .corruption else { throw error }
            self.visits = visits
            // LevelDB reports a damaged block only at the end of a read: find the last message
            // before the damage by reading one at a time.
            var found: [Message] = []
            var (lower, upper) = (lower, upper)
            var (includesLower, includesUpper) = (includesLower, includesUpper)
            while found.count < limit {
                do throws(StoreError) {
                    let next = try messages(
                        from: lower, includesLower: includesLower, to: upper,
                        includesUpper: includesUpper, isNewestFirst: isNewestFirst, limit: 1,
                        matching: filter, in: reader)
                    guard let message = next.first else { break }
                    found.append(message)
                    if isNewestFirst {
                        (upper, includesUpper) = (message.bound, false)
                    } else {
                        (lower, includesLower) = (message.bound, false)
                    }
                } catch {
                    guard error.code == .corruption, !found.isEmpty else { throw error }
                    break
                }
            }
            return (found, found.count < limit)
        }
    }

    private mutating func messages(
        from lower: Gap.Bound, includesLower: Bool = false, to upper: Gap.Bound,
        includesUpper: Bool = false, isNewestFirst: Bool, limit: Int? = nil,
        matching params: MessageListParams? = nil, in reader: some StoreReader
    ) throws(StoreError) -> [Message] {
        if let thread {
            return try reader.replies(
                to: thread.parentID, in: channelURL, from: lower, includesLower: includesLower,
                to: upper, includesUpper: includesUpper, isNewestFirst: isNewestFirst,
                limit: limit, matching: params, visiting: &visits)
        }
        return try reader.messages(
            in: channelURL, from: lower, includesLower: includesLower, to: upper,
            includesUpper: includesUpper, isNewestFirst: isNewestFirst, limit: limit,
            matching: params, visiting: &visits)
    }

    private func firstGap(
        below bound: Gap.Bound, in reader: some StoreReader
    ) throws(StoreError) -> Gap? {
        guard let thread else { return try reader.firstGap(below: bound, in: channelURL) }
        return thread.remaining(of: try reader.gaps(in: channelURL)).last { $0.lower < bound }
    }

    private func firstGap(
        above bound: Gap.Bound, in reader: some StoreReader
    ) throws(StoreError) -> Gap? {
        guard let thread else { return try reader.firstGap(above: bound, in: channelURL) }
        return thread.remaining(of: try reader.gaps(in: channelURL)).first { bound < $0.upper }
    }

    private mutating func readGaps(
        in reader: some StoreReader, _ edits: inout WindowEdits
    ) throws(StoreError) {
        let found =
            if thread == nil {
                try reader.gaps(in: channelURL, from: lower, to: upper)
            } else {
                try thread?.readGaps(of: channelURL, in: reader) ?? []
            }
        gaps = Dictionary(uniqueKeysWithValues: found.map { ($0.upper, $0) })
        updateGapRows(&edits)
    }

    private mutating func readOutboxItems(in reader: some StoreReader) throws(StoreError) {
        let found = try reader.outboxItems(in: channelURL)
        outboxItems = [:]
        lastOutboxItemNumber = 0
        for item in found {
            lastOutboxItemNumber += 1
            outboxItems[item.requestID] = (item, lastOutboxItemNumber)
        }
        unsentChanges = UnsentChanges(changesInOrder, userID: userID)
    }

    private func showAllUnsent(_ edits: inout WindowEdits) {
        for id in outboxItems.keys { showUnsent(id, edits.sources[.message(.written(id))], &edits) }
    }
}

extension Message {
    fileprivate var bound: Gap.Bound { position.map { .position($0) } ?? .end }
}
