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
        if !purge.isRead { purge.begin(with: try rows.clearedNumbers(removing: removals)) }
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
    /// The numbers whose rows may still exist, in the order in which they were cleared.
    private var numbers: [ChannelNumber] = []
    /// The table whose rows of ``number`` are being purged, as an index in ``Table/purged``.
    private(set) var table = 0
    /// The last key that was removed from that table; `nil` if no key was removed yet.
    private(set) var key: KeyBytes?

    var isDone: Bool { isRead && numbers.isEmpty }

    /// The number whose rows are being purged.
    var number: ChannelNumber? { numbers.first }

    /// Adds numbers that were just cleared.
    ///
    /// The call has no effect until the numbers are read from the disk, because the numbers on disk
    /// will include these.
    mutating func add(_ cleared: [ChannelNumber]) {
        if isRead { numbers += cleared }
    }

    /// Adds the numbers that were read from the disk.
    mutating func begin(with cleared: [ChannelNumber]) {
        isRead = true
        numbers = cleared.filter { $0 != Purge.stop }
        hasStop = numbers.count < cleared.count
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
        while left > 0, let number {
            if table == Table.purged.count {
                removals.remove { $0.table(.cleared, number) }
                table = 0
                numbers.removeFirst()
                continue
            }
            var range = KeyRange(
                prefix: ByteWriter.key { $0.table(Table.purged[table], number) })
            if let key { range.lower = key }
            var last: KeyBytes?
            try rows.scan(range) { (key, _) throws(StoreError) in
                removals.remove { $0.raw(key) }
                left -= 1
                if left == 0 { last = KeyBytes(key) }
                return left > 0
            }
            key = last
            if left > 0 {
                table += 1
                left -= 1
            }
        }
    }
}

extension Rows {
    /// Returns the numbers that no channel has any longer and whose rows may still exist.
    ///
    /// Also removes rows whose keys contain no number.
    fileprivate func clearedNumbers(
        removing removals: Overlay
    ) throws(StoreError) -> [ChannelNumber] {
        var numbers: [ChannelNumber] = []
        try scan(KeyRange(prefix: [Table.cleared.rawValue])) { (key, _) throws(StoreError) in
            if let number = readableNumber(ofKey: key), key.count == Table.prefixSize {
                numbers.append(number)
            } else {
                removals.remove { $0.raw(key) }
            }
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
