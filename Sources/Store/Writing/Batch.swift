public import Models

/// The writes of one atomic commit.
///
/// ``ChatStore/write(_:)`` passes a batch to its closure, and the batch is valid only during that
/// closure. Reads through a batch include its own writes.
///
/// An operation that throws has no effect, and the batch stays usable, unless the disk fails in the
/// middle of the operation: ``ChatStore/write(_:)`` then throws the same error instead of writing
/// the batch. In addition to the errors in its documentation, an operation throws those of a
/// ``StoreReader``, such as `corruption` for a damaged row.
///
/// Damaged rows can be replaced and removed. If the message count of a channel is damaged, the next
/// operation that changes the channel counts its messages by reading all of their keys. If a gap or
/// a stale range is damaged, the next operation that reads it makes the channel's whole history one
/// gap.
public final class Batch: StoreReader {
    let committed: CommittedState
    let rows = BatchRows()
    private(set) var entries: [Change.Entry] = []
    var channelChanges: [ChannelRowChange] = []
    /// The numbers to assign next.
    var next: NextNumbers
    private let firstOutboxItem: UInt64
    private var known: Known
    /// The last channel, because a batch often writes to one channel only.
    private var latest: (url: ChannelURL, number: ChannelNumber)?
    /// The state of the search index; `nil` if it is turned off.
    var index: IndexState?
    var savedMessages: [(message: Message, channel: ChannelNumber)] = []
    private var isOver = false
    /// Whether the batch has released channel numbers, whose rows must be purged.
    private(set) var hasCleared = false
    /// Whether changes to the cache are on disk when the write returns, as changes to the outbox
    /// always are.
    package var isDurable = false
    /// Whether the commit must record the outbox's generation, because it does more than add items:
    /// the earlier rows must not return if an earlier copy replaces the outbox.
    var recordsGeneration = false
    var definedTables: Set<String> = []
    let observedTables: ObservedTables
    /// The tables of the app whose changes the batch does not record, because they were not
    /// observed when it began.
    var unreportedTables: Set<String> = []
    /// The error of an operation that failed after writing a part of its changes: the batch cannot
    /// be written.
    private(set) var failure: StoreError?

    /// The counters from which new numbers are assigned; they never decrease.
    struct NextNumbers {
        var channel: ChannelNumber
        var item: UInt64
        var access: UInt64?
        /// Whether the next number was compared with those in the rows, because after damage it may
        /// be too low.
        var isChannelCompared = false
        var isOutboxItemCompared = false
        /// A number that increases with each commit of the outbox.
        var generation: UInt64
        /// The increment of the generation for the next commit.
        ///
        /// It is large for the first commit after an opening, because a copy of the outbox from
        /// before a kill may have the next numbers; a new outbox has no earlier copies.
        var generationStep: UInt64
        var recordedGeneration: UInt64

        init(in cache: LevelDB, _ outbox: LevelDB) throws(StoreError) {
            generation = try outbox.generation()
            generationStep = generation == 0 ? 1 : 1 << 32
            recordedGeneration = try cache.generation()
            channel = try cache.nextNumber() ?? 1
            item = try outbox.nextNumber() ?? 1
        }
    }

    struct Known {
        var states: [ChannelNumber: ChannelState] = [:]
        var ids = HeldIDs()

        /// Moves the state out, so that changes do not copy it.
        mutating func takeAll() -> Self {
            defer { self = Known() }
            return self
        }
    }

    init(
        _ committed: CommittedState, next: NextNumbers, known: consuming Known,
        index: consuming IndexState? = nil, observedTables: ObservedTables = ObservedTables()
    ) {
        self.observedTables = observedTables
        self.committed = committed
        self.next = next
        self.index = index
        firstOutboxItem = next.item
        self.known = known
        self.known.ids.beginBatch()
    }

    /// The store with the writes of the batch applied.
    public var view: StoreView {
        checkIsOpen()
        return StoreView(committed: committed, batch: rows)
    }

    var cache: Rows { Rows(snapshot: committed.cache, overlay: rows.cache, counted: rows) }
    var outbox: Rows { Rows(snapshot: committed.outbox, overlay: rows.outbox) }

    func record(
        _ operation: Change.Operation, _ source: CollectionEventSource? = nil,
        _ people: EventPeople? = nil
    ) {
        checkIsOpen()
        let entry = Change.Entry(operation: operation, source: source, people: people)
        // A message may get thousands of reactions in one batch.
        if let last = entries.last, entry.replaces(last) { entries.removeLast() }
        entries.append(entry)
    }

