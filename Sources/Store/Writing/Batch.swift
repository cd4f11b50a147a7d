public import Models

/// The writes of one commit, all or nothing.
///
/// Given to the closure of ``ChatStore/write(_:)``, and of use in it alone. Reads through a batch see
/// what it has done so far. An operation that throws has done nothing.
public final class Batch: StoreReader {
    let version: Version
    let rows = BatchRows()
    private(set) var entries: [Change.Entry] = []
    var channelChanges: [ChannelRowChange] = []
    /// Numbers that are given next; the writer takes them over if the batch is written.
    var next: NextNumbers
    /// What was read of channels before, by whichever batch.
    private let knownStates: KnownStates
    /// The states that the batch changes.
    private(set) var states: [ChannelNumber: ChannelState] = [:]
    /// Those that are not in the rows yet: many messages of a channel are counted in one row.
    private var unwrittenStates: Set<ChannelNumber> = []
    /// The channel that was asked for last, since batches are often of one.
    private var latest: (url: ChannelURL, number: ChannelNumber)?
    private var isOver = false
    /// Whether rows were left under a number that nobody sees.
    private(set) var hasCleared = false
    /// How many messages there are more than before, or fewer.
    private(set) var addedMessages = 0

    /// What is counted up for the life of a database.
    struct NextNumbers {
        var channel: ChannelNumber
        var draft: UInt64
        /// `nil` until somebody asks.
        var access: UInt64?
    }

    init(_ version: Version, _ next: NextNumbers, _ knownStates: KnownStates) {
        self.version = version
        self.next = next
        self.knownStates = knownStates
    }

    /// What is seen: the store as it will be after the batch.
    public var view: StoreView {
        checkIsOpen()
        writeStates()
        return StoreView(version: version, batch: rows)
    }

    var cache: Rows { Rows(snapshot: version.cache, overlay: rows.cache) }
    var outbox: Rows { Rows(snapshot: version.outbox, overlay: rows.outbox) }

    func note(_ operation: Change.Operation, _ source: CollectionEventSource? = nil) {
        checkIsOpen()
        entries.append(Change.Entry(operation: operation, source: source))
    }

    /// Traps where nobody will write what is done to the batch.
    private func checkIsOpen() {
        precondition(!isOver, "A Batch is of use only in the closure that it was given to.")
    }

    /// Tells something in order with what is stored, without storing it.
    public func tell(_ news: Ephemeral, source: CollectionEventSource? = nil) {
        note(.told(news), source)
    }

    /// Writes what was counted along the way. Nothing can be added afterwards.
    func finish() {
        isOver = true
        writeStates()
    }

    private func writeStates() {
        if unwrittenStates.isEmpty { return }
        for number in unwrittenStates {
            guard let state = states[number] else { continue }
            rows.cache.put({ $0.table(.state, number) }, state.write)
        }
        unwrittenStates = []
    }
}

// MARK: Channels' numbers and states

extension Batch {
    /// The number of a channel; a new one if nothing was ever stored of it, whose history is one
    /// gap then.
    func number(giving url: ChannelURL) throws(StoreError) -> ChannelNumber {
        if let number = try number(of: url) { return number }
        try checkURL(url)
        let number = giveNumber(to: url)
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

    private func setNumber(
        _ number: ChannelNumber?, of url: ChannelURL, insteadOf old: ChannelNumber?
    ) {
        latest = nil
        rows.numbers[url, default: BatchRows.Numbering(number: nil, old: old)].number = number
    }

    private func giveNumber(to url: ChannelURL) -> ChannelNumber {
        let number = next.channel
        next.channel += 1
        rows.cache.put({ $0.schemaKey(.nextNumber) }, { $0.integer(next.channel) })
        setNumber(number, of: url, insteadOf: nil)
        rows.cache.put({ $0.nameKey(url) }, { $0.integer(number) })
        rows.cache.put({ $0.table(.url, number) }, { $0.text(url.rawValue) })
        return number
    }

    /// Leaves what is under a number to be removed later, where nobody sees it.
    func giveUp(_ number: ChannelNumber, of url: ChannelURL) throws(StoreError) {
        addedMessages -= Int(try state(of: number).messageCount)
        setNumber(nil, of: url, insteadOf: number)
        states[number] = nil
        rows.cache.remove { $0.nameKey(url) }
        rows.cache.giveUp(number)
        hasCleared = true
    }

    /// Gives a channel another number, under which nothing is held of it but the channel itself.
    func renumber(_ url: ChannelURL, from old: ChannelNumber) throws(StoreError) -> ChannelNumber {
        var state = try state(of: old)
        let channel = try storedChannel(url, old)
        try giveUp(old, of: url)
        let number = giveNumber(to: url)
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
        if let state = states[number] ?? knownStates[number] { return state }
        let state = try cache.state(of: number) ?? ChannelState()
        knownStates[number] = state
        return state
    }

    func putState(_ state: ChannelState, _ number: ChannelNumber) {
        states[number] = state
        unwrittenStates.insert(number)
    }

    func count(_ difference: Int64, in number: ChannelNumber) throws(StoreError) {
        var state = try state(of: number)
        state.messageCount += difference
        addedMessages += Int(difference)
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

// MARK: Smaller tables

extension Batch {
    /// Saves a user, instead of what was there under the id.
    ///
    /// - Throws: `invalid` if the user has no id.
    public func save(_ user: User, source: CollectionEventSource? = nil) throws(StoreError) {
        guard !user.userID.rawValue.isEmpty else {
            throw StoreError(.invalid, "the user has no id", path: cache.path)
        }
        rows.cache.put(
            { $0.userKey(user.userID) }, { writer in user.withSerializedBytes { writer.raw($0) } })
        note(.savedUser(user), source)
    }

    /// Saves a token, or removes it if it is `nil`.
    ///
    /// Written with what it stands for in one batch, a token never promises rows that are not there.
    ///
    /// - Parameters:
    ///   - scope: What the token is for, such as "feed".
    public func setToken(_ token: [UInt8]?, for scope: String) {
        checkIsOpen()
        if let token {
            rows.cache.put({ $0.tokenKey(scope) }, { $0.raw(token) })
        } else {
            rows.cache.remove { $0.tokenKey(scope) }
        }
    }

    /// Remembers that a message was deleted, so that it does not come back.
    public func save(_ tombstone: Tombstone) throws(StoreError) {
        let number = try number(giving: tombstone.channelURL)
        rows.cache.put(
            { $0.tombstoneKey(number, tombstone.messageID) }, tombstone.writeValue)
    }

    /// Forgets that a message was deleted.
    public func removeTombstone(
        of id: MessageID, in url: ChannelURL
    ) throws(StoreError) {
        guard let number = try number(of: url) else { return }
        rows.cache.remove { $0.tombstoneKey(number, id) }
    }
}
