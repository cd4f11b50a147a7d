import Models
import Store
import Sync

/// The part of a channel's history that a list shows, and how it follows what happens there.
///
/// Pure: it reads from what it is given, and says what became of the rows. From ``lower`` to ``upper`` it
/// shows all that is held and belongs to the list, the gaps between, and at the newest end what is not sent.
struct Window {
    typealias Edits = ListEdits<MessageItem, MessageItemKey>

    let channelURL: ChannelURL
    let params: MessageListParams
    /// The most sent messages that are shown; at least 1.
    ///
    /// Beyond it, rows leave at the end that is not being loaded. Gaps and unsent messages do not count.
    let capacity: Int
    /// The number of older messages to load at once: never more than fit, so that none is skipped.
    let olderPageSize: Int
    /// The number of newer messages to load at once: never more than fit, so that none is skipped.
    let newerPageSize: Int
    /// Whose reactions are shown that were not sent yet.
    var userID: UserID?

    /// The oldest place that is shown; `end` if nothing is known yet.
    var lower = Gap.Bound.end
    /// The newest one; `end` if what comes is shown too.
    var upper = Gap.Bound.end

    var list: OrderedList<MessageItem, MessageItemKey>
    /// What is missing of what is shown, by the newer ends.
    var gaps: [Gap.Bound: Gap] = [:]
    private var shownGaps: Set<MessageItem.ID> = []
    /// What waits to be sent, or has failed, with numbers in the order it was written.
    var drafts: [RequestID: (draft: Draft, number: Int)] = [:]
    var lastDraftNumber = 0
    var overlay = DraftOverlay([], userID: nil)
    /// The messages as they are held, where the overlay shows something else.
    var covered: [MessageID: Message] = [:]

    init(
        on channelURL: ChannelURL, params: MessageListParams = MessageListParams(),
        userID: UserID? = nil, capacity: Int = .max
    ) {
        self.channelURL = channelURL
        self.params = params
        self.userID = userID
        self.capacity = max(1, capacity)
        olderPageSize = min(params.olderPageSize, self.capacity)
        newerPageSize = min(params.newerPageSize, self.capacity)
        list = OrderedList(isReversed: params.isReversed)
    }

    // MARK: What is shown

    /// The rows, the oldest first, or as the params have it.
    var items: [MessageItem] { list.elements }

    /// Whether something older can be loaded.
    var hasPrevious: Bool { lower != .beginning || leadingGap != nil }

    /// Whether something newer can be loaded.
    var hasNext: Bool { upper != .end || trailingGap != nil }

    /// The gap that the oldest end of what is shown lies in.
    private var leadingGap: Gap? {
        gaps.values.filter { $0.lower <= lower && $0.upper > lower }.max { $0.upper < $1.upper }
    }

    /// The gap at the newest end.
    var trailingGap: Gap? { upper == .end ? gaps[.end] : nil }

    /// From where on older messages are to be loaded.
    var olderEdge: Gap.Bound { leadingGap?.upper ?? lower }

    /// What waits to be sent or has failed, in the order it was written.
    func unsentMessages(_ state: DraftState) -> [Message] {
        drafts.values.filter { $0.draft.state == state }.sorted { $0.number < $1.number }
            .compactMap { shownMessage(of: $0.draft) }
    }

    /// Whether a position is in the part that is shown.
    private func shows(_ position: Position) -> Bool {
        let bound = Gap.Bound.position(position)
        return lower <= bound && bound <= upper
    }

    // MARK: Following

    /// Takes over what was done to the store.
    ///
    /// - Returns: What is to be done to the rows; hand it to ``apply(_:trimming:)``.
    mutating func fold(_ change: Change) -> WindowEdits {
        var edits = WindowEdits()
        if lower == .end, upper == .end {
            // Nothing was known so far: what comes is the beginning.
            let positions = change.operations.compactMap { operation -> Position? in
                guard case .savedMessage(let message) = operation,
                    message.channelURL == channelURL
                else { return nil }
                return message.position
            }
            if let oldest = positions.min() {
                lower = .position(oldest)
                // Newer ones may be held already.
                edits.isMissed = true
            }
        }
        let wasAdrift = upper == .end && leadingGap != nil
        for entry in change.entries { fold(entry, &edits) }
        placeGaps(&edits)
        if wasAdrift, leadingGap == nil { (edits.isJoined, edits.isMissed) = (true, true) }
        return edits
    }