    package var channelsWithSavedMessages: Set<ChannelURL> {
        var urls: Set<ChannelURL> = []
        for case .savedMessage(let message) in entries.map(\.operation) {
            urls.insert(message.channelURL)
        }
        return urls
    }

    package var changedChannels: Set<ChannelURL> {
        Set(
            entries.compactMap { entry in
                if case .ephemeral = entry.operation { nil } else { entry.operation.channelURL }
            })
    }

    /// The saved group channels; `nil` for removed channels.
    package var savedGroupChannels: [ChannelURL: GroupChannel?] {
        var channels: [ChannelURL: GroupChannel?] = [:]
        for entry in entries {
            switch entry.operation {
            case .savedGroupChannel(let channel): channels[channel.url] = .some(channel)
            case .savedOpenChannel(let channel): channels[channel.url] = .some(nil)
            case .removedChannel(let url): channels[url] = .some(nil)
            default: break
            }
        }
        return channels
    }

    package func hasNumber(_ url: ChannelURL) throws(StoreError) -> Bool {
        try number(of: url) != nil
    }

    private func checkIsOpen() {
        precondition(
            !isOver, "A Batch is valid only inside the closure of the write that created it.")
    }

    /// Reports an event to observers, in order with the changes of the batch, without storing it.
    package func emit(_ event: Ephemeral, source: CollectionEventSource? = nil) {
        record(.ephemeral(event), source)
    }

    /// Sets ``failure`` if an operation fails after writing a part of its changes.
    @inline(__always)
    func whole<Result>(
        _ operation: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let before = rows.cache.writeCount
        do throws(StoreError) {
            return try operation()
        } catch {
            if rows.cache.writeCount != before { failure = failure ?? error }
            throw error
        }
    }

    /// Adds the counts that the batch has changed to its rows, and ends the batch; throws
    /// ``failure``.
    func finish() throws(StoreError) {
        isOver = true
        if let failure { throw failure }
        indexSavedMessages()
        for (number, state) in rows.states {
            rows.cache.put({ $0.table(.state, number) }, state.write)
        }
        if next.item != firstOutboxItem {
            rows.outbox.put({ $0.schemaKey(.nextNumber) }, { $0.integer(next.item) })
        }
    }

    func takeKnown(isWritten: Bool) -> Known {
        var known = known.takeAll()
        if isWritten { for (number, state) in rows.states { known.states[number] = state } }
        return known
    }
}

// MARK: Channels' numbers and states

extension Batch {
    /// Returns the number of a channel; if no data of it is stored, assigns a number, and makes its
    /// history one gap.
    func number(assigningTo url: ChannelURL) throws(StoreError) -> ChannelNumber {
        if let number = try number(of: url) { return number }
        try checkURL(url)
        let number = try assignNumber(to: url)
        putState(ChannelState(), number)
        try putGap(Gap(in: url), number)
        return number
    }

    func number(of url: ChannelURL) throws(StoreError) -> ChannelNumber? {
        checkIsOpen()
        if let latest, latest.url == url { return latest.number }
        let number = try StoreView(committed: committed, batch: rows).number(of: url)
        latest = number.map { (url, $0) }
        return number
    }

    func discardChannels() {
        latest = nil
        known.states = [:]
        rows.states = [:]
        rows.hasClearedAll = true
    }

    func setNumber(_ number: ChannelNumber?, of url: ChannelURL) {
        latest = nil
        rows.numbers.updateValue(number, forKey: url)
    }

    private func assignNumber(to url: ChannelURL) throws(StoreError) -> ChannelNumber {
        if !next.isChannelCompared {
            next.channel = max(next.channel, try cache.greatestNumber() + 1)
            next.isChannelCompared = true
        }
        let number = next.channel
        guard number < .max else {
            throw StoreError(
                .invalid, "no number is left for channel \(url): rebuild the cache",
                path: cache.path)
        }
        next.channel = number + 1
        rows.cache.put({ $0.schemaKey(.nextNumber) }, { $0.integer(next.channel) })
        setNumber(number, of: url)
        known.ids.recordNew(number)
        rows.cache.put({ $0.nameKey(url) }, { $0.integer(number) })
        rows.cache.put({ $0.table(.url, number) }, { $0.text(url.rawValue) })
        return number
    }

