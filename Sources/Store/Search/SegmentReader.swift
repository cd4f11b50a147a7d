import Models

struct SegmentReader {
    let segment: IndexSegment
    let cursor: RowCursor
    private var row: (index: Int, documents: [Document]) = (-1, [])

    init(_ segment: IndexSegment, _ cursor: RowCursor) {
        self.segment = segment
        self.cursor = cursor
    }

    mutating func document(_ index: Int) throws(StoreError) -> Document {
        let number = index / SearchIndex.documentsPerRow
        if row.index != number { row = (number, try readRow(number)) }
        return row.documents[index % SearchIndex.documentsPerRow]
    }

    mutating func firstIndex(atOrBefore time: Timestamp) throws(StoreError) -> Int {
        if segment.newest <= time { return 0 }
        var (low, high) = (0, segment.documentCount)
        while low < high {
            let middle = (low + high) / 2
            if try document(middle).time > time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func readRow(_ number: Int) throws(StoreError) -> [Document] {
        let first = number * SearchIndex.documentsPerRow
        let count = min(SearchIndex.documentsPerRow, segment.documentCount - first)
        let documents = try Rows(snapshot: cursor.snapshot).read(
            ByteWriter.key { $0.documentsKey(segment.number, row: number) },
            as: "row \(number) of the documents of segment \(segment.number) of the search index"
        ) { (reader) throws(ByteReader.Damage) in
            try DocumentRow(&reader, count: count).documents
        }
        guard let documents else {
            throw StoreError(
                .corruption,
                "segment \(segment.number) of the search index: row \(number) of the documents is "
                    + "missing",
                path: cursor.path, cause: ByteReader.Damage(endOfDataAt: 0))
        }
        return documents
    }

    /// Appends the occurrences of a term (if `isPrefix`, of all terms with this prefix) in
    /// `documents`, and returns the next document with one.
    func appendPostings(
        of term: [UInt8], isPrefix: Bool, in documents: Range<Int>, to postings: inout [Posting]
    ) throws(StoreError) -> Int? {
        let table = ByteWriter.key { $0.table(.terms, segment.number) }
        var target = term.withUnsafeBufferPointer { term in
            ByteWriter.key {
                $0.termsKey(segment.number, term, isPrefix ? 0 : documents.lowerBound)
            }
        }
        if isPrefix { target = table + term }
        cursor.seek(to: target)
        var later: Int?
        rows: while let key = cursor.key, key.starts(with: table) {
            var row = TermRow(cursor.value)
            do throws(ByteReader.Damage) {
                while try row.next() {
                    let isFound = isPrefix ? row.term.starts(with: term) : row.term == term
                    if isFound {
                        try row.list.forEachPosting(below: segment.documentCount) { posting in
                            if posting.index >= documents.upperBound {
                                later = min(later ?? .max, posting.index)
                                return false
                            }
                            if posting.index >= documents.lowerBound { postings.append(posting) }
                            return true
                        }
                    } else if !row.term.precedes(term) {
                        // The key is the table's prefix, the row's last term, a zero byte and four
                        // bytes. No term of the row may follow the last one.
                        let last = key.dropFirst(table.count).dropLast(5)
                        if last.lexicographicallyPrecedes(row.term) {
                            throw ByteReader.Damage(offset: 0, expected: "a term before its key's")
                        }
                        break rows
                    }
                }
            } catch {
                throw .damagedTerms(of: segment.number, error, path: cursor.path)
            }
            if later != nil && !isPrefix { break }
            cursor.next()
        }
        try cursor.check()
        if isPrefix { postings.normalize() }
        return later
    }
}

extension StoreError {
    static func damagedTerms(
        of segment: SegmentNumber, _ damage: ByteReader.Damage, path: String
    ) -> StoreError {
        StoreError(
            .corruption, "terms of segment \(segment) of the search index: \(damage)", path: path,
            cause: damage)
    }
}

// MARK: The occurrences of a query

extension SegmentReader {
    /// Returns the documents of a range in which all words occur, perhaps not adjacent, and the
    /// first later document that may be a candidate.
    func candidates(
        of terms: [SearchTermList], in documents: Range<Int>
    ) throws(StoreError) -> (indices: [Int], next: Int?) {
        // The next candidate cannot precede the next occurrence of any term.
        var next: Int? = documents.upperBound
        let indices = try terms.candidates { (term, isPrefix) throws(StoreError) in
            var list: [Posting] = []
            let later = try appendPostings(
                of: term, isPrefix: isPrefix, in: documents, to: &list)
            next = next.flatMap { next in later.map { max(next, $0) } }
            return list
        }
        return (indices, next)
    }
}

extension [SearchTermList] {
    /// Returns the documents in which all words occur, perhaps not adjacent as in a phrase.
    ///
    /// `postings` returns the occurrences of a term or, with `true`, of all terms with this prefix.
    func candidates<Failure: Error>(
        _ postings: ([UInt8], Bool) throws(Failure) -> [Posting]
    ) throws(Failure) -> [Int] {
        var found: [Posting]?
        for phrase in self {
            var phrasePostings: [Posting]?
            for (offset, term) in phrase.terms.enumerated() {
                let isPrefix = phrase.isPrefix && offset == phrase.terms.count - 1
                let list = try postings(term, isPrefix)
                if list.isEmpty { return [] }
                if let earlier = phrasePostings {
                    phrasePostings = earlier.intersection(list) { earlier, next in
                        (earlier << 1 | earlier >> 7) & next
                    }
                } else {
                    phrasePostings = list
                }
            }
            guard let phrasePostings else { continue }
            found = found?.intersection(phrasePostings) { _, _ in 0xFF } ?? phrasePostings
            if found?.isEmpty == true { return [] }
        }
        return found?.map(\.index) ?? []
    }
}

struct SearchTermList {
    let terms: [[UInt8]]
    let isPrefix: Bool
    private let hashes: [UInt64]

    init(_ phrase: SearchQuery.Phrase) {
        terms = phrase.terms.map { Array($0.utf8.prefix(SearchIndex.termSize)) }
        // The first bytes of a longer word are a complete term.
        isPrefix =
            phrase.isPrefix && (phrase.terms.last?.utf8.count ?? 0) <= SearchIndex.termSize
        hashes = terms.dropLast(isPrefix ? 1 : 0).map {
            $0.withUnsafeBufferPointer { TermFilter.hash($0) }
        }
    }

    /// If false, a term is certainly not in the segment.
    func mayOccur(in segment: IndexSegment) -> Bool {
        hashes.allSatisfy(segment.filter.mayContain)
    }
}

extension [Posting] {
    /// Returns the occurrences in documents of both lists for which `words` returns a non-empty
    /// set.
    fileprivate func intersection(
        _ other: [Posting], _ words: (UInt8, UInt8) -> UInt8
    ) -> [Posting] {
        var both: [Posting] = []
        var (left, right) = (0, 0)
        while left < count, right < other.count {
            let (first, second) = (self[left], other[right])
            if first.index == second.index {
                let words = words(first.words, second.words)
                if words != 0 { both.append(first.with(words: words)) }
                left += 1
                right += 1
            } else if first.index < second.index {
                left += 1
            } else {
                right += 1
            }
        }
        return both
    }
}
