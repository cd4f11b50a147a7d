import Models

// Recovery of the cache. If its log has lost commits, or if rows were damaged, index rows may be
// missing, or may refer to missing rows.

extension LevelDB {
    /// Removes the rows that a lost commit may have made wrong.
    ///
    /// These are the saved lists, and the rows that imply completeness: tokens, gaps, stale ranges
    /// and the search index. Call ``finishRebuildingIndexes()`` next, which rebuilds the other
    /// derived rows. If the process ends between the two calls, the next opening makes the second
    /// one.
    func beginRebuildingIndexes() throws(StoreError) {
        let batch = Overlay()
        batch.put { $0.schemaKey(.distrusted) }
        batch.remove { $0.schemaKey(.lists) }
        let rows = Rows(snapshot: try snapshot())
        try batch.removeIndex(of: rows)
        for table in [Table.token, .gap, .staleRange] {
            try rows.scan(KeyRange(prefix: [table.rawValue])) { (key, _) throws(StoreError) in
                batch.remove { $0.raw(key) }
                return true
            }
        }
        try write(batch, isDurable: true)
    }

    /// Rebuilds names, indexes and counts from the rows of channels and messages, after
    /// ``beginRebuildingIndexes()``.
    ///
    /// The history of each channel becomes one gap. A message whose key contradicts its content
    /// gets the right key. Of two messages with the same ID, the message with the right key is
    /// kept. Rows that cannot be decoded, and rows whose channel number belongs to no channel, are
    /// removed.
    ///
    /// - Returns: A Boolean value that indicates whether ``beginRebuildingIndexes()`` was called
    ///   before, in this or an earlier opening. If not, this call has no effect.
    /// - Throws: Errors of the disk, or `corruption` if a file is damaged.
    /// - Complexity: O(*n*) in the rows; one lookup if the call has no effect.
    func finishRebuildingIndexes() throws(StoreError) -> Bool {
        let rows = Rows(snapshot: try snapshot())
        guard try rows.contains(ByteWriter.key { $0.schemaKey(.distrusted) }) else { return false }
        let greatest = try rows.greatestNumber()
        let batch = Overlay()
        let channels = try rows.repairNames(in: batch)
        try rows.releaseNumbers(without: channels, in: batch)
        for (number, url) in channels {
            batch.put({ $0.nameKey(url) }, { $0.integer(number) })
            batch.put({ $0.table(.url, number) }, { $0.text(url.rawValue) })
            // Rows of this number must not be purged, because the number belongs to a channel.
            batch.remove { $0.table(.cleared, number) }
            let gap = Gap(in: url)
            batch.put({ $0.boundKey(.gap, number, gap.upper) }, gap.writeValue)
            try rows.removeChannels(thatAreNot: url, number, in: batch)
        }
        // If the stored number cannot be read, derive it from the rows.
        let known: ChannelNumber? = (try? nextNumber()) ?? nil
        batch.put({ $0.schemaKey(.nextNumber) }, { $0.integer(max(known ?? 1, greatest + 1)) })
        try write(batch, isDurable: false)
        for (number, url) in channels.sorted(by: { $0.key < $1.key }) {
            try reindex(number, of: url)
        }
        let end = Overlay()
        end.remove { $0.schemaKey(.distrusted) }
        try write(end, isDurable: true)
        return true
    }

