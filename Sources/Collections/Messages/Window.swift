import Models
import Store
import Sync

/// The part of a channel's history, or of a thread, that a list shows.
///
/// A window is a value without side effects: its methods return the edits of the rows. It shows all
/// stored messages between ``lower`` and ``upper`` that match the list, the gaps between them, and,
/// wherever it is, the unsent messages after them.
struct Window: Sendable {
    typealias RowEdits = ListEdits<MessageItem, MessageItemKey>

    let channelURL: ChannelURL
    let params: MessageListParams
    /// The maximum number of sent messages in the window; at least 1.
    let capacity: Int
    /// The number of older messages in a page, at most the capacity: more would be removed again,
    /// and the next page would skip them.
    let olderPageSize: Int
    let newerPageSize: Int
    var userID: UserID?
    /// The coverage of the shown thread; `nil` for the history of the channel.
    var thread: ThreadCoverage?

    /// The lower bound of the shown range; `end` if the window covers no range.
    var lower = Gap.Bound.end
    /// The upper bound of the shown range; `end` if new messages are shown as they arrive.
    var upper = Gap.Bound.end

    var list: OrderedList<MessageItem, MessageItemKey>
    var gaps: [Gap.Bound: Gap] = [:]
    var shownGaps: Set<MessageItem.ID> = []
    /// `true` while the window shows messages of a replaced cache, and the store lacks a part of
    /// the range.
    var isReplaced = false
    /// The outbox items of the channel, numbered in the order of creation.
    var outboxItems: [RequestID: (item: OutboxItem, number: Int)] = [:] {
        didSet { unsentGeneration &+= 1 }
    }
    private(set) var unsentGeneration = 0
    var lastOutboxItemNumber = 0
    /// The messages written in this list, which are shown even if they do not match.
    var writtenHere: Set<RequestID> = []
    var unsentChanges = UnsentChanges([], userID: nil)
    var rowIDs = MessageRowIDs()
    /// The limit of the messages that the following reads visit.
    ///
    /// If it has a `stop` after a read, the window ends there, and can be extended.
    var visits = VisitLimit.unlimited
    /// The stored versions of messages whose rows show unsent changes.
    var storedVersions: [MessageID: Message] = [:]

    init(
        on channelURL: ChannelURL, thread: ThreadCoverage? = nil,
        params: MessageListParams = MessageListParams(), userID: UserID? = nil,
        capacity: Int = .max
    ) {
        self.channelURL = channelURL
        self.thread = thread
        self.params = params
        self.userID = userID
        self.capacity = max(1, capacity)
        olderPageSize = min(params.olderPageSize, self.capacity)
        newerPageSize = min(params.newerPageSize, self.capacity)
        list = OrderedList(isReversed: params.isReversed)
    }

    // MARK: Contents

    var items: [MessageItem] { list.elements }

    var hasPrevious: Bool { lower != .beginning || leadingGap != nil }

    var hasNext: Bool { upper != .end || gaps[.end] != nil }

    private var leadingGap: Gap? {
        gaps.values.filter { $0.lower <= lower && $0.upper > lower }.max { $0.upper < $1.upper }
    }

    var startsInGap: Bool { upper == .end && leadingGap != nil }

    /// The bound at which loading older messages continues.
    var olderBound: Gap.Bound { leadingGap?.upper ?? lower }

    func unsentMessages(_ state: OutboxItemState) -> [Message] {
        outboxItems.values.filter { $0.item.state == state }.sorted { $0.number < $1.number }
            .compactMap { unsentMessage(of: $0.item) }
    }

    private func belongs(_ message: Message) -> Bool {
        isOfHistory(message) && params.belongsTo(message)
    }

    func isOfHistory(_ message: Message) -> Bool {
        message.channelURL == channelURL
            && thread.map { message.parentMessageID == $0.parentID } ?? true
    }

    /// The position of the newest sent message, or the lower bound if there is none; the upper
    /// bound if the window does not include the newest end.
    private var newestShown: Gap.Bound {
        guard upper == .end else { return upper }
        func isSent(_ item: MessageItem) -> Bool { item.message?.position != nil }
        let item = params.isReversed ? items.first(where: isSent) : items.last(where: isSent)
        return item?.message?.position.map { .position($0) } ?? lower
    }

