public import Models

/// The writes of one commit, which is atomic.
///
/// A batch is passed to the closure of ``ChatStore/write(_:)``, and is valid only within it. Reads
/// through a batch see its own writes.
///
/// An operation that throws has no effect, and the batch can be used further. The exception is a
/// disk error in the middle of an operation: then the batch is not written, and
/// ``ChatStore/write(_:)`` throws the same error.
///
/// Rows that are replaced or discarded need not be readable. If the message count of a channel is
/// damaged, the next operation that changes the channel counts its messages, in one step for each.
/// If a gap or a stale range is damaged, the next operation that reads it makes all of the
/// channel's history one gap; opening such a gap reads all of them.
public final class Batch: StoreReader {
    let version: CommittedState
    let rows = BatchRows()
    private(set) var entries: [Change.Entry] = []
    var channelChanges: [ChannelRowChange] = []
    /// The numbers that are assigned next; the writer adopts them if the batch is written.
    var next: NextNumbers
    /// The number of the next outbox item before the batch.
    private let firstOutboxItem: UInt64
    /// The state that batches have read, kept for the batches that follow.
    private var known: Known
    /// The channel that was looked up last, because a batch often writes to one channel.
    private var latest: (url: ChannelURL, number: ChannelNumber)?
    private var isOver = false
    /// A Boolean value that indicates whether rows remain under a number that is no longer visible.
    private(set) var hasCleared = false
    /// A Boolean value that indicates whether the changes to the cache, too, are on disk when the
    /// write returns.
    package var isDurable = false
    /// A Boolean value that indicates whether a changed channel row was unreadable, so that values
    /// derived from all rows cannot be maintained.
    var hasReplacedUnreadable = false
    /// The reason why the batch cannot be written: an operation threw after it had written a part.
    private(set) var failure: StoreError?

    /// The counters that increase for the life of a database.
    struct NextNumbers {
        var channel: ChannelNumber
        var item: UInt64
        /// The next access number, or `nil` until it is requested.
        var access: UInt64?
        /// A Boolean value that indicates whether the numbers were compared with those that rows
        /// have: damage may have lowered them.
        var isChannelCompared = false
        var isOutboxItemCompared = false

        /// Reads the next numbers.
        init(in cache: LevelDB, _ outbox: LevelDB) throws(StoreError) {
            channel = try cache.nextNumber() ?? 1
            item = try outbox.nextNumber() ?? 1
        }
    }

    /// The state that one batch passes on to the next.
    struct Known {
        /// The states of channels.
        var states: [ChannelNumber: ChannelState] = [:]
        var ids = HeldIDs()

        /// Moves the state out, so that later changes do not copy it.
        mutating func takeAll() -> Self {
            defer { self = Known() }
            return self
        }
    }

    init(_ version: CommittedState, _ next: NextNumbers, _ known: consuming Known) {
        self.version = version
        self.next = next
        firstOutboxItem = next.item
        self.known = known
        self.known.ids.beginBatch()
    }

    /// The view of the store as it will be after the batch.
    public var view: StoreView {
        checkIsOpen()
        return StoreView(version: version, batch: rows)
    }

    var cache: Rows { Rows(snapshot: version.cache, overlay: rows.cache, counted: rows) }
    var outbox: Rows { Rows(snapshot: version.outbox, overlay: rows.outbox) }

    func note(
        _ operation: Change.Operation, _ source: CollectionEventSource? = nil,
        _ people: EventPeople? = nil
    ) {
        checkIsOpen()
        entries.append(Change.Entry(operation: operation, source: source, people: people))
    }

    /// The channels in which the batch has saved messages.
    package var channelsWithSavedMessages: Set<ChannelURL> {
        var urls: Set<ChannelURL> = []
        for case .savedMessage(let message) in entries.map(\.operation) {
            urls.insert(message.channelURL)
        }
        return urls
    }

    /// Returns a Boolean value that indicates whether anything was ever stored or noted of a
    /// channel.
    package func hasNumber(_ url: ChannelURL) throws(StoreError) -> Bool {
        try number(of: url) != nil
    }

    /// Traps if the batch is used after it was written.
    private func checkIsOpen() {
        precondition(!isOver, "A Batch is of use only in the closure that it was given to.")
    }

