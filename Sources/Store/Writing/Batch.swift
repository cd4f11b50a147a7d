public import Models

/// The writes of one commit, all or nothing.
///
/// Given to the closure of ``ChatStore/write(_:)``, and of use in it alone. Reads through a batch see
/// what it has done so far.
///
/// An operation that throws has done nothing, and the batch can go on; or, if the disk failed it in
/// its middle, the batch is not written, and ``ChatStore/write(_:)`` throws the same error.
///
/// What is replaced or discarded need not be readable. Where the count of a channel's messages is
/// damaged, the next operation that changes the channel counts them, with a step for each. Where a
/// gap or a stale range is, the next operation that meets it makes all of the channel's history one
/// gap; opening such a gap meets them all.
public final class Batch: StoreReader {
    let version: Version
    let rows = BatchRows()
    private(set) var entries: [Change.Entry] = []
    var channelChanges: [ChannelRowChange] = []
    /// Numbers that are given next; the writer takes them over if the batch is written.
    var next: NextNumbers
    /// What was given next before the batch.
    private let firstDraft: UInt64
    /// What batches have met, so that it is not read anew for each.
    private var known: Known
    /// The channel that was asked for last, since batches are often of one.
    private var latest: (url: ChannelURL, number: ChannelNumber)?
    private var isOver = false
    /// Whether rows were left under a number that nobody sees.
    private(set) var hasCleared = false
    /// Whether what it does to the cache is on the disk, too, when the write returns.
    package var isDurable = false
    /// Whether a row of a channel was changed that could not be read, so that what was made of all
    /// rows cannot be kept up.
    var hasReplacedUnreadable = false
    /// Why it cannot be written: an operation threw when it had done a part.
    private(set) var failure: StoreError?

    /// What is counted up for the life of a database.
    struct NextNumbers {
        var channel: ChannelNumber
        var draft: UInt64
        /// `nil` until somebody asks.
        var access: UInt64?
        /// Whether the numbers were compared with those that rows have: damage may have lowered them.
        var isChannelCompared = false
        var isDraftCompared = false

        /// Reads where the counting goes on.
        init(in cache: LevelDB, _ outbox: LevelDB) throws(StoreError) {
            channel = try cache.nextNumber() ?? 1
            draft = try outbox.nextNumber() ?? 1
        }
    }

    /// What one batch hands on to the next.
    struct Known {
        /// The states of channels.
        var states: [ChannelNumber: ChannelState] = [:]
        var ids = HeldIDs()

        /// Hands all of it over, so that nobody need copy what is changed.
        mutating func takeAll() -> Self {
            defer { self = Known() }
            return self
        }
    }

    init(_ version: Version, _ next: NextNumbers, _ known: consuming Known) {
        self.version = version
        self.next = next
        firstDraft = next.draft
        self.known = known
        self.known.ids.beginBatch()
    }

    /// What is seen: the store as it will be after the batch.
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

    /// The channels of which it has saved messages.
    package var channelsWithSavedMessages: Set<ChannelURL> {
        var urls: Set<ChannelURL> = []
        for case .savedMessage(let message) in entries.map(\.operation) {
            urls.insert(message.channelURL)
        }
        return urls
    }

    /// Whether anything was ever held of a channel, or noted.
    package func hasNumber(_ url: ChannelURL) throws(StoreError) -> Bool {
        try number(of: url) != nil
    }

    /// Traps where nobody will write what is done to the batch.
    private func checkIsOpen() {
        precondition(!isOver, "A Batch is of use only in the closure that it was given to.")
    }

    /// Tells something in order with what is stored, without storing it.
    public func tell(_ news: Ephemeral, source: CollectionEventSource? = nil) {
        note(.told(news), source)
    }

    /// Calls what may throw in its middle; then the batch is not written.
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

    /// Writes what was counted along the way.
    ///
    /// Nothing can be added afterwards.
    ///
    /// - Throws: What an operation threw that had done a part.
    func finish() throws(StoreError) {
        isOver = true
        if let failure { throw failure }
        for (number, state) in rows.states {
            rows.cache.put({ $0.table(.state, number) }, state.write)
        }
        if next.draft != firstDraft {
            rows.outbox.put({ $0.schemaKey(.nextNumber) }, { $0.integer(next.draft) })
        }
    }

