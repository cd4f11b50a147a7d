import Models

// The search index in a batch, which indexes each message that it saves.

extension Batch {
    /// Adds the saved messages of the batch to the search index.
    ///
    /// If the batch has saved enough messages, they become a segment. Otherwise, they become
    /// pending: a row for each message marks it as not in a segment yet. When many messages are
    /// pending, they become a segment together. If a message is removed, edited or evicted, its
    /// earlier entries stay in the index, because a search compares each message that it finds with
    /// the query.
    func indexSavedMessages() throws(StoreError) {
        guard var index, !savedMessages.isEmpty else { return }
        let isPendingFull = index.pendingCount + savedMessages.count >= SearchIndex.segmentSize
        guard isPendingFull || savedMessages.count >= SearchIndex.smallestSegmentSize else {
            for (message, channel) in savedMessages {
                let document = Document(time: message.createdAt, channel: channel)
                rows.cache.put { $0.pendingKey(document) }
            }
            index.pendingCount += savedMessages.count
            self.index = index
            return
        }
        var builder = SegmentBuilder()
        if isPendingFull && index.pendingCount > 0 {
            let stored = Rows(snapshot: committed.cache)
            let cursor = committed.cache.cursor()
            for document in try stored.pendingDocuments() {
                rows.cache.remove { $0.pendingKey(document) }
                try cursor.forEachMessage(of: document) { builder.add($0, in: document.channel) }
            }
            index.pendingCount = 0
        }
        func write() {
            if let segment = builder.write(as: index.takeNumber(), to: rows.cache) {
                index.segments.append(segment)
            }
            builder = SegmentBuilder()
        }
        for (message, channel) in savedMessages {
            builder.add(message, in: channel)
            // Limit the memory for a large batch.
            if builder.documents.count == SearchIndex.segmentSize << 6 { write() }
        }
        write()
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
        (pendingCount, segments, merges, unpruned, prunedCount) = (0, [], [], [], 0)
        hasUnownedRows = true
    }
}

extension Rows {
    /// Returns the pending messages, which are in no segment yet, newest first.
    func pendingDocuments() throws(StoreError) -> [Document] {
        var documents: [Document] = []
        try scan(KeyRange(prefix: [Table.pending.rawValue])) { (key, _) throws(StoreError) in
            documents.append(
                try decode(key, as: "a row of the search index") {
                    (reader) throws(ByteReader.Damage) in try reader.pendingDocument()
                })
            return true
        }
        return documents
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