    private mutating func fold(_ entry: Change.Entry, _ edits: inout WindowEdits) {
        let operation = entry.operation
        if operation == .missed { edits.isMissed = true }
        guard operation.channelURL == channelURL || operation == .clearedCachedData else { return }
        switch operation {
        case .savedMessage(let message): save(message, entry.source, &edits)
        case .removedMessage(let id, _, _): remove(id, entry.source, &edits)
        case .removedMessages(_, let first, let last):
            removeMessages(from: first, through: last, entry.source, &edits)
        case .clearedMessages, .clearedCachedData, .removedChannel:
            removeMessages(from: .beginning, through: .end, entry.source, &edits)
            let gap = Gap(in: channelURL)
            gaps = [gap.upper: gap]
        case .savedGap(let gap): gaps[gap.upper] = gap
        case .removedGap(let gap): gaps[gap.upper] = nil
        case .savedDraft(let draft): save(draft, entry.source, &edits)
        case .removedDraft(let draft): remove(draft, entry.source, &edits)
        default: break
        }
    }

    private mutating func save(
        _ message: Message, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        guard let id = message.messageID, let position = message.position else { return }
        guard shows(position) else { return remove(id, source, &edits) }
        show(message, id, position, source, &edits)
    }

    /// Shows a message that is held in the part that is shown, or does not, as the list has it.
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
        guard let shown, params.belongsTo(shown) else {
            return edits.remove(.sent(id), source)
        }
        // One that is there already is not what became of a row just now: what waits beside it goes by itself.
        let isThere = list[.sent(id)] != nil
        edits.rows.save(
            .message(shown), at: .sent(at: position),
            insteadOf: isThere ? nil : held.requestID.map { .unsent($0) })
        edits.sources[.sent(id)] = source
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

    // MARK: What is not sent

    private mutating func save(
        _ draft: Draft, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        let number = drafts[draft.requestID]?.number ?? lastDraftNumber + 1
        lastDraftNumber = max(lastDraftNumber, number)
        drafts[draft.requestID] = (draft, number)
        if draft.operation == .send {
            showUnsent(draft.requestID, source, &edits)
        } else {
            lay(draft, source, &edits)
        }
    }

    private mutating func remove(
        _ draft: Draft, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        guard let held = drafts.removeValue(forKey: draft.requestID) else { return }
        guard draft.operation == .send else { return lay(draft, source, &edits) }
        if source == .localMessageCanceled, held.draft.state == .pending,
            var message = shownMessage(of: held.draft)
        {
            message.sendingStatus = .canceled
            edits.canceled.append(message)
        }
        edits.remove(.unsent(draft.requestID), source)
    }

    private func shownMessage(of draft: Draft) -> Message? {
        guard draft.operation == .send, let message = draft.message.flatMap(overlay.shown),
            params.belongsTo(message)
        else { return nil }
        return message
    }

    /// Shows a message that is not sent at the newest end, if that is shown.
    func showUnsent(
        _ id: RequestID, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        guard let (draft, number) = drafts[id] else { return }
        guard upper == .end, let message = shownMessage(of: draft) else {
            return edits.remove(.unsent(id), source)
        }
        edits.rows.save(.message(message), at: .unsent(number))
        edits.sources[.unsent(id)] = source
    }

    /// Lays the changes that are not sent over the messages again, since one of them is another now.
    private mutating func lay(
        _ draft: Draft, _ source: CollectionEventSource?, _ edits: inout WindowEdits
    ) {
        overlay = DraftOverlay(changesInOrder, userID: userID)
        if let target = draft.targetRequestID { showUnsent(target, source, &edits) }
        let id = draft.messageID ?? draft.targetRequestID.flatMap { sentMessage(of: $0, edits) }
        guard let id, let held = heldMessage(id, edits) else {
            // One that the list does not show may be what it is to show now.
            if draft.operation == .update { edits.isMissed = true }
            return
        }
        // It may have left at an end meanwhile.
        save(held, source, &edits)
    }

    var changesInOrder: [Draft] {
        drafts.values.filter { $0.draft.operation != .send }.sorted { $0.number < $1.number }
            .map(\.draft)
    }

