import Models

extension LevelDB {
    /// Removes rows of numbers that stand for no channel any more.
    ///
    /// Which numbers these are, is read from the disk at the first call, and known from then on.
    /// Each call goes on where the last one stopped: LevelDB steps over each row that was removed
    /// before and is still in its tables, so who began anew would meet them all.
    ///
    /// - Parameter limit: The most rows that are removed and tables that are looked into.
    /// - Returns: Whether some may be left.
    /// - Throws: What the disk says; then nothing was removed.
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

/// The removal of cleared rows: of which numbers, and how far it is.
struct Purge {
    /// Whether the disk was asked for what earlier processes left.
    private(set) var isRead = false
    /// The number of no channel; no row but the one that names it has it.
    private static let stop: ChannelNumber = 0
    private var hasStop = false
    /// The numbers whose rows may be there, those that were cleared first coming first, behind some
    /// that are done.
    private var numbers: [ChannelNumber] = []
    private var doneCount = 0
    /// Which of ``Table/purged`` of the first number.
    private(set) var table = 0
    /// The last key of the table that was removed, if any was.
    private(set) var key: KeyBytes?

    var isDone: Bool { isRead && doneCount == numbers.count }

    /// The number whose rows are being removed.
    var number: ChannelNumber? { doneCount < numbers.count ? numbers[doneCount] : nil }

    /// Takes in numbers that were cleared just now; before ``isRead``, the disk will tell of them.
    mutating func add(_ cleared: [ChannelNumber]) {
        if isRead { numbers += cleared }
    }

    /// Takes in what the disk told.
    mutating func begin(with cleared: [ChannelNumber]) {
        isRead = true
        numbers = cleared.filter { $0 != Purge.stop }
        hasStop = numbers.count < cleared.count
    }

    /// Puts a row that stays in front of those that name numbers, when the first are there.
    ///
    /// LevelDB goes on from the end of a table to the next row that is there. The tables in front of
    /// this one are empty in most channels, and behind their ends lie the removed rows of all numbers
    /// that were ever cleared.
    mutating func putStop(into batch: Overlay) {
        if hasStop || number == nil { return }
        batch.put { $0.table(.cleared, Purge.stop) }
        hasStop = true
    }

    /// Puts the removal of the next rows into a batch.
    mutating func run(
        _ rows: Rows, _ removals: Overlay, atMost limit: Int
    ) throws(StoreError) {
        var left = limit
        while left > 0, let number {
            if table == Table.purged.count {
                removals.remove { $0.table(.cleared, number) }
                table = 0
                doneCount += 1
                // So that each number is moved once at most, however many there are.
                if doneCount * 2 >= numbers.count {
                    numbers.removeFirst(doneCount)
                    doneCount = 0
                }
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
    /// The numbers that stand for no channel any more, while their rows may be there.
    ///
    /// Rows that name none are removed.
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
    /// What ``Overlay/giveUp(_:)`` leaves of a number.
    static let purged = ofChannels.filter { !removedAtOnce.contains($0) }

    /// The tables with one row for each channel, that is met by who walks over all channels.
    fileprivate static let removedAtOnce: [Table] = [.url, .groupChannel, .openChannel, .state]
}

extension Overlay {
    /// Leaves what is under a number to be purged.
    ///
    /// But the rows that are met by who walks over all channels go at once.
    func giveUp(_ number: ChannelNumber) {
        for table in Table.removedAtOnce { remove { $0.table(table, number) } }
        put { $0.table(.cleared, number) }
        givenUp.append(number)
    }
}
