import Models
import Store

/// The state and the operations of the server, without concurrency.
///
/// Users, channels and members are in memory and in rows of the database; messages, the log and
/// files are only in rows. ``perform(_:)`` changes memory and rows together.
final class ServerState {
    let database: ServerDatabase
    let now: @Sendable () -> Timestamp
    let seed: UInt64

    var conditions = ServerConditions()
    var counters = ServerCounters()
    var accounts: [UserID: Account] = [:]
    var reports: [FiledReport] = []
    /// The polls without current counts, which are in the messages.
    var polls: [Int64: Poll] = [:]
    /// The chosen options, by poll and user.
    var votes: [Int64: [UserID: [Int64]]] = [:]
    var channels: [ChannelNumber: ServerChannel] = [:]
    var numbers: [ChannelURL: ChannelNumber] = [:]
    var distinct: [String: ChannelNumber] = [:]
    /// The connected devices, by client number.
    var sessions: [Int: Session] = [:]
    var nextClient = 1
    /// The order of the channel list that was read last, until all of its parts are read.
    var newestOrder: (userID: UserID, sequence: LogSequence, cursors: [ChannelListCursor])?
    /// The number of connections and waits so far.
    private var numbersGiven = 0
    var isClosed = false
    /// `true` if the state in memory may differ from the rows.
    private var needsLoading = false

    /// The channels, users and clients whose feeds the request affects.
    var touched = Touched()

    init(
        _ database: ServerDatabase, seed: UInt64 = 0, now: @escaping @Sendable () -> Timestamp
    ) throws(BackendError) {
        self.database = database
        self.seed = seed
        self.now = now
        try load()
        if counters.epoch == 0 { try begin() }
    }

    private func begin() throws(BackendError) {
        counters.epoch = newEpoch(0)
        database.put(ServerCounters.key, counters.write)
        try database.commit()
    }

    func perform<Result>(
        _ body: () throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        if isClosed { throw BackendError(.notConnected, "the embedded server was closed") }
        try database.reopenIfNeeded()
        // A failed request may have left changes in memory.
        if needsLoading { try load() }
        do {
            let result = try body()
            if !database.isClean { database.put(ServerCounters.key, counters.write) }
            try database.commit()
            wake()
            return result
        } catch {
            // Live events are neither in the database nor rolled back.
            touched = Touched(clients: touched.clients)
            wake()
            if !database.isClean || error.code == .serverFailure {
                database.discard()
                try load()
            }
            throw error
        }
    }

    func newNumber() -> Int {
        numbersGiven += 1
        return numbersGiven
    }

    var epoch: ServerEpoch { ServerEpoch(String(counters.epoch)) }
}

// MARK: Loading

extension ServerState {
    /// Loads the state from the rows; after an error, the next request does so.
    func load() throws(BackendError) {
        needsLoading = true
        // If loading fails, the state stays unchanged.
        let counters =
            try database.value("the counters", ServerCounters.key) {
                (reader) throws(ByteReader.Damage) in try ServerCounters(&reader)
            } ?? ServerCounters()
        let accounts = try loadAccounts()
        let channels = try loadChannels()
        try loadMembers(of: channels, accounts)
        try loadRestrictions(in: channels)
        try loadOffsets(in: channels)
        try loadBlocks(of: accounts)
        let reports = try loadReports()
        let polls = try loadPolls()
        let votes = try loadVotes()
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
        self.reports = reports
        self.polls = polls
        self.votes = votes
        needsLoading = false
    }

    private func loadAccounts() throws(BackendError) -> [UserID: Account] {
        var accounts: [UserID: Account] = [:]
        try scanAll(.user, "a user") { (_, value) throws(ByteReader.Damage) in
            let account = try Account(&value)
            accounts[account.userID] = account
        }
        return accounts
    }

    private func loadChannels() throws(BackendError) -> [ChannelNumber: ServerChannel] {
        var channels: [ChannelNumber: ServerChannel] = [:]
        try scanAll(.channel, "a channel") { (key, value) throws(ByteReader.Damage) in
            let number = try key.integer(ChannelNumber.self)
            channels[number] = try ServerChannel(number, &value)
        }
        return channels
    }