    /// A message of the rows as it is held.
    private func heldMessage(_ id: MessageID, _ edits: WindowEdits) -> Message? {
        if let held = covered[id] { return held }
        if let saved = edits.rows.saved[.sent(id)] { return saved.element.message }
        // What is being taken out was perhaps shown as somebody had changed it.
        if edits.rows.removed.contains(.sent(id)) { return nil }
        return list[.sent(id)]?.message
    }

    /// The message that the server made of what was written under a name, if it is shown.
    private func sentMessage(of id: RequestID, _ edits: WindowEdits) -> MessageID? {
        func isIt(_ message: Message?) -> Bool { message?.requestID == id }
        if let covered = covered.first(where: { isIt($0.value) }) { return covered.key }
        let saved = edits.rows.saved.values.first { isIt($0.element.message) }
        if let id = saved?.element.message?.messageID { return id }
        return items.reversed().first { isIt($0.message) }?.message?.messageID
    }

    // MARK: What is missing

    /// Shows the gaps between what is shown, and one at the newest end.
    ///
    /// One that reaches beyond the oldest row is no row: there, more history exists.
    mutating func placeGaps(_ edits: inout WindowEdits) {
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

    /// The parts of a gap between the messages in it that are shown.
    ///
    /// At the newest end, messages that come live lie in a gap until a page confirms that nothing is
    /// missing between them. They follow each other, so only the part before them is a row.
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
        // At the newest end there may be many, and only the first matters.
        let oldest = params.isReversed ? held.last : held.first
        let known = gap.upper == .end ? oldest.map { [$0] } ?? [] : Array(held)
        return Set(known + new).sorted().map { .position($0) }
    }

    // MARK: Rows

    /// Changes the rows.
    ///
    /// - Parameters:
    ///   - edits: What is to be done.
    ///   - end: Where rows leave if there are too many.
    /// - Returns: What became of whose place.
    mutating func apply(
        _ edits: WindowEdits, trimming end: End = .oldest
    ) -> ListDiff<MessageItem> {
        var edits = edits
        let excess = sentCount(after: edits) - capacity
        if excess > 0 { trim(excess, end, &edits) }
        return list.apply(edits.rows)
    }

    /// The number of sent messages that are shown after some edits.
    ///
    /// - Complexity: O(*k* log *k*) in the edits, and O(*n*) in the unsent messages that are shown.
    private func sentCount(after edits: WindowEdits) -> Int {
        let rowCount = list.count(after: edits.rows) - shownGaps.count
        guard rowCount > capacity else { return rowCount }
        // Unsent messages follow all sent ones.
        var unsentCount = 0
        for row in list.elements(after: edits.rows, isBackward: !params.isReversed) {
            guard let message = row.message else { continue }
            if message.position != nil { break }
            unsentCount += 1
        }
        return rowCount - unsentCount
    }

    /// An end of what is shown.
    enum End { case oldest, newest }

    /// Removes sent messages at an end, with the rows between and beyond them.
    private mutating func trim(_ excess: Int, _ end: End, _ edits: inout WindowEdits) {
        let isAtFront = (end == .oldest) != params.isReversed
        var passed: [MessageItem.ID] = []
        var excess = excess
        // The outermost message that stays; at least one does.
        var outermost: (place: Int, position: Position)?
        for row in list.elements(after: edits.rows, isBackward: !isAtFront) {
            if let position = row.message?.position {
                outermost = (passed.count, position)
                if excess == 0 { break }
                excess -= 1
            }
            passed.append(row.id)
        }
        guard let (place, position) = outermost, place > 0 else { return }
        for id in passed[..<place] { edits.rows.remove(id) }
        switch end {
        case .oldest: lower = .position(position)
        case .newest: upper = .position(position)
        }
        placeGaps(&edits)
    }
}

/// What is to be done to the rows of a window, and why.
struct WindowEdits {
    var rows = Window.Edits()
    var sources: [MessageItem.ID: CollectionEventSource] = [:]
    /// Messages that were waiting to be sent, and were taken back.
    var canceled: [Message] = []
    /// Whether there was more than the store could tell: all has to be read again.
    var isMissed = false
    /// Whether it is known now what lies before the oldest row, which it was not.
    var isJoined = false

    mutating func remove(_ id: MessageItem.ID, _ source: CollectionEventSource?) {
        rows.remove(id)
        if let source { sources[id] = source }
    }
}
