import Models

/// The writer's state of the search index.
struct IndexState {
    var part: IndexedPart
    var unsegmented: UnsegmentedIndex
    /// Greater than the numbers of all unsegmented rows.
    var nextUnsegmentedRow: UInt32
    let segmentMessageCount: Int
    /// Unordered.
    var segments: [IndexSegment]
    var nextNumber: SegmentNumber
    /// The merges that have begun, each with smaller segments than the one before it.
    ///
    /// The last one continues first, so that small segments do not accumulate.
    var merges: [SegmentMerge] = []
    /// The segments to be rewritten without removed messages.
    var unpruned: [SegmentNumber] = []
    /// The number of documents after the last rewrite.
    var prunedCount = 0
    var hasUnownedRows = false

    var documentCount: Int { segments.reduce(0) { $0 + $1.documentCount } }

    /// Returns `nil` if the index is turned off.
    static func read(_ rows: Rows, segmentMessageCount: Int) throws(StoreError) -> IndexState? {
        guard let index = try CommittedIndex.read(rows) else { return nil }
        return IndexState(
            part: index.part, unsegmented: index.unsegmented,
            nextUnsegmentedRow: index.nextUnsegmentedRow,
            segmentMessageCount: segmentMessageCount, segments: index.segments,
            nextNumber: try rows.greatestNumber(in: [.segment, .documents, .terms]) + 1)
    }

    var committed: CommittedIndex {
        CommittedIndex(
            part: part, segments: segments, unsegmented: unsegmented,
            nextUnsegmentedRow: nextUnsegmentedRow)
    }

    mutating func takeNumber() -> SegmentNumber {
        defer { nextNumber += 1 }
        return nextNumber
    }
}

extension Rows {
    func indexedPart() throws(StoreError) -> IndexedPart? {
        try read(ByteWriter.key { $0.schemaKey(.searchIndex) }, as: "the state of the search index")
        { (reader) throws(ByteReader.Damage) in try IndexedPart(&reader) }
    }

    func segments() throws(StoreError) -> [IndexSegment] {
        var segments: [IndexSegment] = []
        try forEachRow(in: KeyRange(Table.segment)) { (key, value) throws(StoreError) in
            let number = try number(ofKey: key, as: "the key of a segment of the search index")
            segments.append(
                try decode(value, as: "segment \(number) of the search index") {
                    (reader) throws(ByteReader.Damage) in try IndexSegment(number, &reader)
                })
        }
        return segments
    }

    /// Removes rows that belong to no segment, which interrupted merges and removed indexes leave;
    /// returns `false` if the batch became too large before the last one.
    func removeUnownedIndexRows(
        from overlay: Overlay, segments: [IndexSegment]
    ) throws(StoreError) -> Bool {
        let numbers = Set(segments.map(\.number))
        for table in [Table.documents, .terms] {
            var unowned: [KeyRange] = []
            try forEachNumber(in: table) { number in
                guard !numbers.contains(number) else { return }
                unowned.append(KeyRange(table, number))
            } orDamaged: { key in
                overlay.remove { $0.raw(key) }
            }
            for range in unowned {
                try scan(range) { (key, _) throws(StoreError) in
                    overlay.remove { $0.raw(key) }
                    return !overlay.isLarge
                }
                if overlay.isLarge { return false }
            }
        }
        return true
    }
}

extension Overlay {
    /// Makes the other rows of the index belong to no segment.
    func removeIndex(of rows: Rows) throws(StoreError) {
        for table in [Table.unsegmented, .segment] {
            try rows.forEachRow(in: KeyRange(table)) { key, _ in remove { $0.raw(key) } }
        }
        remove { $0.schemaKey(.searchIndex) }
    }
}

// MARK: Opening

extension LevelDB {
    func turnIndex(isOn: Bool) throws(StoreError) {
        let rows = Rows(snapshot: try snapshot())
        let key = ByteWriter.key { $0.schemaKey(.searchIndex) }
        guard isOn else {
            guard try rows.contains(key) else { return }
            let overlay = Overlay()
            try overlay.removeIndex(of: rows)
            try write(overlay, isDurable: false)
            return try removeUnownedIndexRows()
        }
        if try CommittedIndex.read(rows) == nil { try beginIndex() }
        try removeUnownedIndexRows()
    }

    /// Whether other code has written the index of kinds, or the search index.
    func hasOtherIndexFormats() throws(StoreError) -> Bool {
        let rows = Rows(snapshot: try snapshot())
        func format(_ row: SchemaRow) throws(StoreError) -> UInt8? {
            try rows.withValue(of: ByteWriter.key { $0.schemaKey(row) }) { $0?.first }
        }
        // The search index may be turned off; every cache has kinds.
        let (kinds, search) = (try format(.kindFormat), try format(.searchIndex))
        return kinds != KindKey.format || search ?? SearchIndex.format != SearchIndex.format
    }

    func beginIndex() throws(StoreError) {
        let rows = Rows(snapshot: try snapshot())
        let overlay = Overlay()
        try overlay.removeIndex(of: rows)
        let part = IndexedPart(last: try rows.hasRows(in: KeyRange(Table.message)) ? [] : nil)
        overlay.put({ $0.schemaKey(.searchIndex) }, part.write)
        try write(overlay, isDurable: false)
    }

    func removeUnownedIndexRows() throws(StoreError) {
        var isDone = false
        while !isDone {
            let rows = Rows(snapshot: try snapshot())
            let overlay = Overlay()
            isDone = try rows.removeUnownedIndexRows(from: overlay, segments: try rows.segments())
            if !overlay.isEmpty { try write(overlay, isDurable: false) }
        }
    }
}
