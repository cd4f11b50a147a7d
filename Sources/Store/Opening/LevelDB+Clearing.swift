import Models

extension LevelDB {
    /// Removes rows of numbers that stand for no channel any more.
    ///
    /// - Returns: Whether some may be left.
    func purgeCleared(atMost limit: Int) throws(StoreError) -> Bool {
        let rows = Rows(snapshot: try snapshot(), overlay: nil)
        let removals = Overlay()
        var left = limit
        try rows.scan(KeyRange(prefix: [Table.cleared.rawValue])) { (key, _) throws(StoreError) in
            let number = try rows.channelNumber(ofKey: key)
            for table in Table.ofChannels where left > 0 {
                let prefix = KeyRange(prefix: ByteWriter.key { $0.table(table, number) })
                try rows.scan(prefix) { (key, _) throws(StoreError) in
                    removals.remove { $0.raw(key) }
                    left -= 1
                    return left > 0
                }
            }
            if left > 0 { removals.remove { $0.raw(key) } }
            return left > 0
        }
        if !removals.isEmpty { try write(removals, isDurable: false) }
        return left <= 0
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