    /// Delivers an ephemeral event in order with the stored changes, without storing it.
    public func emit(_ event: Ephemeral, source: CollectionEventSource? = nil) {
        note(.ephemeral(event), source)
    }

    /// Calls an operation that may throw after it has written a part; if it does, the batch is not
    /// written.
    @inline(__always)
    func whole<Result>(
        _ operation: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let before = rows.cache.entryCount
        do throws(StoreError) {
            return try operation()
        } catch {
            if rows.cache.entryCount != before { failure = failure ?? error }
            throw error
        }
    }

    /// Writes the values that were counted during the batch.
    ///
    /// Nothing can be added afterwards.
    ///
    /// - Throws: The error of an operation that had written a part.
    func finish() throws(StoreError) {
        isOver = true
        if let failure { throw failure }
        for (number, state) in rows.states {
            rows.cache.put({ $0.table(.state, number) }, state.write)
        }
        if next.item != firstOutboxItem {
            rows.outbox.put({ $0.schemaKey(.nextNumber) }, { $0.integer(next.item) })
        }
    }

    /// Takes out the state that the next batch need not read again.
    func takeKnown(isWritten: Bool) -> Known {
        var known = known.takeAll()
        if isWritten { for (number, state) in rows.states { known.states[number] = state } }
        return known
    }
}

// MARK: Channels' numbers and states

extension Batch {
    /// Returns the number of a channel.
    ///
    /// If nothing was ever stored of the channel, assigns a new number, and makes its history one
    /// gap.
    func number(giving url: ChannelURL) throws(StoreError) -> ChannelNumber {
        if let number = try number(of: url) { return number }
        try checkURL(url)
        let number = try giveNumber(to: url)
        putState(ChannelState(), number)
        try putGap(Gap(in: url), number)
        return number
    }

    func number(of url: ChannelURL) throws(StoreError) -> ChannelNumber? {
        checkIsOpen()
        if let latest, latest.url == url { return latest.number }
        let number = try StoreView(version: version, batch: rows).number(of: url)
        latest = number.map { (url, $0) }
        return number
    }

    /// Discards what the batch holds about channels, after all channels were removed.
    func forgetChannels() {
        latest = nil
        known.states = [:]
        rows.states = [:]
        loseCount()
    }

    func setNumber(
        _ number: ChannelNumber?, of url: ChannelURL, insteadOf old: ChannelNumber?
    ) {
        latest = nil
        rows.numbers[url, default: BatchRows.Numbering(number: nil, old: old)].number = number
    }

    private func giveNumber(to url: ChannelURL) throws(StoreError) -> ChannelNumber {
        if !next.isChannelCompared {
            next.channel = max(next.channel, try cache.greatestNumber() + 1)
            next.isChannelCompared = true
        }
        let number = next.channel
        guard number < .max else {
            throw StoreError(.invalid, "the store has no channel number left", path: cache.path)
        }
        next.channel = number + 1
        rows.cache.put({ $0.schemaKey(.nextNumber) }, { $0.integer(next.channel) })
        setNumber(number, of: url, insteadOf: nil)
        known.ids.recordNew(number)
        rows.cache.put({ $0.nameKey(url) }, { $0.integer(number) })
        rows.cache.put({ $0.table(.url, number) }, { $0.text(url.rawValue) })
        return number
    }

    /// Gives up a number, whose rows are then invisible and are removed later.
    func giveUp(_ number: ChannelNumber, of url: ChannelURL) throws(StoreError) {
        if let state = try readableState(of: number) {
            rows.addedMessages -= Int(state.messageCount)
        } else {
            loseCount()
        }
        setNumber(nil, of: url, insteadOf: number)
        rows.cache.remove { $0.nameKey(url) }
        giveUp(number)
    }

    func giveUp(_ number: ChannelNumber) {
        rows.states[number] = nil
        known.states[number] = nil
        rows.cache.giveUp(number)
        hasCleared = true
    }