    private func shows(_ position: Position) -> Bool {
        let bound = Gap.Bound.position(position)
        return lower <= bound && bound <= upper
    }

    // MARK: Following

    /// Updates the window for a change of the store, except its rows, and returns the edits of
    /// these.
    mutating func record(_ change: Change) -> WindowEdits {
        var edits = WindowEdits()
        if lower == .end, upper == .end {
            // The window covers no range yet: it begins at the oldest saved message.
            let positions = change.operations.compactMap { operation -> Position? in
                guard case .savedMessage(let message) = operation, isOfHistory(message)
                else { return nil }
                return message.position
            }
            if let oldest = positions.min() {
                lower = .position(oldest)
                // The store may already have newer messages and their history.
                (edits.mustReadAgain, edits.mustExtendToPage) = (true, true)
            }
        }
        let startedInGap = startsInGap
        let newest = thread == nil ? .end : newestShown
        for case .removedOutboxItem(let item) in change.operations {
            rowIDs.ending.insert(item.requestID)
        }
        defer { rowIDs.ending = [] }
        for entry in change.entries { addEdits(for: entry, to: &edits) }
        if thread != nil {
            thread?.apply(change, shownFrom: lower, to: upper, newest: newest, in: channelURL)
            showGapsOfThread()
        }
        updateGapRows(&edits)
        // The range is complete. Read it again: the server may have deleted messages.
        if isReplaced, gaps.isEmpty { (isReplaced, edits.mustReadAgain) = (false, true) }
        if startedInGap { readAgainIfGapClosed(&edits) }
        return edits
    }

    /// Makes the window be read again if the gap that contained its lower bound was closed.
    func readAgainIfGapClosed(_ edits: inout WindowEdits) {
        if leadingGap == nil { (edits.mustExtendToPage, edits.mustReadAgain) = (true, true) }
    }

    private mutating func addEdits(for entry: Change.Entry, to edits: inout WindowEdits) {
        let operation = entry.operation
        if operation == .missed { edits.mustReadAgain = true }
        guard
            operation.channelURL == channelURL || operation == .clearedCachedData
                || operation == .replacedCache
        else { return }
        switch operation {
        case .savedMessage(let message): recordSaved(message, entry.source, &edits)
        case .removedMessage(let id, _, _): remove(id, entry.source, &edits)
        case .removedMessages(_, let first, let last):
            removeMessages(from: first, through: last, entry.source, &edits)
        case .clearedMessages, .clearedCachedData, .removedChannel:
            removeMessages(from: .beginning, through: .end, entry.source, &edits)
            let gap = Gap(in: channelURL)
            gaps = [gap.upper: gap]
        case .replacedCache:
            gaps = [.end: Gap(in: channelURL)]
            isReplaced = !list.elements.isEmpty
            // A message that the user has deleted does not come back when the deletion is sent.
            storedVersions = storedVersions.filter { list[.message(rowIDs[$0.key])] != nil }
        case .savedGap(let gap): gaps[gap.upper] = gap
        case .removedGap(let gap): gaps[gap.upper] = nil
        case .savedOutboxItem(let item): recordSaved(item, entry.source, &edits)
        case .removedOutboxItem(let item): remove(item, entry.source, &edits)
        default: break
        }
    }

    mutating func recordSaved(
        _ message: Message, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        guard let id = message.messageID, let position = message.position else { return }
        guard shows(position) else {
            recordAccepted(message, &edits)
            return remove(id, source, &edits)
        }
        show(message, id, at: position, source: source, &edits)
    }

    mutating func show(
        _ message: Message, _ id: MessageID, at position: Position, source: CollectionEventSource?,
        _ edits: inout WindowEdits
    ) {
        var shown: Message? = message
        if unsentChanges.changes(message) {
            storedVersions[id] = message
            shown = unsentChanges.shown(message)
        } else {
            storedVersions[id] = nil
        }
        guard let shown, belongs(shown) else {
            recordAccepted(message, &edits)
            return removeRow(of: id, source, &edits)
        }
        let row = assignRow(to: shown, id, edits)
        edits.rows.save(.message(shown.inRow(row)), at: .sent(at: position))
        edits.sources[.message(row)] = source
    }

