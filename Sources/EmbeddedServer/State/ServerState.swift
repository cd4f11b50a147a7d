import Models
import Store

/// The whole server, without any concurrency: what the requests of its users do, one after the other.
///
/// Each method names the user who asks. What is small lies in memory (users, channels, members); what
/// is large, in rows (messages, the log, files). A request changes both, and ends in ``perform(_:)``.
final class ServerState {
    let database: ServerDatabase
    let now: @Sendable () -> Timestamp
    let seed: UInt64

    var conditions = ServerConditions()
    var counters = ServerCounters()
    var accounts: [UserID: Account] = [:]
    var channels: [ChannelNumber: ServerChannel] = [:]
    var numbers: [ChannelURL: ChannelNumber] = [:]
    var distinct: [String: ChannelNumber] = [:]
    /// The devices that are connected, by their clients' numbers.
    var sessions: [Int: Session] = [:]
    var nextClient = 1
    /// Grows with each connection and each wait, so that no two of either are taken for one.
    private var numbersGiven = 0
    var isClosed = false
    /// Whether what lies in memory may not be what the rows say, until it is read again.
    private var needsLoading = false

    /// Whom the request at hand concerns, so that their feeds go on.
    var touched = Touched()

    /// Opens the server in a database, or starts one.
    ///
    /// - Throws: `serverFailure` if the rows cannot be read, or the first one cannot be written.
    init(
        _ database: ServerDatabase, seed: UInt64 = 0, now: @escaping @Sendable () -> Timestamp
    ) throws(BackendError) {
        self.database = database
        self.seed = seed
        self.now = now
        try load()
        if counters.epoch == 0 { try begin() }
    }

    /// Gives a new server an epoch that clients of another one have not seen, and that stays.
    private func begin() throws(BackendError) {
        counters.epoch = newEpoch(0)
        database.put(ServerCounters.key, counters.write)
        try database.commit()
    }

    /// Does a request: all of it, or nothing.
    func perform<Result>(
        _ body: () throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        if isClosed { throw BackendError(.notConnected, "the server was closed before") }
        try database.reopenIfNeeded()
        // Nothing is built on what an earlier request left half done.
        if needsLoading { try load() }
        do {
            let result = try body()
            if !database.isClean { database.put(ServerCounters.key, counters.write) }
            try database.commit()
            wake()
            return result
        } catch {
            // What is told live is not taken back.
            touched = Touched(clients: touched.clients)
            wake()
            if !database.isClean || error.code == .serverFailure {
                // What is in memory may be ahead of what was written.
                database.discard()
                try load()
            }
            throw error
        }
    }

    /// A number for a connection or a wait.
    func newNumber() -> Int {
        numbersGiven += 1
        return numbersGiven
    }

    var epoch: ServerEpoch { ServerEpoch(String(counters.epoch)) }
}

// MARK: Loading

extension ServerState {
    /// Reads what lies in memory from the rows.
    ///
    /// - Throws: `serverFailure`; then the next request reads them before all else.
    func load() throws(BackendError) {
        needsLoading = true
        // What cannot be read as a whole changes nothing here.
        let counters =
            try database.value("the counters", ServerCounters.key) {
                (reader) throws(ByteReader.Damage) in try ServerCounters(&reader)
            } ?? ServerCounters()
        let accounts = try loadAccounts()
        let channels = try loadChannels()
        try loadMembers(of: channels, accounts)
        try loadRestrictions(in: channels)
        try loadOffsets(in: channels)
        numbers = [:]
        distinct = [:]
        for (number, channel) in channels {
            numbers[channel.url] = number
            if !channel.distinctKey.isEmpty { distinct[channel.distinctKey] = number }
            channel.participants = self.channels[number]?.participants ?? [:]
            channel.typing = self.channels[number]?.typing ?? []
        }
        self.counters = counters
        self.accounts = accounts
        self.channels = channels
        needsLoading = false
    }

    private func loadAccounts() throws(BackendError) -> [UserID: Account] {
        var accounts: [UserID: Account] = [:]
        try scanAll(.user) { (_, rows, value) throws(StoreError) in
            let account = try rows.decode(value, as: "a user") {
                (reader) throws(ByteReader.Damage) in try Account(&reader)
            }
            accounts[account.userID] = account
        }
        return accounts
    }