    /// Releases a channel's number; its rows are then invisible, and are purged later.
    func release(_ number: ChannelNumber, of url: ChannelURL) throws(StoreError) {
        rows.addedMessages -= Int(try state(of: number).messageCount)
        setNumber(nil, of: url)
        rows.cache.remove { $0.nameKey(url) }
        release(number)
    }

    func release(_ number: ChannelNumber) {
        rows.states[number] = nil
        known.states[number] = nil
        rows.cache.release(number)
        hasCleared = true
    }

    /// Assigns a new number to a channel, and copies only the channel's own row and its tombstones.
    func renumber(_ url: ChannelURL, from old: ChannelNumber) throws(StoreError) -> ChannelNumber {
        var state = try state(of: old)
        let channel = try storedChannel(url, old)
        let tombstones = try tombstones(in: url)
        try release(old, of: url)
        let number = try assignNumber(to: url)
        // A page that was requested before a deletion may still arrive.
        for tombstone in tombstones { put(tombstone, number) }
        state.messageCount = 0
        putState(state, number)
        if let channel {
            putChannel(channel, number)
            channelChanges.append(
                ChannelRowChange(old: channel, oldNumber: old, new: channel, newNumber: number))
        }
        return number
    }

    func state(of number: ChannelNumber) throws(StoreError) -> ChannelState {
        if let state = rows.states[number] ?? known.states[number] { return state }
        let state = try cache.state(of: number) ?? ChannelState()
        known.states[number] = state
        return state
    }

    func putState(_ state: ChannelState, _ number: ChannelNumber) {
        rows.states[number] = state
    }

    func count(_ difference: Int64, in number: ChannelNumber) throws(StoreError) {
        var state = try state(of: number)
        // The stored count may contradict the messages.
        state.messageCount = max(0, state.messageCount &+ difference)
        rows.addedMessages += Int(difference)
        putState(state, number)
    }

    func checkURL(_ url: ChannelURL) throws(StoreError) {
        guard !url.rawValue.isEmpty else {
            throw StoreError(
                .invalid, "the channel or message to save has no channel URL", path: cache.path)
        }
        try checkName(url.rawValue, "the URL of a channel")
    }

    func checkName(_ text: String, _ what: String) throws(StoreError) {
        if text.utf8.count > Limits.nameSize {
            throw StoreError(
                .invalid, "\(what) has \(text.utf8.count) bytes; the limit is \(Limits.nameSize)",
                path: cache.path)
        }
    }
}

// MARK: Messages' ids

extension Batch {
    func mayHold(_ id: MessageID, in number: ChannelNumber) -> Bool {
        known.ids.mayHold(id, in: number)
    }

    func recordPut(_ id: MessageID, in number: ChannelNumber) {
        known.ids.recordPut(id, in: number, stored: Rows(snapshot: committed.cache))
    }
}

// MARK: Smaller tables

extension Batch {
    /// Saves a user, replacing the stored user with the same ID.
    ///
    /// - Throws: `invalid` if the user has no ID, or an ID longer than 65,535 bytes.
    public func save(_ user: User, source: CollectionEventSource? = nil) throws(StoreError) {
        guard !user.userID.rawValue.isEmpty else {
            throw StoreError(.invalid, "the user to save has no id", path: cache.path)
        }
        try checkName(user.userID.rawValue, "the id of a user")
        rows.cache.put(
            { $0.userKey(user.userID) }, { writer in user.withSerializedBytes { writer.raw($0) } })
        record(.savedUser(user), source)
    }

    /// Removes a user, even an undecodable one, and returns whether it was stored.
    @discardableResult
    public func removeUser(
        _ id: UserID, source: CollectionEventSource? = nil
    ) throws(StoreError) -> Bool {
        let key = ByteWriter.key { $0.userKey(id) }
        guard try cache.contains(key) else { return false }
        rows.cache.remove { $0.raw(key) }
        record(.removedUser(id), source)
        return true
    }

    /// Saves a token, or removes it if it is `nil`.
    ///
    /// Save a token in the same batch as the rows that it covers, so that a crash never leaves a
    /// token without its rows. The scope, such as "feed", can have any length.
    public func setToken(_ token: [UInt8]?, for scope: String) {
        checkIsOpen()
        if let token {
            rows.cache.put({ $0.tokenKey(scope) }, { $0.raw(token) })
        } else {
            rows.cache.remove { $0.tokenKey(scope) }
        }
    }
}