    /// Returns the row of a sent message.
    ///
    /// A listed message keeps its row. Another one with a request ID gets the row of that ID,
    /// unless an outbox item that this change does not end still has it.
    private mutating func assignRow(
        to message: Message, _ id: MessageID, _ edits: WindowEdits
    ) -> Message.ID {
        let row = MessageItem.ID.message(.sent(id))
        if list[row] != nil || edits.rows.saved[row] != nil { return .sent(id) }
        func isUnsent(_ request: RequestID) -> Bool {
            outboxItems[request]?.item.operation == .send && !rowIDs.ending.contains(request)
        }
        return rowIDs.assign(
            id, message.requestID.flatMap { isUnsent($0) ? nil : $0 })
    }

    /// Records that an unsent message was sent, and that the list does not show the sent one.
    private func recordAccepted(_ message: Message, _ edits: inout WindowEdits) {
        guard let id = message.requestID else { return }
        let row = MessageItem.ID.message(.written(id))
        guard let unsent = list[row]?.message, unsent.messageID == nil else { return }
        edits.accepted[row] = message
    }

    mutating func remove(
        _ id: MessageID, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        storedVersions[id] = nil
        removeRow(of: id, source, &edits)
    }

    /// Removes the row of a sent message, or gives it to the message's outbox item if that still
    /// exists.
    mutating func removeRow(
        of id: MessageID, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        edits.remove(.message(rowIDs[id]), source)
        if let request = rowIDs.release(id) { showUnsent(request, source, &edits) }
    }

    private mutating func removeMessages(
        from first: Gap.Bound, through last: Gap.Bound, _ source: CollectionEventSource?,
        _ edits: inout WindowEdits
    ) {
        func isGone(_ position: Position?) -> Bool {
            position.map { first <= .position($0) && .position($0) <= last } ?? false
        }
        for item in list.elements(from: .lowest(at: first), through: .lowest(at: last)) {
            guard let message = item.message, let id = message.messageID,
                isGone(message.position), edits.rows.saved[item.id] == nil
            else { continue }
            removeRow(of: id, source, &edits)
        }
        storedVersions = storedVersions.filter { !isGone($0.value.position) }
        for saved in edits.rows.saved.values {
            guard let message = saved.element.message, let id = message.messageID,
                isGone(message.position)
            else { continue }
            removeRow(of: id, source, &edits)
        }
    }

    mutating func removeAll(_ source: CollectionEventSource) -> WindowEdits {
        var edits = WindowEdits()
        for item in items { edits.remove(item.id, source) }
        (lower, upper) = (.end, .end)
        (gaps, shownGaps, storedVersions, outboxItems) = ([:], [], [:], [:])
        rowIDs = MessageRowIDs()
        return edits
    }

    // MARK: Rows

    /// Applies edits to the rows, removes messages that exceed the capacity at `end`, also in the
    /// edits, and returns the differences.
    mutating func apply(
        _ edits: inout WindowEdits, trimming end: End = .oldest
    ) -> ListDiff<MessageItem> {
        let excess = sentCount(after: edits) - capacity
        if excess > 0 { trim(excess, end, &edits) }
        let diff = list.apply(edits.rows)
        assert(misplacedRow == nil, "A row is outside: \(misplacedRow.debugDescription)")
        return diff
    }

    /// The first sent message outside of the bounds; `nil` if there is none, or if the list is
    /// long.
    private var misplacedRow: Message? {
        guard list.elements.count <= CollectionChange<MessageItem>.longestChecked else {
            return nil
        }
        return list.elements.lazy.compactMap(\.message)
            .first { $0.position.map { !shows($0) } ?? false }
    }

    private func sentCount(after edits: WindowEdits) -> Int {
        let rowCount = list.count(after: edits.rows) - shownGaps.count
        guard rowCount > capacity else { return rowCount }
        var unsentCount = 0
        for row in list.elements(after: edits.rows, isBackward: !params.isReversed) {
            guard let message = row.message else { continue }
            if message.position != nil { break }
            unsentCount += 1
        }
        return rowCount - unsentCount
    }

    enum End { case oldest, newest }

