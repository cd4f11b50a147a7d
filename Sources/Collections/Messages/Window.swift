import Models
import Store
import Sync

/// The part of a channel's history, or of a thread, that a list shows.
///
/// A window is a value without side effects: its methods read from a given reader or apply store
/// changes, and return the edits of the rows. The window shows all stored messages between
/// ``lower`` and ``upper`` that match the list, and the gaps between them. After them, it shows the
/// unsent messages, wherever the window is.
struct Window {
    typealias Edits = ListEdits<MessageItem, MessageItemKey>

    let channelURL: ChannelURL
    let params: MessageListParams
    /// The maximum number of sent messages in the window; at least 1.
    ///
    /// If loading a page would exceed the capacity, messages at the opposite end are removed. Gaps
    /// and unsent messages do not count.
    let capacity: Int
    /// The number of older messages in a page, which is at most the capacity.
    ///
    /// Messages of a larger page would be removed again from the window, so that the next page
    /// would skip them.
    let olderPageSize: Int
    /// The number of newer messages in a page, which is at most the capacity.
    let newerPageSize: Int
    /// The user whose unsent reactions are shown.
    var userID: UserID?
    /// The coverage of the shown thread; `nil` for the history of the channel.
    var thread: ThreadCoverage?

    /// The lower bound of the shown range; `end` if the window is empty.
    var lower = Gap.Bound.end
    /// The upper bound of the shown range; `end` if the window shows new messages as they arrive.
    var upper = Gap.Bound.end

    var list: OrderedList<MessageItem, MessageItemKey>
    /// The gaps in the window, by their upper bounds.
    var gaps: [Gap.Bound: Gap] = [:]
    private var shownGaps: Set<MessageItem.ID> = []
    /// A Boolean value that indicates whether the window shows messages of a cache that was
    /// replaced, and the store does not have the whole shown range again.
    var isReplaced = false
    /// The outbox items of the channel, numbered in the order in which the user created them.
    var outboxItems: [RequestID: (item: OutboxItem, number: Int)] = [:]
    var lastOutboxItemNumber = 0
    /// The messages that the user has written in this list.
    ///
    /// They are shown until they are sent, even if they do not match the list.
    private var writtenHere: Set<RequestID> = []
    var overlay = UnsentChanges([], userID: nil)
    /// The stored versions of those messages whose rows show unsent edits, deletions or reactions
    /// of the user.
    var covered: [MessageID: Message] = [:]

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

    /// The rows: oldest first, or newest first if the list is reversed.
    var items: [MessageItem] { list.elements }

    var hasPrevious: Bool { lower != .beginning || leadingGap != nil }

    var hasNext: Bool { upper != .end || trailingGap != nil }

    private var leadingGap: Gap? {
        gaps.values.filter { $0.lower <= lower && $0.upper > lower }.max { $0.upper < $1.upper }
    }

    var trailingGap: Gap? { upper == .end ? gaps[.end] : nil }

    /// The bound at which loading older messages continues: the upper bound of the leading gap, or
    /// the lower bound of the window.
    var olderBound: Gap.Bound { leadingGap?.upper ?? lower }

    func unsentMessages(_ state: OutboxItemState) -> [Message] {
        outboxItems.values.filter { $0.item.state == state }.sorted { $0.number < $1.number }
            .compactMap { unsentMessage(of: $0.item) }
    }

    /// Returns a Boolean value that indicates whether a message matches the list, regardless of its
    /// position.
    private func belongs(_ message: Message) -> Bool {
        isOfHistory(message) && params.belongsTo(message)
    }

    /// Returns a Boolean value that indicates whether a message is part of the shown history or
    /// thread.
    private func isOfHistory(_ message: Message) -> Bool {
        message.channelURL == channelURL
            && thread.map { message.parentMessageID == $0.parentID } ?? true
    }

    /// The position of the newest sent message in the window; the window's lower bound if there is
    /// none.
    ///
    /// If the window does not include the newest end, the value is its upper bound.
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

