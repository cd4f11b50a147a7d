import Models

extension Batch {
    /// Adds the saved messages of the batch to the search index.
    ///
    /// The messages are first *unsegmented*: a row marks them as not in a segment yet, and many
    /// become a segment together. Earlier entries of removed or edited messages stay, because a
    /// search compares each message with the query.
    func indexSavedMessages() {
        guard var index, !savedMessages.isEmpty else { return }
        var rest = savedMessages[...]
        while index.unsegmented.count + rest.count >= index.segmentMessageCount {
            index.unsegmented.add(rest.prefix(index.segmentMessageCount))
            rest = rest.dropFirst(index.segmentMessageCount)
            for row in 0..<index.nextUnsegmentedRow { rows.cache.remove { $0.unsegmentedKey(row) } }
            if let segment = index.unsegmented.write(as: index.takeNumber(), to: rows.cache) {
                index.segments.append(segment)
            }
            (index.unsegmented, index.nextUnsegmentedRow) = (UnsegmentedIndex(), 0)
        }
        if !rest.isEmpty {
            index.unsegmented.add(rest)
            let documents = rest.map { Document(time: $0.message.createdAt, channel: $0.channel) }
                .sorted { $0.precedes($1) }
            rows.cache.put(
                { $0.unsegmentedKey(index.nextUnsegmentedRow) },
                { DocumentRow.write(documents[...], to: &$0) })
            index.nextUnsegmentedRow += 1
        }
        self.index = index
    }
}

extension Batch {
    /// The batch must have removed all rows of segments.
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
        (unsegmented, nextUnsegmentedRow) = (UnsegmentedIndex(), 0)
        (segments, merges, unpruned, prunedCount) = ([], [], [], 0)
        hasUnownedRows = true
    }
}

extension Rows {
    func forEachUnsegmentedRow(_ body: (UInt32, [Document]) -> Void) throws(StoreError) {
        try forEachRow(in: KeyRange(Table.unsegmented)) { (key, value) throws(StoreError) in
            let number = try number(
                ofKey: key, as: "the key of an unsegmented row of the search index")
            let row = try decode(value, as: "unsegmented row \(number) of the search index") {
                (reader) throws(ByteReader.Damage) in
                // A segment replaces the rows long before.
                guard number < SearchIndex.maximumUnsegmentedRowCount else {
                    throw ByteReader.Damage(offset: 0, expected: "no row of such a number")
                }
                return try DocumentRow(&reader)
            }
            body(number, row.documents)
        }
    }

    func unsegmentedCount() throws(StoreError) -> Int {
        var count = 0
        try forEachUnsegmentedRow { count += $1.count }
        return count
    }
}

extension RowCursor {
    func scanMessages(
        of document: Document,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let prefix = ByteWriter.key {
            $0.table(.message, document.channel)
            $0.descending { $0.timestamp(document.time) }
        }
        seek(to: prefix)
        while let key = key, key.starts(with: prefix), try body(key, value) {
            next()
        }
        try check()
    }
}