    /// Rebuilds the indexes of a channel's messages and its message count.
    private func reindex(_ number: ChannelNumber, of url: ChannelURL) throws(StoreError) {
        let rows = Rows(snapshot: try snapshot())
        var batch = Overlay()
        func writeIfLarge() throws(StoreError) {
            guard batch.isLarge else { return }
            try write(batch, isDurable: false)
            batch = Overlay()
        }
        for table in [Table.creationTime, .request, .reply] {
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
                message.channelURL == url, !seen.contains(position.messageID)
            else {
                // Remove the row: it is unreadable, or contains the ID of a message that the scan
                // has already read.
                batch.remove { $0.raw(key) }
                return true
            }
            let ownKey = ByteWriter.key { $0.messageKey(number, position) }
            if !key.elementsEqual(ownKey) {
                batch.remove { $0.raw(key) }
                if try rows.contains(ownKey) { return true }
                batch.put({ $0.raw(ownKey) }, { $0.raw(value) })
            }
            seen.insert(position.messageID)
            // If two messages have the same request ID, it is unknown which of them got it last.
            // Let the newest one, which the scan reads first, keep it.
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
    /// The maximum of the numbers that the store assigns.
    ///
    /// The store assigns ascending numbers, and never reaches this maximum in practice.
    static var maximumAssigned: Self { .max / 2 }

    /// The range of the numbers that the store assigns.
    static var assigned: ClosedRange<Self> { 1 ... .maximumAssigned }
}

extension Rows {
    /// Returns the greatest number in any row, ignoring numbers that the store cannot have
    /// assigned.
    ///
    /// - Complexity: O(*c*) in the channels, and a seek for each table.
    func greatestNumber() throws(StoreError) -> ChannelNumber {
        var greatest: ChannelNumber = 0
        func add(_ number: ChannelNumber?) -> Bool {
            guard let number, number < .maximumAssigned else { return false }
            greatest = max(greatest, number)
            return true
        }
        for table in Table.ofChannels + [.url, .cleared] {
            try scan(KeyRange(prefix: [table.rawValue]), isDescending: true) {
                (key, _) throws(StoreError) in !add(readableNumber(ofKey: key))
            }
        }
        try scan(KeyRange(prefix: [Table.name.rawValue])) { (_, value) throws(StoreError) in
            _ = add(try? channelNumber(ofNameValue: value))
            return true
        }
        return greatest
    }

    /// Returns the channel of each number, and removes the rows that contradict this result.
    ///
    /// If two name rows have the same number, the channel in the number's URL row gets the number.
    /// If the name row of a channel is lost, the channel gets the number of the URL row that
    /// contains its URL.
    fileprivate func repairNames(
        in batch: Overlay
    ) throws(StoreError) -> [ChannelNumber: ChannelURL] {
        var named: [ChannelNumber: ChannelURL] = [:]
        try scan(KeyRange(prefix: [Table.url.rawValue])) { (key, value) throws(StoreError) in
            var reader = ByteReader(value)
            if let number = readableNumber(ofKey: key), key.count == Table.prefixSize,
                ChannelNumber.assigned ~= number, let url = try? reader.text(), !url.isEmpty
            {
                named[number] = ChannelURL(url)
            } else {
                batch.remove { $0.raw(key) }
            }
            return true
        }
        var channels: [ChannelNumber: ChannelURL] = [:]
        var numbered: Set<ChannelURL> = []
        try scan(KeyRange(prefix: [Table.name.rawValue])) { (key, value) throws(StoreError) in
            guard let url = try? channelURL(ofNameKey: key), !url.rawValue.isEmpty,
                let number = try? channelNumber(ofNameValue: value),
                ChannelNumber.assigned ~= number, (named[number] ?? url) == url,
                channels[number] == nil
            else {
                batch.remove { $0.raw(key) }
                return true
            }
            channels[number] = url
            numbered.insert(url)
            return true
        }
        for (number, url) in named.sorted(by: { $0.key < $1.key })
        where channels[number] == nil && numbered.insert(url).inserted {
            channels[number] = url
        }
        return channels
    }

    /// Removes a channel's row if the row cannot be decoded or contains another channel.
    ///
    /// The server sends the channel again.
    fileprivate func removeChannels(
        thatAreNot url: ChannelURL, _ number: ChannelNumber, in batch: Overlay
    ) throws(StoreError) {
        for table in [Table.groupChannel, .openChannel] {
            let key = ByteWriter.key { $0.table(table, number) }
            let isOwn = try withValue(of: key) { (value) throws(StoreError) in
                value.map { table.channelURL(ofRow: $0) == url } ?? true
            }
            if !isOwn { batch.remove { $0.raw(key) } }
        }
    }

    /// Marks the rows of numbers without a channel for purging, and removes rows with damaged keys.
    fileprivate func releaseNumbers(
        without channels: [ChannelNumber: ChannelURL], in batch: Overlay
    ) throws(StoreError) {
        for table in Table.ofChannels + [.url] {
            try forEachNumber(in: table) { number in
                if channels[number] == nil { batch.release(number) }
            } orDamaged: { key in
                batch.remove { $0.raw(key) }
            }
        }
    }
}

extension Table {
    /// The URL in the row of a channel; `nil` if it cannot be decoded.
    func channelURL(ofRow value: UnsafeRawBufferPointer) -> ChannelURL? {
        switch self {
        case .groupChannel: (try? GroupChannel(serialized: value))?.url
        case .openChannel: (try? OpenChannel(serialized: value))?.url
        default: nil
        }
    }
}