    /// Updates the window for a change, and returns the edits of the rows for
    /// ``apply(_:trimming:)``.
    mutating func fold(_ change: Change) -> WindowEdits {
        var edits = WindowEdits()
        if lower == .end, upper == .end {
            // If the window is empty, start it at the oldest message of the change.
            let positions = change.operations.compactMap { operation -> Position? in
                guard case .savedMessage(let message) = operation, isOfHistory(message)
                else { return nil }
                return message.position
            }
            if let oldest = positions.min() {
                lower = .position(oldest)
                // The store may already have newer messages: read them.
                edits.isMissed = true
            }
        }
        let hadLeadingGap = upper == .end && leadingGap != nil
        let newest = thread == nil ? .end : newestShown
        for entry in change.entries { fold(entry, &edits) }
        if thread != nil {
            thread?.apply(change, shownFrom: lower, to: upper, newest: newest, in: channelURL)
            showGapsOfThread()
        }
        updateGapRows(&edits)
        // Read the window again when the range is complete: the server may have deleted messages.
        if isReplaced, gaps.isEmpty { (isReplaced, edits.isMissed) = (false, true) }
        if hadLeadingGap, leadingGap == nil { (edits.isJoined, edits.isMissed) = (true, true) }
        return edits
    }

    private mutating func fold(_ entry: Change.Entry, _ edits: inout WindowEdits) {
        let operation = entry.operation
        if operation == .missed { edits.isMissed = true }
        guard
            operation.channelURL == channelURL || operation == .clearedCachedData
                || operation == .replacedCache
        else { return }
        switch operation {
        case .savedMessage(let message): save(message, entry.source, &edits)
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
        case .savedGap(let gap): gaps[gap.upper] = gap
        case .removedGap(let gap): gaps[gap.upper] = nil
        case .savedOutboxItem(let item): save(item, entry.source, &edits)
        case .removedOutboxItem(let item): remove(item, entry.source, &edits)
        default: break
        }
    }

    private mutating func save(
        _ message: Message, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        guard let id = message.messageID, let position = message.position else { return }
        guard shows(position) else {
            recordAccepted(message, &edits)
            return remove(id, source, &edits)
        }
        show(message, id, position, source, &edits)
    }

    /// Shows a stored message if it matches the list.
    mutating func show(
        _ held: Message, _ id: MessageID, _ position: Position, _ source: CollectionEventSource?,
        _ edits: inout WindowEdits
    ) {
        var shown: Message? = held
        if overlay.changes(held) {
            covered[id] = held
            shown = overlay.shown(held)
        } else {
            covered[id] = nil
        }
        guard let shown, belongs(shown) else {
            recordAccepted(held, &edits)
            return edits.remove(.sent(id), source)
        }
        // If the sent message is already listed, the pending message keeps its row until its outbox
        // item is removed.
        let isListed = list[.sent(id)] != nil
        edits.rows.save(
            .message(shown), at: .sent(at: position),
            insteadOf: isListed ? nil : held.requestID.map { .unsent($0) })
        edits.sources[.sent(id)] = source
    }

    /// Records that an unsent message was sent, and that the list does not show the sent message.
    private func recordAccepted(_ message: Message, _ edits: inout WindowEdits) {
        guard let row = message.requestID.map(MessageItem.ID.unsent), list[row] != nil else {
            return
        }
        edits.accepted[row] = message
    }

    private mutating func remove(
        _ id: MessageID, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        covered[id] = nil
        edits.remove(.sent(id), source)
    }

    private mutating func removeMessages(
        from first: Gap.Bound, through last: Gap.Bound, _ source: CollectionEventSource?,
        _ edits: inout WindowEdits
    ) {
        func isGone(_ position: Position?) -> Bool {
            position.map { first <= .position($0) && .position($0) <= last } ?? false
        }
        for item in list.elements(from: .from(first), through: .through(last)) {
            guard let message = item.message, isGone(message.position),
                edits.rows.saved[item.id] == nil
            else { continue }
            edits.remove(item.id, source)
        }
        covered = covered.filter { !isGone($0.value.position) }
        for (id, saved) in edits.rows.saved where isGone(saved.element.message?.position) {
            edits.remove(id, source)
        }
    }

    /// Empties the window.
    mutating func removeAll(_ source: CollectionEventSource) -> WindowEdits {
        var edits = WindowEdits()
        for item in items { edits.remove(item.id, source) }
        (lower, upper) = (.end, .end)
        (gaps, shownGaps, covered, outboxItems) = ([:], [], [:], [:])
        return edits
    }

