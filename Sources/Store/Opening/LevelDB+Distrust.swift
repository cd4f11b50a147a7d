import Models

// After a log lost commits in its middle, any row may be there without its companions.

extension LevelDB {
    /// Drops what promises that nothing is missing: tokens, gaps and stale ranges; and how lists begin, which
    /// a lost commit may have changed.
    ///
    /// Rows stay. ``finishDistrusting()`` puts them in order, and has to come next; after a crash
    /// the next opening sees to it.
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

    /// Puts in order what lost its companions: names, indexes, counts.
    ///
    /// Each channel is one gap then.
    ///
    /// - Returns: Whether ``distrust()`` came before, now or at an earlier opening.
    /// - Throws: `corruption` if a row cannot be one of ours; else what the disk says.
    /// - Complexity: O(*n*) in the rows, if it did; else one lookup.
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

    /// Writes the indexes of a channel's messages, and their number, anew.
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
                // What cannot be read is no message; the older of two under one id was moved.
                batch.remove { $0.raw(key) }
                return true
            }
            // Of two with one request, who took it last is not known; the newest is met first.
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
    /// Numbers are given one after the other: nobody comes as far as this, half of all there are.
    static var greatestGiven: Self { .max / 2 }
}

extension Rows {
    /// The greatest number that any row has.
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

    /// What each number stands for.
    fileprivate func namedNumbers() throws(StoreError) -> [ChannelNumber: ChannelURL] {
        var channels: [ChannelNumber: ChannelURL] = [:]
        try scan(KeyRange(prefix: [Table.name.rawValue])) { (key, value) throws(StoreError) in
            channels[try channelNumber(ofNameValue: value)] = try channelURL(ofNameKey: key)
            return true
        }
        return channels
    }

    /// Leaves what is under numbers that stand for nothing to be removed.
    fileprivate func giveUpNumbers(
        without channels: [ChannelNumber: ChannelURL], in batch: Overlay
    ) throws(StoreError) {
        for table in Table.ofChannels + [.url] {
            var number: ChannelNumber = 0
            // From each number that is met, a seek to the one behind it.
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
