import Models

extension LevelDB {
    /// Purges rows of channel numbers that are no longer in use.
    ///
    /// The first call reads these numbers from the disk, and later calls use the numbers in memory.
    /// Each call continues at the key where the previous call stopped. If each call started at the
    /// beginning, LevelDB would have to skip one by one all removed rows that are still in its
    /// tables.
    ///
    /// - Parameter limit: The maximum number of removed rows and scanned tables.
    /// - Returns: A Boolean value that indicates whether rows may remain.
    /// - Throws: Errors of the disk, in which case nothing was removed.
    func purgeCleared(atMost limit: Int) throws(StoreError) -> Bool {
        var purge = purge
        let rows = Rows(snapshot: try snapshot())
        let removals = Overlay()
        if !purge.isRead { purge.begin(with: try rows.clearedNumbers()) }
        purge.putStop(into: removals)
        try purge.run(rows, removals, atMost: limit)
        if !removals.isEmpty { try write(removals, isDurable: false) }
        self.purge = purge
        return !purge.isDone
    }
}

/// The progress of purging the rows of cleared channels.
struct Purge {
    /// A Boolean value that indicates whether the numbers that were cleared before this opening
    /// were read from the disk.
    private(set) var isRead = false
    /// A number that is never assigned to a channel.
    ///
    /// The only row of this number is the permanent row at which scans end: see ``putStop(into:)``.
    private static let stop: ChannelNumber = 0
    private var hasStop = false
    /// The sorted numbers whose rows are being purged, table by table.
    ///
    /// One scan of a table serves all of them. A scan for each number would have to skip the rows
    /// that the earlier scans have removed, if a table has no rows of the number.
    private var round: [ChannelNumber] = []
    /// The numbers that were cleared since the round began, which the next round purges.
    private var waiting: [ChannelNumber] = []
    /// The table that is being purged, as an index in ``Table/purged``.
    private(set) var table = 0
    /// The key at which the scan of that table continues; `nil` if it has not begun.
    private(set) var key: KeyBytes?

    var isDone: Bool { isRead && number == nil }

    /// The lowest number whose rows are being purged, or the next one to be purged.
    var number: ChannelNumber? { round.first ?? waiting.first }

    /// Adds numbers that were just cleared.
    ///
    /// The call has no effect until the numbers are read from the disk, because the numbers on disk
    /// will include these.
    mutating func add(_ cleared: [ChannelNumber]) {
        if isRead { waiting += cleared }
    }

    /// Adds the numbers that were read from the disk.
    mutating func begin(with cleared: [ChannelNumber]) {
        isRead = true
        waiting = cleared.filter { $0 != Purge.stop }
        hasStop = waiting.count < cleared.count
    }

    /// Writes a permanent row at which scans end before they reach the rows of cleared numbers.
    ///
    /// LevelDB continues a scan over deleted rows until it finds an existing row. Without the
    /// permanent row, a scan that finds nothing would have to skip the deleted rows of all numbers
    /// that were ever cleared.
    mutating func putStop(into batch: Overlay) {
        if hasStop || number == nil { return }
        batch.put { $0.table(.cleared, Purge.stop) }
        hasStop = true
    }

    /// Adds the removal of the next rows to a batch.
    mutating func run(
        _ rows: Rows, _ removals: Overlay, atMost limit: Int
    ) throws(StoreError) {
        var left = limit
        while left > 0, number != nil {
            if round.isEmpty { (round, waiting) = (waiting.sorted(), []) }
            if table == Table.purged.count {
                for number in round { removals.remove { $0.table(.cleared, number) } }
                (round, table) = ([], 0)
                continue
            }
            left -= try purge(Table.purged[table], rows, removals, atMost: left)
        }
    }

    /// Adds the removal of the next rows of a table to a batch, and returns the cost: the number of
    /// rows, and one for a scan that ends before the limit.
    private mutating func purge(
        _ table: Table, _ rows: Rows, _ removals: Overlay, atMost limit: Int
    ) throws(StoreError) -> Int {
        func start(_ number: ChannelNumber) -> KeyBytes {
            ByteWriter.key { $0.table(table, number) }
        }
        let round = round
        let range = KeyRange(
            key ?? start(round[0]), start(round[round.count - 1]).successorOfPrefix)
        var count = 0
        var next: KeyBytes?
        try rows.scan(range) { (key, _) throws(StoreError) in
            let number = try rows.number(ofKey: key)
            // The range ends with the last number of the round, so there is such an element.
            let cleared = round[round.countOfFirst { $0 < number }]
            guard cleared == number else {
                // This is a row of a channel: continue at the next cleared number.
                next = start(cleared)
                return false
            }
            removals.remove { $0.raw(key) }
            count += 1
            if count == limit { next = KeyBytes(key) }
            return count < limit
        }
        key = next
        if next == nil { self.table += 1 }
        return count < limit ? count + 1 : count
    }
}

extension Rows {
    /// Returns the numbers that no channel has any longer and whose rows may still exist.
    fileprivate func clearedNumbers() throws(StoreError) -> [ChannelNumber] {
        var numbers: [ChannelNumber] = []
        try scan(KeyRange(prefix: [Table.cleared.rawValue])) { (key, _) throws(StoreError) in
            numbers.append(try number(ofKey: key))
            return true
        }
        return numbers
    }
}

extension Table {
    /// The tables from which ``Overlay/release(_:)`` does not remove rows, so that they have to be
    /// purged.
    static let purged = ofChannels.filter { !removedAtOnce.contains($0) }

    /// The tables that have one row for each channel, and that scans over all channels read.
    fileprivate static let removedAtOnce: [Table] = [.url, .groupChannel, .openChannel, .state]
}

extension Overlay {
    /// Marks the rows of a number for purging.
    ///
    /// Rows in tables that scans over all channels read are removed immediately.
    func release(_ number: ChannelNumber) {
        for table in Table.removedAtOnce { remove { $0.table(table, number) } }
        put { $0.table(.cleared, number) }
        released.append(number)
    }
}
