import Models

/// Reads the documents and the occurrences of terms of one segment.
struct SegmentReader {
    let segment: IndexSegment
    let cursor: RowCursor
    /// The latest row of documents that was read.
    private var row: (index: Int, documents: [Document]) = (-1, [])

    init(_ segment: IndexSegment, _ cursor: RowCursor) {
        self.segment = segment
        self.cursor = cursor
    }

    /// Returns a document by its index in the segment.
    mutating func document(_ index: Int) throws(StoreError) -> Document {
        let number = index / SearchIndex.documentsPerRow
        if row.index != number { row = (number, try readRow(number)) }
        return row.documents[index % SearchIndex.documentsPerRow]
    }

    /// Returns the index of the first document that is not newer than a time.
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
        let key = ByteWriter.key { $0.documentsKey(segment.number, row: number) }
        let first = number * SearchIndex.documentsPerRow
        let count = min(SearchIndex.documentsPerRow, segment.documentCount - first)
        cursor.seek(to: key)
        guard let found = cursor.key, found.elementsEqual(key) else {
            try cursor.check()
            throw damage("row \(number) of the documents is missing")
        }
        do throws(ByteReader.Damage) {
            var reader = ByteReader(cursor.value)
            return try DocumentRow(&reader, count: count).documents
        } catch {
            throw StoreError(
                .corruption,
                "row \(number) of the documents of segment \(segment.number) of the search index: "
                    + "\(error)",
                path: cursor.path, cause: error)
        }
    }

    /// Appends the occurrences of a term in a range of documents; if `isPrefix` is true, of all
    /// terms that begin with `term`.
    ///
    /// - Returns: The index of the first document after the range in which such a term occurs;
    ///   `nil` if there is none.
    /// - Complexity: A seek for the term, then O(*n*) in the number of its occurrences in these
    ///   documents and in the number of terms in a row.
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
                        // The key consists of the table's prefix, the row's last term, a zero byte
                        // and the index of a document in four bytes. If a term of the row follows
                        // that last term, the row is damaged.
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

    private func damage(_ what: String) -> StoreError {
        let damage = ByteReader.Damage(endOfDataAt: 0)
        return StoreError(
            .corruption, "segment \(segment.number) of the search index: \(what)",
            path: cursor.path, cause: damage)
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
    /// Returns those documents of a range in which all words of a query occur.
    ///
    /// Some of these documents may contain the words of a phrase, but not the phrase.
    ///
    /// - Returns: The indices of the documents, and the index of the first document after the range
    ///   that may be a candidate; `nil` if there is none.
    func candidates(
        of terms: [SearchTermList], in documents: Range<Int>
    ) throws(StoreError) -> (indices: [Int], next: Int?) {
        var found: [Posting]?
        var list: [Posting] = []
        // The next candidate cannot precede the next occurrence of any of the terms.
        var next: Int? = documents.upperBound
        for phrase in terms {
            var phrasePostings: [Posting]?
            for (offset, term) in phrase.terms.enumerated() {
                list.removeAll(keepingCapacity: true)
                let later = try appendPostings(
                    of: term, isPrefix: phrase.isPrefix && offset == phrase.terms.count - 1,
                    in: documents, to: &list)
                next = next.flatMap { next in later.map { max(next, $0) } }
                if list.isEmpty { return ([], next) }
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
            if found?.isEmpty == true { return ([], next) }
        }
        return (found?.map(\.index) ?? [], next)
    }
}

/// The terms of a query's phrase, in the form in which the index contains them.
struct SearchTermList {
    let terms: [[UInt8]]
    let isPrefix: Bool

    init(_ phrase: SearchQuery.Phrase) {
        terms = phrase.terms.map { Array($0.utf8.prefix(SearchIndex.termSize)) }
        // Of a word longer than `termSize`, the index contains only the first bytes, which are
        // searched as a complete term.
        isPrefix =
            phrase.isPrefix && (phrase.terms.last?.utf8.count ?? 0) <= SearchIndex.termSize
    }
}

extension [Posting] {
    /// Returns the occurrences in documents that are in both lists and for which `words` returns a
    /// set that is not empty.
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
