import Models
import Store
import Sync

// How a window is filled from the store, at its beginning and at either end. What happens later it folds.
extension Window {
    /// Shows another part of the history, and what waits in the outbox.
    ///
    /// - Parameters:
    ///   - start: Where to begin.
    ///   - crossesGaps: Whether what lies behind a gap is shown too, as where the server cannot be asked.
    ///   - reader: What to read from.
    /// - Returns: What is to be done to the rows.
    /// - Throws: What reading throws.
    mutating func open(
        at start: Start, crossesGaps: Bool, in reader: some StoreReader
    ) throws(StoreError) -> WindowEdits {
        var next = self
        var edits = WindowEdits()
        (next.gaps, next.covered) = ([:], [:])
        try next.readDrafts(in: reader)
        switch start {
        case .newest: (next.lower, next.upper) = (.end, .end)
        case .time(let time):
            next.begin(at: time)
            try next.extendNewer(params.nextResultSize, crossesGaps, in: reader, &edits)
        }
        try next.extendOlder(params.previousResultSize, crossesGaps, in: reader, &edits)
        // Before the gaps, which lie between the messages that are left.
        for item in items where edits.rows.saved[item.id] == nil { edits.rows.remove(item.id) }
        try next.readGaps(in: reader, &edits)
        next.showAllUnsent(&edits)
        self = next
        return edits
    }

    /// Where a window begins.
    enum Start: Hashable {
        /// At the newest message.
        case newest
        /// At a time: what was created then or later is newer.
        case time(Timestamp)
    }

    /// Whether all that is to be shown at a place is held, as the server has it as far as the feed has
    /// told: as many messages as asked for on each side, or all to the end of the history.
    func isKnown(at start: Start, in reader: some StoreReader) throws(StoreError) -> Bool {
        var next = Window(on: channelURL, params: params)
        var edits = WindowEdits()
        if case .time(let time) = start {
            next.begin(at: time)
            guard try next.extendNewer(params.nextResultSize, false, in: reader, &edits).gap == nil
            else { return false }
        }
        guard try next.extendOlder(params.previousResultSize, false, in: reader, &edits).gap == nil
        else { return false }
        return try reader.staleRanges(in: channelURL, from: next.lower, to: next.upper).isEmpty
    }

    /// Shows nothing, at a time: before every message of that time, whatever its id.
    private mutating func begin(at time: Timestamp) {
        lower = .position(Position(createdAt: time, messageID: ""))
        upper = lower
    }

    /// Shows again what is there, after changes were missed.
    ///
    /// - Parameters:
    ///   - reader: What to read from.
    ///   - told: What was told nevertheless, for the reasons.
    ///   - ahead: What was done since, and is there already; it is not to be folded any more.
    /// - Returns: What is to be done to the rows.
    /// - Throws: What reading throws; nothing has changed then.
    mutating func readAgain(
        in reader: some StoreReader, after told: WindowEdits = WindowEdits(),
        _ ahead: [Change] = []
    ) throws(StoreError) -> WindowEdits {
        var next = self
        var edits = WindowEdits()
        (edits.sources, edits.canceled) = (told.sources, told.canceled)
        var isJoined = told.isJoined
        for change in ahead {
            let told = next.fold(change)
            edits.sources.merge(told.sources) { $1 }
            edits.canceled += told.canceled
            isJoined = isJoined || told.isJoined
        }
        try next.readDrafts(in: reader)
        var messages = try reader.messages(
            in: channelURL, from: next.lower, includesLower: true, to: next.upper,
            includesUpper: true, isNewestFirst: false)
        if case .position(let position) = next.lower, next.lower == next.upper,
            let only = try reader.message(position.messageID, in: channelURL),
            only.position == position
        {
            messages = [only]
        }
        next.covered = [:]
        if try next.isAtBeginning(in: reader) { next.lower = .beginning }
        for message in messages { next.save(held: message, &edits) }
        // A message that came alone is not all there is to show of a history that is known since.
        let missing = params.previousResultSize - messages.count
        if isJoined, missing > 0 { try next.extendOlder(missing, false, in: reader, &edits) }
        // Before the gaps, which lie between the messages that are left.
        for item in items where edits.rows.saved[item.id] == nil { edits.rows.remove(item.id) }
        try next.readGaps(in: reader, &edits)
        next.showAllUnsent(&edits)
        self = next
        return edits
    }

    /// Whether it is known that nothing is older than what is shown.
    private func isAtBeginning(in reader: some StoreReader) throws(StoreError) -> Bool {
        guard lower != .end, try reader.firstGap(below: lower, in: channelURL) == nil else {
            return false
        }
        return try reader.messages(
            in: channelURL, from: .beginning, to: lower, isNewestFirst: true, limit: 1
        ).isEmpty
    }