    /// Takes out what the next batch need not read again.
    func takeKnown(isWritten: Bool) -> Known {
        var known = known.takeAll()
        if isWritten { for (number, state) in rows.states { known.states[number] = state } }
        return known
    }
}

// MARK: Channels' numbers and states

extension Batch {
    /// The number of a channel; a new one if nothing was ever stored of it, whose history is one
    /// gap then.
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

    /// Forgets what a batch knows of channels, when all are given up.
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
            throw StoreError(.invalid, "no number is left for another channel", path: cache.path)
        }
        next.channel = number + 1
        rows.cache.put({ $0.schemaKey(.nextNumber) }, { $0.integer(next.channel) })
        setNumber(number, of: url, insteadOf: nil)
        known.ids.noteNew(number)
        rows.cache.put({ $0.nameKey(url) }, { $0.integer(number) })
        rows.cache.put({ $0.table(.url, number) }, { $0.text(url.rawValue) })
        return number
    }

    /// Leaves what is under a number to be removed later, where nobody sees it.
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

    /// Gives a channel another number, under which nothing is held of it but the channel itself.
    func renumber(_ url: ChannelURL, from old: ChannelNumber) throws(StoreError) -> ChannelNumber {
        var state = try readableState(of: old) ?? ChannelState()
        let channel = try storedChannel(url, old)
        let tombstones = try readableTombstones(of: url, old)
        try giveUp(old, of: url)
        let number = try giveNumber(to: url)
        // A page that was asked for before a deletion may still come.
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

    /// The state of a channel; one that is damaged is made anew.
    func state(of number: ChannelNumber) throws(StoreError) -> ChannelState {
        if let state = try readableState(of: number) { return state }
        var state = ChannelState()
        // As they were before the batch, since each operation counts what it does.
        let stored = Rows(snapshot: version.cache)
        state.messageCount = Int64(
            try stored.count(KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })))
        putState(state, number)
        loseCount()
        return state
    }

    /// The state of a channel; `nil` if it is damaged.
    private func readableState(of number: ChannelNumber) throws(StoreError) -> ChannelState? {
        if let state = rows.states[number] ?? known.states[number] { return state }
        let state = try cache.readableState(of: number)
        known.states[number] = state
        return state
    }

    /// Forgets how many messages there are in all.
    private func loseCount() {
        hasReplacedUnreadable = true
        rows.hasLostCount = true
    }

    func putState(_ state: ChannelState, _ number: ChannelNumber) {
        rows.states[number] = state
    }

    func count(_ difference: Int64, in number: ChannelNumber) throws(StoreError) {
        var state = try state(of: number)
        // Never negative, whatever the disk said.
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
                .invalid, "\(what) has \(text.utf8.count) bytes, at most \(Limits.nameSize) fit",
                path: cache.path)
        }
    }
}

// MARK: Messages' ids

extension Batch {
    /// Whether a message may be held under an id as of the commit that the batch builds on.
    func mayHold(_ id: MessageID, in number: ChannelNumber) -> Bool {
        known.ids.mayHold(id, in: number)
    }

    /// Notes that the batch puts a message under an id, and whether that had to be looked for.
    func notePut(_ id: MessageID, in number: ChannelNumber, wasLookedFor: Bool) {
        known.ids.notePut(
            id, in: number, wasLookedFor: wasLookedFor, stored: Rows(snapshot: version.cache))
    }
}

// MARK: Smaller tables

extension Batch {
    /// Saves a user, instead of what was there under the id.
    ///
    /// - Throws: ``StoreError`` with code `invalid` if the user has no id, or one that is longer than
    ///   65,535 bytes.
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
    /// One that cannot be decoded can be removed too.
    ///
    /// - Returns: Whether they were there.
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
    /// Written with what it stands for in one batch, a token never promises rows that are not there.
    ///
    /// - Parameters:
    ///   - token: The token, or `nil`.
    ///   - scope: What the token is for, such as "feed"; of any length.
    public func setToken(_ token: [UInt8]?, for scope: String) {
        checkIsOpen()
        if let token {
            rows.cache.put({ $0.tokenKey(scope) }, { $0.raw(token) })
        } else {
            rows.cache.remove { $0.tokenKey(scope) }
        }
    }
}