    private func loadChannels() throws(BackendError) -> [ChannelNumber: ServerChannel] {
        var channels: [ChannelNumber: ServerChannel] = [:]
        try scanAll(.channel) { (key, rows, value) throws(StoreError) in
            let number = try rows.decode(key, as: "a channel's key") {
                (reader) throws(ByteReader.Damage) in try reader.integer(ChannelNumber.self)
            }
            channels[number] = try rows.decode(value, as: "channel \(number)") {
                (reader) throws(ByteReader.Damage) in try ServerChannel(number, &reader)
            }
        }
        return channels
    }

    private func loadMembers(
        of channels: [ChannelNumber: ServerChannel], _ accounts: [UserID: Account]
    ) throws(BackendError) {
        try scanAll(.member) { (key, rows, value) throws(StoreError) in
            let (number, userID) = try rows.decode(key, as: "a member's key") {
                (reader) throws(ByteReader.Damage) in
                let number = try reader.integer(ChannelNumber.self)
                return (number, UserID(try reader.text()))
            }
            let membership = try rows.decode(value, as: "member \(userID) of \(number)") {
                (reader) throws(ByteReader.Damage) in try Membership(&reader)
            }
            guard let channel = channels[number] else { return }
            channel.members[userID] = membership
            channel.floor = max(channel.floor, membership.messageOffset ?? .distantPast)
            accounts[userID]?.channels.insert(number)
        }
    }

    private func loadRestrictions(
        in channels: [ChannelNumber: ServerChannel]
    ) throws(BackendError) {
        try scanAll(.restriction) { (key, rows, value) throws(StoreError) in
            let (number, type, userID) = try rows.decode(key, as: "a restriction's key") {
                (reader) throws(ByteReader.Damage) in
                let number = try reader.integer(ChannelNumber.self)
                let type: RestrictionType = try reader.byte() == 0 ? .muted : .banned
                return (number, type, UserID(try reader.text()))
            }
            let restriction = try rows.decode(value, as: "the restriction of \(userID)") {
                (reader) throws(ByteReader.Damage) in try Restriction(&reader)
            }
            channels[number]?.restrictions[type, default: [:]][userID] = restriction
        }
    }

    private func loadOffsets(
        in channels: [ChannelNumber: ServerChannel]
    ) throws(BackendError) {
        try scanAll(.offset) { (key, rows, value) throws(StoreError) in
            let (number, userID) = try rows.decode(key, as: "the key of who left") {
                (reader) throws(ByteReader.Damage) in
                let number = try reader.integer(ChannelNumber.self)
                return (number, UserID(try reader.text()))
            }
            let offset = try rows.decode(value, as: "where the history of \(userID) begins") {
                (reader) throws(ByteReader.Damage) in try reader.timestamp()
            }
            guard let channel = channels[number] else { return }
            channel.offsets[userID] = offset
            channel.floor = max(channel.floor, offset)
        }
    }

    /// Lends each row of a table: what follows the letter in its key, and the value.
    private func scanAll(
        _ table: ServerTable,
        _ body: (UnsafeRawBufferPointer, Rows, UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(BackendError) {
        try database.read { (rows) throws(StoreError) in
            try rows.scan(KeyRange(prefix: [table.rawValue])) { (key, value) throws(StoreError) in
                try body(key.dropping(1), rows, value)
                return true
            }
        }
    }
}

// MARK: Storing what lies in memory

extension ServerState {
    func store(_ account: Account) {
        database.put({ $0.user(account.userID) }, account.write)
    }

    func store(_ channel: ServerChannel) {
        channel.shared = nil
        database.put({ $0.channel(channel.number) }, channel.write)
    }

    /// Writes what is known of a member; nothing, if the user is none any more.
    func storeMember(_ userID: UserID, of channel: ServerChannel) {
        guard let membership = channel.members[userID] else {
            return database.remove { $0.member(channel.number, userID) }
        }
        database.put({ $0.member(channel.number, userID) }, membership.write)
    }
}