    /// Shows older messages, down to the next gap.
    ///
    /// - Parameters:
    ///   - count: How many, at most.
    ///   - crossesGaps: Whether what lies behind a gap is shown too.
    ///   - reader: What to read from.
    /// - Returns: What is to be done to the rows, how many were found, and the gap that is in the way of
    ///   more; `nil` where there are as many as asked for, or there is nothing older.
    /// - Throws: What reading throws; nothing has changed then.
    mutating func loadOlder(
        _ count: Int, crossesGaps: Bool = false, in reader: some StoreReader
    ) throws(StoreError) -> (edits: WindowEdits, found: Int, gap: Gap?) {
        var next = self
        var edits = WindowEdits()
        let (found, gap) = try next.extendOlder(count, crossesGaps, in: reader, &edits)
        try next.readGaps(in: reader, &edits)
        self = next
        return (edits, found, gap)
    }

    /// Shows newer messages, up to the next gap, as ``loadOlder(_:crossesGaps:in:)`` does older ones.
    mutating func loadNewer(
        _ count: Int, crossesGaps: Bool = false, in reader: some StoreReader
    ) throws(StoreError) -> (edits: WindowEdits, found: Int, gap: Gap?) {
        var next = self
        var edits = WindowEdits()
        let (found, gap) = try next.extendNewer(count, crossesGaps, in: reader, &edits)
        try next.readGaps(in: reader, &edits)
        if upper != .end, next.upper == .end { next.showAllUnsent(&edits) }
        self = next
        return (edits, found, gap)
    }

    @discardableResult
    private mutating func extendOlder(
        _ count: Int, _ crossesGaps: Bool, in reader: some StoreReader,
        _ edits: inout WindowEdits
    ) throws(StoreError) -> (found: Int, gap: Gap?) {
        let start = crossesGaps ? lower : olderEdge
        let gap = try reader.firstGap(below: start, in: channelURL)
        let floor = crossesGaps ? .beginning : gap?.upper ?? .beginning
        guard floor < start else { return (0, gap) }
        // One more than asked for tells whether there is more.
        let messages = try reader.messages(
            in: channelURL, from: floor, includesLower: true, to: start, isNewestFirst: true,
            limit: count + 1, matching: filter)
        for message in messages.prefix(count) { save(held: message, &edits) }
        if messages.count > count {
            lower = messages.dropLast().last.map(\.bound) ?? start
            return (count, nil)
        }
        lower = crossesGaps ? try oldestBound(in: reader, messages.last?.bound ?? start) : floor
        return (messages.count, messages.count == count ? nil : gap)
    }

    /// The oldest place to be shown where all is shown that is held.
    ///
    /// - Parameters:
    ///   - reader: What to read from.
    ///   - oldest: Where the oldest message is, or where it would be.
    /// - Returns: The beginning; what is above it, if that is not known.
    /// - Throws: What reading throws.
    private func oldestBound(
        in reader: some StoreReader, _ oldest: Gap.Bound
    ) throws(StoreError) -> Gap.Bound {
        let gap = try reader.firstGap(above: .beginning, in: channelURL)
        guard let gap, gap.lower == .beginning else { return .beginning }
        return min(oldest, gap.upper)
    }

    @discardableResult
    private mutating func extendNewer(
        _ count: Int, _ crossesGaps: Bool, in reader: some StoreReader,
        _ edits: inout WindowEdits
    ) throws(StoreError) -> (found: Int, gap: Gap?) {
        let start = upper
        let gap = try reader.firstGap(above: start, in: channelURL)
        let ceiling = crossesGaps ? .end : gap?.lower ?? .end
        guard start < ceiling else { return (0, gap) }
        let messages = try reader.messages(
            in: channelURL, from: start, to: ceiling, includesUpper: true, isNewestFirst: false,
            limit: count + 1, matching: filter)
        for message in messages.prefix(count) { save(held: message, &edits) }
        if messages.count > count {
            upper = messages.dropLast().last.map(\.bound) ?? start
            return (count, nil)
        }
        upper = ceiling
        return (messages.count, messages.count == count ? nil : gap)
    }

    /// What is asked of the store: where changes are laid over messages, they may bring one into the list.
    private var filter: MessageListParams? { overlay.isEmpty ? params : nil }

    private mutating func save(held message: Message, _ edits: inout WindowEdits) {
        guard let id = message.messageID, let position = message.position else { return }
        show(message, id, position, edits.sources[.sent(id)], &edits)
    }

    private mutating func readGaps(
        in reader: some StoreReader, _ edits: inout WindowEdits
    ) throws(StoreError) {
        let found = try reader.gaps(in: channelURL, from: lower, to: upper)
        gaps = Dictionary(uniqueKeysWithValues: found.map { ($0.upper, $0) })
        placeGaps(&edits)
    }

    private mutating func readDrafts(in reader: some StoreReader) throws(StoreError) {
        let found = try reader.drafts(in: channelURL)
        drafts = [:]
        lastDraftNumber = 0
        for draft in found {
            lastDraftNumber += 1
            drafts[draft.requestID] = (draft, lastDraftNumber)
        }
        overlay = DraftOverlay(changesInOrder, userID: userID)
    }

    private func showAllUnsent(_ edits: inout WindowEdits) {
        for id in drafts.keys { showUnsent(id, edits.sources[.unsent(id)], &edits) }
    }
}

extension Message {
    /// Where it is; what is held has a place.
    fileprivate var bound: Gap.Bound { position.map { .position($0) } ?? .end }
}