    private func loadMembers(
        of channels: [ChannelNumber: ServerChannel], _ accounts: [UserID: Account]
    ) throws(BackendError) {
        try scanAll(.member, "a member") { (key, value) throws(ByteReader.Damage) in
            let number = try key.integer(ChannelNumber.self)
            let userID = UserID(try key.text())
            let membership = try Membership(&value)
            guard let channel = channels[number] else { return }
            channel.members[userID] = membership
            channel.floor = max(channel.floor, membership.messageOffset ?? .distantPast)
            accounts[userID]?.channels.insert(number)
        }
    }

    private func loadRestrictions(
        in channels: [ChannelNumber: ServerChannel]
    ) throws(BackendError) {
        try scanAll(.restriction, "a restriction") { (key, value) throws(ByteReader.Damage) in
            let number = try key.integer(ChannelNumber.self)
            let type: RestrictionType = try key.byte() == 0 ? .muted : .banned
            let userID = UserID(try key.text())
            channels[number]?.restrictions[type, default: [:]][userID] = try Restriction(&value)
        }
    }

    private func loadBlocks(of accounts: [UserID: Account]) throws(BackendError) {
        try scanAll(.block, "a block") { (key, _) throws(ByteReader.Damage) in
            let userID = UserID(try key.measured())
            accounts[userID]?.blocked.insert(UserID(try key.text()))
        }
    }

    private func loadPolls() throws(BackendError) -> [Int64: Poll] {
        var polls: [Int64: Poll] = [:]
        try scanAll(.poll, "a poll") { (_, value) throws(ByteReader.Damage) in
            let poll: Poll = try value.record("a poll")
            polls[poll.id] = poll
        }
        return polls
    }

    private func loadVotes() throws(BackendError) -> [Int64: [UserID: [Int64]]] {
        var votes: [Int64: [UserID: [Int64]]] = [:]
        try scanAll(.vote, "a vote") { (key, value) throws(ByteReader.Damage) in
            let id = Int64(bitPattern: try key.integer(UInt64.self))
            let userID = UserID(try key.text())
            while !value.isAtEnd {
                let option = Int64(bitPattern: try value.integer(UInt64.self))
                votes[id, default: [:]][userID, default: []].append(option)
            }
        }
        return votes
    }

    private func loadReports() throws(BackendError) -> [FiledReport] {
        var reports: [FiledReport] = []
        try scanAll(.report, "a report") { (_, value) throws(ByteReader.Damage) in
            reports.append(try FiledReport(&value))
        }
        return reports
    }

    private func loadOffsets(
        in channels: [ChannelNumber: ServerChannel]
    ) throws(BackendError) {
        try scanAll(.offset, "the history of a former member") {
            (key, value) throws(ByteReader.Damage) in
            let number = try key.integer(ChannelNumber.self)
            let userID = UserID(try key.text())
            let offset = try value.timestamp()
            guard let channel = channels[number] else { return }
            channel.offsets[userID] = offset
            channel.floor = max(channel.floor, offset)
        }
    }

    /// Calls a closure with each row's key, without the table's letter, and value.
    private func scanAll(
        _ table: ServerTable, _ what: String,
        _ body: (inout ByteReader, inout ByteReader) throws(ByteReader.Damage) -> Void
    ) throws(BackendError) {
        try database.read { (rows) throws(StoreError) in
            try rows.scan(KeyRange(prefix: [table.rawValue])) { (key, value) throws(StoreError) in
                try rows.decode(value, as: what) { (value) throws(ByteReader.Damage) in
                    var key = ByteReader(key.dropping(1))
                    try body(&key, &value)
                }
                return true
            }
        }
    }
}

// MARK: Storing the in-memory state

extension ServerState {
    func store(_ account: Account) {
        database.put({ $0.user(account.userID) }, account.write)
    }

    func store(_ channel: ServerChannel) {
        database.put({ $0.channel(channel.number) }, channel.write)
    }

    func storeMember(_ userID: UserID, of channel: ServerChannel) {
        guard let membership = channel.members[userID] else {
            return database.remove { $0.member(channel.number, userID) }
        }
        database.put({ $0.member(channel.number, userID) }, membership.write)
    }
}
