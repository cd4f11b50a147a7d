import Models

/// A merge of segments of the search index into one, in steps.
///
/// The row of the new segment is written last, so that a search sees the old segments or the
/// complete new one. After a restart, the merge starts again.
struct SegmentMerge {
    let sources: [IndexSegment]
    /// `Int.max` for a rewrite of documents without a message.
    let sizeClass: Int
    private let number: SegmentNumber
    private let documents: [Document]
    /// For each source, the new index of each of its documents; -1 for a removed document.
    private let ranks: [[Int32]]
    private var streams: [TermStream]
    private var writer: TermWriter

    /// A `nil` `sizeClass` removes all documents without a message; otherwise, only those of
    /// cleared channels go.
    init(
        _ sources: [IndexSegment], as number: SegmentNumber, _ cursor: RowCursor, _ rows: Rows,
        sizeClass: Int?
    ) throws(StoreError) {
        let isPruning = sizeClass == nil
        self.sizeClass = sizeClass ?? .max
        // Segments often cover separate times: a term's occurrences are then sorted.
        let sources = sources.sorted { $0.newest > $1.newest }
        self.sources = sources
        self.number = number
        var readers = sources.map { SegmentReader($0, cursor) }
        var documents: [Document] = []
        var ranks = sources.map { [Int32](repeating: -1, count: $0.documentCount) }
        var next = sources.map { _ in 0 }
        var heads: [Document?] = []
        for index in readers.indices { heads.append(try readers[index].document(0)) }
        var channels: [ChannelNumber: Bool] = [:]
        while true {
            var first: Document?
            for case let head? in heads where first.map({ head.precedes($0) }) ?? true {
                first = head
            }
            guard let first else { break }
            var isKept: Bool
            if let known = channels[first.channel] {
                isKept = known
            } else {
                isKept = try rows.contains(ByteWriter.key { $0.table(.url, first.channel) })
                channels[first.channel] = isKept
            }
            if isKept && isPruning {
                isKept = false
                try cursor.scanMessages(of: first) { (_, _) in
                    isKept = true
                    return false
                }
            }
            if isKept { documents.append(first) }
            for index in readers.indices where heads[index] == first {
                if isKept { ranks[index][next[index]] = Int32(documents.count - 1) }
                next[index] += 1
                heads[index] =
                    next[index] < sources[index].documentCount
                    ? try readers[index].document(next[index]) : nil
            }
        }
        self.documents = documents
        self.ranks = ranks
        streams = sources.map { TermStream($0.number) }
        writer = TermWriter(number)
    }

    /// Merges terms from at most `left` rows into the new segment, and subtracts the rows that it
    /// has read.
    ///
    /// The call returns `nil` until the merge has ended, and then the new segment, which is `nil`
    /// if it would be empty, and the replaced ones. The batch then has to be written as a whole.
    mutating func step(
        _ cursor: RowCursor, _ rows: Rows, to overlay: Overlay, atMost left: inout Int
    ) throws(StoreError) -> (segment: IndexSegment?, replaced: [SegmentNumber])? {
        var term: [UInt8] = []
        var postings: [Posting] = []
        while left > 0 {
            var least: Int?
            for index in streams.indices {
                if try streams[index].fill(cursor) { left -= 1 }
                guard streams[index].hasTerm else { continue }
                if least.map({ streams[index].term.precedes(streams[$0].term) }) ?? true {
                    least = index
                }
            }
            guard let least else {
                writer.finish(to: overlay)
                return try end(rows, overlay)
            }
            term.removeAll(keepingCapacity: true)
            term.append(contentsOf: streams[least].term)
            postings.removeAll(keepingCapacity: true)
            for index in streams.indices {
                while streams[index].hasTerm, streams[index].term == term {
                    try streams[index].appendPostings(ranks[index], cursor.path, to: &postings)
                    if try streams[index].advance(cursor) { left -= 1 }
                }
            }
            postings.normalize()
            if !postings.isEmpty {
                term.withUnsafeBufferPointer { writer.write($0, postings, to: overlay) }
            }
        }
        return nil
    }

    private func end(
        _ rows: Rows, _ overlay: Overlay
    ) throws(StoreError) -> (segment: IndexSegment?, replaced: [SegmentNumber]) {
        let segment =
            documents.isEmpty
            ? nil : documents.writeSegment(number, writer.filter, to: overlay)
        for source in sources {
            overlay.remove { $0.segmentKey(source.number) }
            for table in [Table.documents, .terms] {
                try rows.forEachRow(in: KeyRange(table, source.number)) { key, _ in
                    overlay.remove { $0.raw(key) }
                }
            }
        }
        return (segment, sources.map(\.number))
    }
}

private struct TermStream {
    private let number: SegmentNumber
    private var next: KeyBytes?
    private var row: [UInt8] = []
    private var offset = 0
    /// False before the first row and at the end.
    private(set) var hasTerm = false
    private(set) var term: [UInt8] = []
    private var list = 0..<0

    init(_ number: SegmentNumber) {
        self.number = number
        next = ByteWriter.key { $0.table(.terms, number) }
    }

    /// Reads the first entry if none was read yet; returns whether a row was read.
    mutating func fill(_ cursor: RowCursor) throws(StoreError) -> Bool {
        guard !hasTerm, next != nil else { return false }
        return try advance(cursor)
    }

    /// Moves to the next entry, and returns whether a row was read.
    mutating func advance(_ cursor: RowCursor) throws(StoreError) -> Bool {
        var isRead = false
        if offset == row.count {
            guard let target = next else { return false }
            cursor.seek(to: target)
            let table = ByteWriter.key { $0.table(.terms, number) }
            guard let key = cursor.key, key.starts(with: table) else {
                try cursor.check()
                (next, hasTerm, row, offset) = (nil, false, [], 0)
                return false
            }
            row = Array(cursor.value)
            next = Array(key) + [0]
            term.removeAll(keepingCapacity: true)
            offset = 0
            isRead = true
        }
        let row = row
        do throws(ByteReader.Damage) {
            try row.withBytes { (bytes) throws(ByteReader.Damage) in
                var entry = TermRow(bytes, at: offset)
                // Swapping the terms reuses their memory.
                swap(&entry.term, &term)
                guard try entry.next() else {
                    throw ByteReader.Damage(offset: 0, expected: "a term")
                }
                swap(&entry.term, &term)
                (list, offset) = (entry.listRange, entry.offset)
            }
        } catch {
            throw .damagedTerms(of: number, error, path: cursor.path)
        }
        hasTerm = true
        return isRead
    }

    /// Appends the current term's occurrences, with the documents' new indices.
    func appendPostings(
        _ ranks: [Int32], _ path: String, to postings: inout [Posting]
    ) throws(StoreError) {
        do throws(ByteReader.Damage) {
            try row.withBytes { (bytes) throws(ByteReader.Damage) in
                let list = UnsafeRawBufferPointer(rebasing: bytes[list])
                try list.forEachPosting(below: ranks.count) { posting in
                    let rank = ranks[posting.index]
                    if rank >= 0 { postings.append(Posting(Int(rank), words: posting.words)) }
                    return true
                }
            }
        } catch {
            throw .damagedTerms(of: number, error, path: path)
        }
    }
}
