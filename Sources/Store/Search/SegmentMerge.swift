import Models

/// A merge of segments of the search index into one, in steps.
///
/// The rows of the new segment are written before its own row, so that a search sees either the old
/// segments or the complete new one. After an interruption, the merge starts again.
struct SegmentMerge {
    private let sources: [IndexSegment]
    private let number: SegmentNumber
    private let documents: [Document]
    /// For each source, the new index of each of its documents; -1 if it is left out.
    private let ranks: [[Int32]]
    private var streams: [TermStream]
    private var writer: TermWriter

    /// Reads the documents of the segments.
    ///
    /// - Parameters:
    ///   - sources: The segments.
    ///   - number: The number of the new segment.
    ///   - cursor: A cursor of the cache.
    ///   - rows: The rows of the cache.
    ///   - isPruning: A Boolean value that indicates whether documents without a stored message are
    ///     left out. Those of cleared channels are always left out.
    /// - Throws: Errors of the disk; `corruption` if a row cannot be decoded.
    init(
        _ sources: [IndexSegment], as number: SegmentNumber, _ cursor: RowCursor, _ rows: Rows,
        isPruning: Bool
    ) throws(StoreError) {
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
                try cursor.forEachRow(ofMessagesOf: first) { (_, _) in isKept = true }
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

    /// Merges terms of the next rows of the sources, and writes rows of the new segment.
    ///
    /// - Parameters:
    ///   - cursor: A cursor of the cache.
    ///   - rows: The rows of the cache.
    ///   - overlay: The batch to which the rows are added.
    ///   - limit: The number of rows to read.
    /// - Returns: The new segment and the numbers of those that it replaces if the merge has ended;
    ///   the batch then replaces them, and has to be written as a whole. The segment is `nil` if no
    ///   document is left.
    /// - Throws: Errors of the disk; `corruption` if a row cannot be decoded.
    mutating func step(
        _ cursor: RowCursor, _ rows: Rows, to overlay: Overlay, atMost limit: Int
    ) throws(StoreError) -> (segment: IndexSegment?, replaced: [SegmentNumber])? {
        var left = limit
        var postings: [Posting] = []
        while left > 0 {
            var least: [UInt8]?
            for index in streams.indices {
                if try streams[index].fill(cursor) { left -= 1 }
                guard let term = streams[index].term else { continue }
                if least.map({ term.precedes($0) }) ?? true { least = term }
            }
            guard let least else {
                writer.finish(to: overlay)
                return try end(rows, overlay)
            }
            postings.removeAll(keepingCapacity: true)
            for index in streams.indices {
                while streams[index].term == least {
                    try streams[index].appendPostings(ranks[index], cursor.path, to: &postings)
                    if try streams[index].advance(cursor) { left -= 1 }
                }
            }
            postings.normalize()
            if !postings.isEmpty {
                least.withUnsafeBufferPointer { writer.write($0, postings, to: overlay) }
            }
        }
        return nil
    }

    private func end(
        _ rows: Rows, _ overlay: Overlay
    ) throws(StoreError) -> (segment: IndexSegment?, replaced: [SegmentNumber]) {
        let segment = documents.isEmpty ? nil : documents.writeSegment(number, to: overlay)
        for source in sources {
            overlay.remove { $0.segmentKey(source.number) }
            for table in [Table.documents, .terms] {
                let range = KeyRange(prefix: ByteWriter.key { $0.table(table, source.number) })
                try rows.scan(range) { (key, _) throws(StoreError) in
                    overlay.remove { $0.raw(key) }
                    return true
                }
            }
        }
        return (segment, sources.map(\.number))
    }
}

/// The terms of a segment, in order, read row by row.
private struct TermStream {
    private let number: SegmentNumber
    /// The key at which the next row is sought; `nil` at the end.
    private var next: KeyBytes?
    private var row: [UInt8] = []
    private var offset = 0
    /// The current term; `nil` before the first row and at the end.
    private(set) var term: [UInt8]?
    private var list = 0..<0

    init(_ number: SegmentNumber) {
        self.number = number
        next = ByteWriter.key { $0.table(.terms, number) }
    }

    /// Reads the first entry of the next row, if the current row has no more entries.
    ///
    /// - Returns: A Boolean value that indicates whether a row was read.
    mutating func fill(_ cursor: RowCursor) throws(StoreError) -> Bool {
        guard term == nil, next != nil else { return false }
        return try advance(cursor)
    }

    /// Moves to the next entry.
    ///
    /// - Returns: A Boolean value that indicates whether a row was read.
    mutating func advance(_ cursor: RowCursor) throws(StoreError) -> Bool {
        var isRead = false
        if offset == row.count {
            guard let target = next else { return false }
            cursor.seek(to: target)
            let table = ByteWriter.key { $0.table(.terms, number) }
            guard let key = cursor.key, key.starts(with: table) else {
                try cursor.check()
                (next, term, row, offset) = (nil, nil, [], 0)
                return false
            }
            row = Array(cursor.value)
            next = Array(key) + [0]
            (term, offset) = ([], 0)
            isRead = true
        }
        do throws(ByteReader.Damage) {
            (term, list, offset) = try row.withBytes { (bytes) throws(ByteReader.Damage) in
                var entry = TermRow(bytes, at: offset, after: term ?? [])
                guard try entry.next() else {
                    throw ByteReader.Damage(offset: 0, expected: "a term")
                }
                return (entry.term, entry.listRange, entry.offset)
            }
        } catch {
            throw .damagedTerms(of: number, error, path: cursor.path)
        }
        return isRead
    }

    /// Appends the occurrences of the current term, with the new indices of the documents.
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