    /// Removes `excess` sent messages at an end, with the gaps between them and beyond them.
    private mutating func trim(_ excess: Int, _ end: End, _ edits: inout WindowEdits) {
        let isAtFront = (end == .oldest) != params.isReversed
        var passed: [MessageItem] = []
        var excess = excess
        // The outermost message that stays; at least one does, even if `excess` is larger.
        var outermost: (place: Int, position: Position)?
        for row in list.elements(after: edits.rows, isBackward: !isAtFront) {
            if let message = row.message, message.position == nil { continue }
            if let position = row.message?.position {
                outermost = (passed.count, position)
                if excess == 0 { break }
                excess -= 1
            }
            passed.append(row)
        }
        guard let (place, position) = outermost, place > 0 else { return }
        for row in passed[..<place] {
            if let id = row.message?.messageID {
                removeRow(of: id, .windowTrimmed, &edits)
            } else {
                edits.remove(row.id, .windowTrimmed)
            }
        }
        switch end {
        case .oldest: lower = .position(position)
        case .newest: upper = .position(position)
        }
        updateGapRows(&edits)
    }
}

struct WindowEdits: Sendable {
    var rows = Window.RowEdits()
    var sources: [MessageItem.ID: CollectionEventSource] = [:]
    var canceled: [Message] = []
    /// The sent messages that are not listed, by the rows of the unsent ones.
    var accepted: [MessageItem.ID: Message] = [:]
    var mustReadAgain = false
    /// `true` if the gap below the oldest row was closed, or if the window covered no range.
    var mustExtendToPage = false

    mutating func remove(_ id: MessageItem.ID, _ source: CollectionEventSource?) {
        rows.remove(id)
        if let source { sources[id] = source }
    }
}

// MARK: Gaps

extension Window {
    /// Shows the gaps between the messages of the window, and a gap at the newest end.
    ///
    /// A gap that extends below the window has no row; instead, ``hasPrevious`` is true.
    mutating func updateGapRows(_ edits: inout WindowEdits) {
        gaps = gaps.filter { $0.value.lower < upper && lower < $0.value.upper }
        let shown = gaps.values
            .filter { lower <= $0.lower && $0.lower != .beginning && $0.upper <= upper }
            .flatMap { parts(of: $0, edits) }
        for gap in shown {
            edits.rows.save(.gap(gap), at: .gap(above: gap.lower))
        }
        let ids = Set(shown.map { MessageItem.gap($0).id })
        for id in shownGaps.subtracting(ids) { edits.rows.remove(id) }
        shownGaps = ids
    }

    mutating func cover(from lower: Gap.Bound, through upper: Gap.Bound) -> WindowEdits {
        var edits = WindowEdits()
        let startedInGap = startsInGap
        thread?.cover(from: lower, through: upper)
        showGapsOfThread()
        updateGapRows(&edits)
        if startedInGap { readAgainIfGapClosed(&edits) }
        return edits
    }

    mutating func showGapsOfThread() {
        guard let thread else { return }
        gaps = Dictionary(uniqueKeysWithValues: thread.gaps.map { ($0.upper, $0) })
    }

    /// Returns the parts into which the listed messages divide a gap.
    ///
    /// Of a gap at the newest end, only the part below the first live message gets a row: the feed
    /// delivers in order, so no message is missing between live ones.
    func parts(of gap: Gap, _ edits: WindowEdits) -> [Gap] {
        var bounds = [gap.lower] + boundsOfMessages(in: gap, edits)
        if gap.upper == .end { bounds = Array(bounds.prefix(2)) }
        if gap.upper != .end || bounds.count == 1 { bounds.append(gap.upper) }
        return zip(bounds, bounds.dropFirst()).map { Gap(in: channelURL, from: $0, to: $1) }
    }

    func boundsOfMessages(in gap: Gap, _ edits: WindowEdits) -> [Gap.Bound] {
        func isInside(_ position: Position?) -> Bool { position.map(gap.contains) ?? false }
        let listed =
            list
            .elements(from: .lowest(at: gap.lower), through: .lowest(at: gap.upper)).lazy
            .filter {
                isInside($0.message?.position) && !edits.rows.removed.contains($0.id)
                    && edits.rows.saved[$0.id] == nil
            }
            .compactMap { $0.message?.position }
        let new = edits.rows.saved.values.compactMap { $0.element.message?.position }
            .filter(isInside)
        // For a gap at the newest end, only the oldest message is needed.
        let oldest = params.isReversed ? listed.last : listed.first
        let known = gap.upper == .end ? oldest.map { [$0] } ?? [] : Array(listed)
        return Set(known + new).sorted().map { .position($0) }
    }
}