    /// Gives a channel another number, under which only the channel itself and its tombstones are
    /// stored.
    func renumber(_ url: ChannelURL, from old: ChannelNumber) throws(StoreError) -> ChannelNumber {
        var state = try readableState(of: old) ?? ChannelState()
        let channel = try storedChannel(url, old)
        let tombstones = try readableTombstones(of: url, old)
        try giveUp(old, of: url)
        let number = try giveNumber(to: url)
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

    /// Returns the state of a channel, and rebuilds it if it is damaged.
    func state(of number: ChannelNumber) throws(StoreError) -> ChannelState {
        if let state = try readableState(of: number) { return state }
        var state = ChannelState()
        // The messages as they were before the batch, because each operation counts its own
        // changes.
        let stored = Rows(snapshot: version.cache)
        state.messageCount = Int64(
            try stored.count(KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })))
        putState(state, number)
        loseCount()
        return state
    }

    /// Returns the state of a channel, or `nil` if it is damaged.
    private func readableState(of number: ChannelNumber) throws(StoreError) -> ChannelState? {
        if let state = rows.states[number] ?? known.states[number] { return state }
        let state = try cache.readableState(of: number)
        known.states[number] = state
        return state
    }

    /// Discards the number of messages of all channels.
    private func loseCount() {
        hasReplacedUnreadable = true
        rows.hasLostCount = true
    }

    func putState(_ state: ChannelState, _ number: ChannelNumber) {
        rows.states[number] = state
    }

    func count(_ difference: Int64, in number: ChannelNumber) throws(StoreError) {
        var state = try state(of: number)
        // The count is never negative, even if the stored one was damaged.
        state.messageCount = max(0, state.messageCount &+ difference)
        rows.addedMessages += Int(difference)
        putState(state, number)
    }

    func checkURL(_ url: ChannelURL) throws(StoreError) {
        guard !url.rawValue.isEmpty else {
            throw StoreError(.invalid, "the channel has no URL", path: cache.path)
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
    /// Returns a Boolean value that indicates whether a message with an ID may exist in the commit
    /// on which the batch is based.
    func mayHold(_ id: MessageID, in number: ChannelNumber) -> Bool {
        known.ids.mayHold(id, in: number)
    }

    /// Notes that the batch stores a message under an ID, and whether that required a lookup.
    func recordPut(_ id: MessageID, in number: ChannelNumber, wasLookedFor: Bool) {
        known.ids.recordPut(
            id, in: number, wasLookedFor: wasLookedFor, stored: Rows(snapshot: version.cache))
    }
}

// MARK: Smaller tables

extension Batch {
    /// Saves a user, and replaces the one stored under the same ID.
    ///
    /// - Throws: ``StoreError`` with code `invalid` if the user has no ID, or one that is longer
    ///   than 65,535 bytes.
    public func save(_ user: User, source: CollectionEventSource? = nil) throws(StoreError) {
        guard !user.userID.rawValue.isEmpty else {
            throw StoreError(.invalid, "the user has no id", path: cache.path)
        }
        try checkName(user.userID.rawValue, "the id of a user")
        rows.cache.put(
            { $0.userKey(user.userID) }, { writer in user.withSerializedBytes { writer.raw($0) } })
        note(.savedUser(user), source)
    }

    /// Removes a user.
    ///
    /// A user that cannot be decoded can be removed too.
    ///
    /// - Returns: A Boolean value that indicates whether the user was stored.
    /// - Throws: ``StoreError`` with code `closed`, `io` or `corruption`.
    /// - Complexity: One lookup.
    @discardableResult
    public func removeUser(
        _ id: UserID, source: CollectionEventSource? = nil
    ) throws(StoreError) -> Bool {
        let key = ByteWriter.key { $0.userKey(id) }
        guard try cache.contains(key) else { return false }
        rows.cache.remove { $0.raw(key) }
        note(.removedUser(id), source)
        return true
    }

    /// Saves a token, or removes it if it is `nil`.
    ///
    /// Written in one batch with the rows that it covers, a token never promises missing rows.
    ///
    /// - Parameters:
    ///   - token: The token, or `nil`.
    ///   - scope: The purpose of the token, such as "feed"; of any length.
    public func setToken(_ token: [UInt8]?, for scope: String) {
        checkIsOpen()
        if let token {
            rows.cache.put({ $0.tokenKey(scope) }, { $0.raw(token) })
        } else {
            rows.cache.remove { $0.tokenKey(scope) }
        }
    }
}
