import Models

extension LevelDB {
    /// Purges rows of released channel numbers, and returns whether rows may remain.
    ///
    /// `limit` counts removed rows and scanned tables. Each call continues where the previous one
    /// stopped, because LevelDB would have to skip the removed rows one by one. If the disk fails,
    /// nothing was removed.
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

struct Purge {
    /// Whether the numbers cleared before this opening were read.
    private(set) var isRead = false
    /// A number that no channel gets, and whose only row is the one of ``putStop(into:)``.
    private static let stop: ChannelNumber = 0
    private var hasStop = false
    /// The sorted numbers whose rows are being purged, table by table.
    ///
    /// Scans for single numbers would have to skip the rows that earlier scans have removed.
    private var round: [ChannelNumber] = []
    /// The numbers that were cleared since the round began, which the next round purges.
    private var waiting: [ChannelNumber] = []
    /// The table that is being purged, as an index in ``Table/purged``.
    private(set) var table = 0
    /// The key at which the scan of that table continues; `nil` if it has not begun.
    private(set) var key: KeyBytes?

    var isDone: Bool { isRead && number == nil }

    /// The lowest number being purged, or the next one.
    var number: ChannelNumber? { round.first ?? waiting.first }

    /// Adds numbers that were just cleared, unless they will be read from disk.
    mutating func add(_ cleared: [ChannelNumber]) {
        if isRead { waiting += cleared }
    }

    mutating func begin(with cleared: [ChannelNumber]) {
        isRead = true
        waiting = cleared.filter { $0 != Purge.stop }
        hasStop = waiting.count < cleared.count
    }

    /// Writes a permanent row at which scans end before they reach the rows of cleared numbers.
    ///
    /// Without it, LevelDB would scan over the deleted rows of all numbers that were ever cleared.
    mutating func putStop(into batch: Overlay) {
        if hasStop || number == nil { return }
        batch.put { $0.table(.cleared, Purge.stop) }
        hasStop = true
    }

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

    /// Returns the cost: the number of removed rows, and one for a scan that ends before the limit.
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
            // The range ends with the last number, so there is one.
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
    fileprivate func clearedNumbers() throws(StoreError) -> [ChannelNumber] {
        var numbers: [ChannelNumber] = []
        try forEachRow(in: KeyRange(Table.cleared)) { (key, _) throws(StoreError) in
            numbers.append(try number(ofKey: key))
        }
        return numbers
    }
}

extension Table {
    /// The tables from which ``Overlay/release(_:)`` does not remove rows.
    static let purged = ofChannels.filter { !removedAtOnce.contains($0) }

    /// The tables that have one row for each channel, and that scans over all channels read.
    fileprivate static let removedAtOnce: [Table] = [.url, .groupChannel, .openChannel, .state]
}

extension Overlay {
    /// Marks the rows of a number for purging, and removes those of `removedAtOnce`.
    func release(_ number: ChannelNumber) {
        for table in Table.removedAtOnce { remove { $0.table(table, number) } }
        put { $0.table(.cleared, number) }
        released.append(number)
    }
}