    // MARK: Unsent messages

    private mutating func save(
        _ item: OutboxItem, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        let number = outboxItems[item.requestID]?.number ?? lastOutboxItemNumber + 1
        lastOutboxItemNumber = max(lastOutboxItemNumber, number)
        outboxItems[item.requestID] = (item, number)
        if item.operation == .send {
            showUnsent(item.requestID, source, &edits)
        } else {
            applyUnsentChange(item, source, &edits)
        }
    }

    private mutating func remove(
        _ item: OutboxItem, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        guard let held = outboxItems.removeValue(forKey: item.requestID) else { return }
        guard item.operation == .send else { return applyUnsentChange(item, source, &edits) }
        if source == .localMessageCanceled, held.item.state == .pending,
            var message = shownMessage(of: held.item)
        {
            message.sendingStatus = .canceled
            edits.canceled.append(message)
        }
        edits.remove(.unsent(item.requestID), source)
    }

    /// Returns the unsent message of an outbox item, whether or not it matches the list.
    private func unsentMessage(of item: OutboxItem) -> Message? {
        guard item.isUnderstood, item.operation == .send,
            let message = item.message.flatMap(overlay.shown), isOfHistory(message)
        else { return nil }
        return message
    }

    private func shownMessage(of item: OutboxItem) -> Message? {
        unsentMessage(of: item).flatMap {
            params.belongsTo($0) || writtenHere.contains(item.requestID) ? $0 : nil
        }
    }

    /// Shows a message that the user has written in this list, until it is sent.
    mutating func showWritten(_ id: RequestID) -> WindowEdits {
        var edits = WindowEdits()
        writtenHere.insert(id)
        if list[.unsent(id)] == nil { showUnsent(id, .localMessagePendingCreated, &edits) }
        return edits
    }

    /// Shows an unsent message.
    func showUnsent(
        _ id: RequestID, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        guard let (item, number) = outboxItems[id] else { return }
        guard let message = shownMessage(of: item) else {
            return edits.remove(.unsent(id), source)
        }
        edits.rows.save(.message(message), at: .unsent(number))
        edits.sources[.unsent(id)] = source
    }

    /// Updates the rows after an unsent edit, deletion or reaction was saved or removed.
    private mutating func applyUnsentChange(
        _ item: OutboxItem, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        overlay = UnsentChanges(changesInOrder, userID: userID)
        if let target = item.targetRequestID { showUnsent(target, source, &edits) }
        let id = item.messageID ?? item.targetRequestID.flatMap { sentMessage(of: $0, edits) }
        guard let id, let held = heldMessage(id, edits) else {
            // The edit may make an unlisted message match the list. Therefore read the window
            // again.
            if item.operation == .update { edits.isMissed = true }
            return
        }
        save(held, source, &edits)
    }

    var changesInOrder: [OutboxItem] {
        outboxItems.values.filter { $0.item.operation != .send }.sorted { $0.number < $1.number }
            .map(\.item)
    }

    /// Returns the stored version of a listed message.
    private func heldMessage(_ id: MessageID, _ edits: WindowEdits) -> Message? {
        if let held = covered[id] { return held }
        if let saved = edits.rows.saved[.sent(id)] { return saved.element.message }
        // The message was removed. Do not use its old row, which may show an unsent change.
        if edits.rows.removed.contains(.sent(id)) { return nil }
        return list[.sent(id)]?.message
    }

    /// Returns the ID of the sent message of a request, if it is listed.
    private func sentMessage(of id: RequestID, _ edits: WindowEdits) -> MessageID? {
        func isIt(_ message: Message?) -> Bool { message?.requestID == id }
        if let covered = covered.first(where: { isIt($0.value) }) { return covered.key }
        let saved = edits.rows.saved.values.first { isIt($0.element.message) }
        if let id = saved?.element.message?.messageID { return id }
        return items.reversed().first { isIt($0.message) }?.message?.messageID
    }

    // MARK: Gaps

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

