import Models

extension LevelDB {
    /// Removes rows of numbers that stand for no channel any more.
    ///
    /// Goes on where the last call stopped, since LevelDB steps over each row that was removed before
    /// and is still in its tables; and begins anew behind the last of the numbers.
    ///
    /// - Parameter limit: The most rows that are removed.
    /// - Returns: Whether some may be left.
    /// - Throws: What the disk says; then nothing was removed.
    func purgeCleared(atMost limit: Int) throws(StoreError) -> Bool {
        let rows = Rows(snapshot: try snapshot(), overlay: nil)
        let start = purgePlace
        let (removals, end) = try rows.cleared(from: start, atMost: limit)
        if !removals.isEmpty { try write(removals, isDurable: false) }
        purgePlace = end ?? PurgePlace()
        // A number that was cleared meanwhile may lie before the start.
        return end != nil || start != PurgePlace()
    }
}

/// Where the removal of cleared rows goes on: all rows before it are gone.
struct PurgePlace: Equatable {
    /// The number whose rows were being removed; those below may have been cleared since.
    var number: ChannelNumber = 0
    /// Which of ``Table/ofChannels``.
    var table = 0
    /// The last key of the table that was removed, if any was.
    var key: KeyBytes?
}

extension Rows {
    /// The removals of rows under numbers that stand for no channel, and the place that they end at;
    /// `nil` if that is the end of all.
    fileprivate func cleared(
        from start: PurgePlace, atMost limit: Int
    ) throws(StoreError) -> (Overlay, PurgePlace?) {
        let removals = Overlay()
        var left = limit
        var place = start
        let numbers = KeyRange(
            ByteWriter.key { $0.table(.cleared, start.number) },
            [Table.cleared.rawValue].successorOfPrefix)
        try scan(numbers) { (key, _) throws(StoreError) in
            let number = try channelNumber(ofKey: key)
            if number != place.number { place = PurgePlace(number: number) }
            while left > 0 && place.table < Table.ofChannels.count {
                var range = KeyRange(
                    prefix: ByteWriter.key { $0.table(Table.ofChannels[place.table], number) })
                if let last = place.key { range.lower = last }
                try scan(range) { (key, _) throws(StoreError) in
                    removals.remove { $0.raw(key) }
                    left -= 1
                    if left == 0 { place.key = KeyBytes(key) }
                    return left > 0
                }
                if left > 0 { place = PurgePlace(number: number, table: place.table + 1) }
            }
            if left > 0 { removals.remove { $0.raw(key) } }
            return left > 0
        }
        return (removals, left > 0 ? nil : place)
    }
}

extension Overlay {
    /// Leaves what is under a number to be purged.
    ///
    /// But the rows that are met by who walks over all channels go at once.
    func giveUp(_ number: ChannelNumber) {
        for table in [Table.url, .groupChannel, .openChannel, .state] {
            remove { $0.table(table, number) }
        }
        put { $0.table(.cleared, number) }
    }
}
