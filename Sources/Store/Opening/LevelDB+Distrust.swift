import Models

// Repairs after a log has lost commits in its middle: any row may lack related rows.

extension LevelDB {
    /// Removes the rows that claim completeness: tokens, gaps, stale ranges, and saved lists, which
    /// a lost commit may have changed.
    ///
    /// Other rows stay. ``finishDistrusting()`` must follow; after a crash, the next opening calls
    /// it.
    func distrust() throws(StoreError) {
        let batch = Overlay()
        batch.put { $0.schemaKey(.distrusted) }
        batch.remove { $0.schemaKey(.lists) }
        let rows = Rows(snapshot: try snapshot())
        for table in [Table.token, .gap, .staleRange] {
            try rows.scan(KeyRange(prefix: [table.rawValue])) { (key, _) throws(StoreError) in
                batch.remove { $0.raw(key) }
                return true
            }
        }
        try write(batch, isDurable: true)
    }

    /// Repairs inconsistent rows: names, indexes and counts.
    ///
    /// Each channel's history is then one gap.
    ///
    /// - Returns: `true` if ``distrust()`` was called, now or at an earlier opening.
    /// - Throws: `corruption` if a row cannot have been written by this package; otherwise errors
    ///   of the disk.
    /// - Complexity: O(*n*) in the number of rows if it was called, otherwise one lookup.
    func finishDistrusting() throws(StoreError) -> Bool {
        let rows = Rows(snapshot: try snapshot())
        guard try rows.contains(ByteWriter.key { $0.schemaKey(.distrusted) }) else { return false }
        let greatest = try rows.greatestNumber()
        guard greatest < .greatestGiven else {
            throw StoreError(.corruption, "channel number \(greatest) was never given", path: path)
        }
        let channels = try rows.namedNumbers()
        let batch = Overlay()
        try rows.giveUpNumbers(without: channels, in: batch)
        for (number, url) in channels {
            batch.put({ $0.table(.url, number) }, { $0.text(url.rawValue) })
            let gap = Gap(in: url)
            batch.put({ $0.boundKey(.gap, number, gap.upper) }, gap.writeValue)
        }
        batch.put({ $0.schemaKey(.nextNumber) }, { $0.integer(greatest + 1) })
        try write(batch, isDurable: false)
        for number in channels.keys.sorted() { try reindex(number) }
        let end = Overlay()
        end.remove { $0.schemaKey(.distrusted) }
        try write(end, isDurable: true)
        return true
    }

    /// Rebuilds the indexes and the count of a channel's messages.
    private func reindex(_ number: ChannelNumber) throws(StoreError) {
        let rows = Rows(snapshot: try snapshot())
        var batch = Overlay()
        func writeIfLarge() throws(StoreError) {
            guard batch.isLarge else { return }
            try write(batch, isDurable: false)
            batch = Overlay()
        }
        for table in [Table.place, .request, .reply] {
            let range = KeyRange(prefix: ByteWriter.key { $0.table(table, number) })
            try rows.scan(range) { (key, _) throws(StoreError) in
                batch.remove { $0.raw(key) }
                try writeIfLarge()
                return true
            }
        }
        var state = try rows.readableState(of: number) ?? ChannelState()
        state.messageCount = 0
        let range = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
        var seen: Set<MessageID> = []
        var seenRequests: Set<RequestID> = []
        try rows.scan(range) { (key, value) throws(StoreError) in
            guard let message = try? Message(serialized: value), let position = message.position,
                seen.insert(position.messageID).inserted
            else {
                // Remove an unreadable message, and the older one of two with the same ID, which
                // was moved.
                batch.remove { $0.raw(key) }
                return true
            }
            // If two messages have the same request ID, the newest one, which comes first, keeps
            // it.
            let takesRequest = message.requestID.map { seenRequests.insert($0).inserted } ?? false
            batch.putIndex(of: message, at: position, number, takesRequest: takesRequest)
            state.messageCount += 1
            try writeIfLarge()
            return true
        }
        batch.put({ $0.table(.state, number) }, state.write)
        try write(batch, isDurable: false)
    }
}

extension FixedWidthInteger {
    /// The limit for numbers that were given: numbers are sequential and never get that far.
    static var greatestGiven: Self { .max / 2 }
}

extension Rows {
    /// Returns the highest number in any row.
    func greatestNumber() throws(StoreError) -> ChannelNumber {
        var greatest: ChannelNumber = 0
        for table in Table.ofChannels + [.url, .cleared] {
            try scan(KeyRange(prefix: [table.rawValue]), isDescending: true) {
                (key, _) throws(StoreError) in
                greatest = max(greatest, try channelNumber(ofKey: key))
                return false
            }
        }
        try scan(KeyRange(prefix: [Table.name.rawValue])) { (_, value) throws(StoreError) in
            greatest = max(greatest, try channelNumber(ofNameValue: value))
            return true
        }
        return greatest
    }

    /// Returns the channels by number.
    fileprivate func namedNumbers() throws(StoreError) -> [ChannelNumber: ChannelURL] {
        var channels: [ChannelNumber: ChannelURL] = [:]
        try scan(KeyRange(prefix: [Table.name.rawValue])) { (key, value) throws(StoreError) in
            channels[try channelNumber(ofNameValue: value)] = try channelURL(ofNameKey: key)
            return true
        }
        return channels
    }

    /// Marks numbers without a channel, whose rows are then removed.
    fileprivate func giveUpNumbers(
        without channels: [ChannelNumber: ChannelURL], in batch: Overlay
    ) throws(StoreError) {
        for table in Table.ofChannels + [.url] {
            var number: ChannelNumber = 0
            // Seek from each number to the next one.
            while true {
                var found: ChannelNumber?
                let range = KeyRange(
                    ByteWriter.key { $0.table(table, number) },
                    [table.rawValue].successorOfPrefix)
                try scan(range) { (key, _) throws(StoreError) in
                    found = try channelNumber(ofKey: key)
                    return false
                }
                guard let found else { break }
                if channels[found] == nil { batch.giveUp(found) }
                guard found < .max else { break }
                number = found + 1
            }
        }
    }
}