    /// Records the range that a page of replies covers, and updates the rows of gaps.
    mutating func cover(from lower: Gap.Bound, through upper: Gap.Bound) -> WindowEdits {
        var edits = WindowEdits()
        thread?.cover(from: lower, through: upper)
        showGapsOfThread()
        updateGapRows(&edits)
        return edits
    }

    private mutating func showGapsOfThread() {
        guard let thread else { return }
        gaps = Dictionary(uniqueKeysWithValues: thread.gaps.map { ($0.upper, $0) })
    }

    /// Returns the parts into which the listed messages divide a gap.
    ///
    /// Live messages are inside a gap at the newest end until a page closes it. The feed delivers
    /// messages in order, so no message is missing between the live ones. Therefore only the part
    /// of the gap that is older than the first live message gets a row.
    private func parts(of gap: Gap, _ edits: WindowEdits) -> [Gap] {
        var bounds = [gap.lower] + boundsOfMessages(in: gap, edits)
        if gap.upper == .end { bounds = Array(bounds.prefix(2)) }
        if gap.upper != .end || bounds.count == 1 { bounds.append(gap.upper) }
        return zip(bounds, bounds.dropFirst()).map { Gap(in: channelURL, from: $0, to: $1) }
    }

    private func boundsOfMessages(in gap: Gap, _ edits: WindowEdits) -> [Gap.Bound] {
        func isInside(_ position: Position?) -> Bool { position.map(gap.contains) ?? false }
        let held = list.elements(from: .from(gap.lower), through: .through(gap.upper)).lazy
            .filter {
                isInside($0.message?.position) && !edits.rows.removed.contains($0.id)
                    && edits.rows.saved[$0.id] == nil
            }
            .compactMap { $0.message?.position }
        let new = edits.rows.saved.values.compactMap { $0.element.message?.position }
            .filter(isInside)
        // For a gap at the newest end, only the oldest message in it is needed. There may be many.
        let oldest = params.isReversed ? held.last : held.first
        let known = gap.upper == .end ? oldest.map { [$0] } ?? [] : Array(held)
        return Set(known + new).sorted().map { .position($0) }
    }

    // MARK: Rows

    /// Applies edits to the rows, removes messages that exceed the capacity at `end`, and returns
    /// the differences.
    ///
    /// The removed messages are added to the edits.
    mutating func apply(
        _ edits: inout WindowEdits, trimming end: End = .oldest
    ) -> ListDiff<MessageItem> {
        let excess = sentCount(after: edits) - capacity
        if excess > 0 { trim(excess, end, &edits) }
        return list.apply(edits.rows)
    }

    /// Returns the number of sent messages after the edits, without applying them.
    ///
    /// - Complexity: O(*k* log *k*) in the number of edits, and O(*n*) in the number of listed
    ///   unsent messages.
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
        var passed: [MessageItem.ID] = []
        var excess = excess
        // The outermost message that stays. At least one message stays, even if `excess` is larger.
        var outermost: (place: Int, position: Position)?
        for row in list.elements(after: edits.rows, isBackward: !isAtFront) {
            // Unsent messages stay.
            if let message = row.message, message.position == nil { continue }
            if let position = row.message?.position {
                outermost = (passed.count, position)
                if excess == 0 { break }
                excess -= 1
            }
            passed.append(row.id)
        }
        guard let (place, position) = outermost, place > 0 else { return }
        for id in passed[..<place] { edits.remove(id, .windowTrimmed) }
        switch end {
        case .oldest: lower = .position(position)
        case .newest: upper = .position(position)
        }
        updateGapRows(&edits)
    }
}

struct WindowEdits {
    var rows = Window.Edits()
    var sources: [MessageItem.ID: CollectionEventSource] = [:]
    /// The canceled messages, as they were when pending.
    var canceled: [Message] = []
    /// The sent messages that the list does not show, by the rows of the unsent messages.
    var accepted: [MessageItem.ID: Message] = [:]
    /// A Boolean value that indicates whether the window has to be read again.
    var isMissed = false
    /// A Boolean value that indicates whether the gap below the oldest row was closed.
    var isJoined = false

    mutating func remove(_ id: MessageItem.ID, _ source: CollectionEventSource?) {
        rows.remove(id)
        if let source { sources[id] = source }
    }
}
