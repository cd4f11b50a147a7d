import Models

// The search index in a batch, which indexes each message that it saves.

extension Batch {
    /// Adds the saved messages of the batch to the search index.
    ///
    /// The messages become pending: a row marks them as not in a segment yet. When many messages
    /// are pending, they become a segment together. If a message is removed, edited or evicted, its
    /// earlier entries stay in the index, because a search compares each message that it finds with
    /// the query.
    func indexSavedMessages() {
        guard var index, !savedMessages.isEmpty else { return }
        var rest = savedMessages[...]
        while index.pending.count + rest.count >= index.segmentSize {
            // Limit the memory for a large batch.
            index.pending.add(rest.prefix(index.segmentSize))
            rest = rest.dropFirst(index.segmentSize)
            for row in 0..<index.nextPendingRow { rows.cache.remove { $0.pendingKey(row) } }
            if let segment = index.pending.write(as: index.takeNumber(), to: rows.cache) {
                index.segments.append(segment)
            }
            (index.pending, index.nextPendingRow) = (PendingIndex(), 0)
        }
        if !rest.isEmpty {
            index.pending.add(rest)
            let documents = rest.map { Document(time: $0.message.createdAt, channel: $0.channel) }
                .sorted { $0.precedes($1) }
            rows.cache.put(
                { $0.pendingKey(index.nextPendingRow) },
                { DocumentRow.write(documents[...], to: &$0) })
            index.nextPendingRow += 1
        }
        self.index = index
    }
}

extension Batch {
    /// Starts an empty index, after the batch has removed all rows of segments.
    func clearIndex() {
        guard index != nil else { return }
        savedMessages = []
        let part = IndexedPart(last: nil)
        rows.cache.put({ $0.schemaKey(.searchIndex) }, part.write)
        index?.clear(part)
    }
}

extension IndexState {
    fileprivate mutating func clear(_ part: IndexedPart) {
        self.part = part
        (pending, nextPendingRow) = (PendingIndex(), 0)
        (segments, merges, unpruned, prunedCount) = ([], [], [], 0)
        hasUnownedRows = true
    }
}

extension Rows {
    /// Calls a closure with the number and the documents of each row of pending messages.
    func forEachPendingRow(
        _ body: (UInt32, [Document]) -> Void
    ) throws(StoreError) {
        try scan(KeyRange(prefix: [Table.pending.rawValue])) { (key, value) throws(StoreError) in
            let number = try channelNumber(ofKey: key)
            let row = try decode(value, as: "pending row \(number) of the search index") {
                (reader) throws(ByteReader.Damage) in try DocumentRow(&reader)
            }
            body(number, row.documents)
            return true
        }
    }

    /// Returns the number of pending messages.
    func pendingCount() throws(StoreError) -> Int {
        var count = 0
        try forEachPendingRow { count += $1.count }
        return count
    }
}

extension RowCursor {
    /// Calls a closure with each stored message of a document, except for messages that cannot be
    /// decoded.
    func forEachMessage(
        of document: Document, _ body: (Message) throws(StoreError) -> Void
    ) throws(StoreError) {
        try forEachRow(ofMessagesOf: document) { (_, value) throws(StoreError) in
            // Ignore the error: the index omits a damaged message, and other reads report the
            // damage.
            if let message = try? Message(serialized: value) { try body(message) }
        }
    }

    /// Calls a closure with the key and the value of each stored message of a document.
    func forEachRow(
        ofMessagesOf document: Document,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        let prefix = ByteWriter.key {
            $0.table(.message, document.channel)
            $0.descending { $0.timestamp(document.time) }
        }
        seek(to: prefix)
        while let key = key, key.starts(with: prefix) {
            try body(key, value)
            next()
        }
        try check()
    }
}
