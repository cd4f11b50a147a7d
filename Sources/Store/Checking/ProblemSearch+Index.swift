import Models

extension ProblemSearch {
    mutating func searchIndex(of rows: Rows, _ cursor: RowCursor) throws(StoreError) {
        var isOn = true
        var part: IndexedPart?
        do throws(StoreError) {
            part = try rows.indexedPart()
            isOn = part != nil
        } catch {
            guard error.cause is ByteReader.Damage else { throw error }
            add(.searchIndex)
        }
        var documents: Set<Document> = []
        var numbers: Set<SegmentNumber> = []
        try rows.scan(KeyRange(prefix: [Table.unsegmented.rawValue])) {
            (key, value) throws(StoreError) in
            var reader = ByteReader(value)
            if isOn, key.count == Table.prefixSize, let row = try? DocumentRow(&reader) {
                documents.formUnion(row.documents)
            } else {
                add(.searchIndex)
            }
            return true
        }
        try rows.scan(KeyRange(prefix: [Table.segment.rawValue])) {
            (key, value) throws(StoreError) in
            var reader = ByteReader(value)
            guard isOn, key.count == Table.prefixSize, let number = rows.readableNumber(ofKey: key),
                let segment = try? IndexSegment(number, &reader), reader.isAtEnd
            else {
                add(.searchIndex)
                return true
            }
            numbers.insert(number)
            try searchDocuments(of: segment, cursor, &documents)
            try searchTerms(of: segment, rows)
            return true
        }
        for table in [Table.documents, .terms] {
            try rows.scan(KeyRange(prefix: [table.rawValue])) { (key, _) throws(StoreError) in
                let number = rows.readableNumber(ofKey: key)
                // While the index is on, an interrupted merge may leave such rows, which are
                // removed later.
                if number.map({ !numbers.contains($0) && !isOn }) ?? true { add(.searchIndex) }
                return true
            }
        }
        guard let part, part.last == nil else { return }
        try rows.scan(KeyRange(prefix: [Table.message.rawValue])) { (key, _) throws(StoreError) in
            if let number = rows.readableNumber(ofKey: key),
                try rows.contains(ByteWriter.key { $0.table(.url, number) }),
                let position = try? ByteReader.position(ofMessageKey: key),
                !documents.contains(Document(time: position.createdAt, channel: number))
            {
                add(.searchIndex)
            }
            return true
        }
    }

    private mutating func searchDocuments(
        of segment: IndexSegment, _ cursor: RowCursor, _ documents: inout Set<Document>
    ) throws(StoreError) {
        var reader = SegmentReader(segment, cursor)
        var last: Document?
        for index in 0..<segment.documentCount {
            do throws(StoreError) {
                let document = try reader.document(index)
                if let last, !last.precedes(document) { add(.searchIndex) }
                last = document
                documents.insert(document)
            } catch {
                guard error.cause is ByteReader.Damage else { throw error }
                // Report the first problem only, because the whole index is rebuilt anyway.
                return add(.searchIndex)
            }
        }
    }

    private mutating func searchTerms(of segment: IndexSegment, _ rows: Rows) throws(StoreError) {
        let range = KeyRange(prefix: ByteWriter.key { $0.table(.terms, segment.number) })
        try rows.scan(range) { (key, value) throws(StoreError) in
            do throws(ByteReader.Damage) {
                var row = TermRow(value)
                var last = -1
                while try row.next() {
                    let hash = row.term.withUnsafeBufferPointer { TermFilter.hash($0) }
                    if !segment.filter.mayContain(hash) { add(.searchIndex) }
                    try row.list.forEachPosting(below: segment.documentCount) { posting in
                        last = posting.index
                        return true
                    }
                }
                let expected = row.term.withUnsafeBufferPointer { term in
                    ByteWriter.key { $0.termsKey(segment.number, term, max(0, last)) }
                }
                if last < 0 || !key.elementsEqual(expected) { add(.searchIndex) }
            } catch {
                add(.searchIndex)
            }
            return true
        }
    }
}
