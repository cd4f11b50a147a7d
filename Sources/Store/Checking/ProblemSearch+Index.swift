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
        try rows.forEachRow(in: KeyRange(Table.unsegmented)) { key, value in
            var reader = ByteReader(value)
            if isOn, key.count == Table.prefixSize, let row = try? DocumentRow(&reader) {
                documents.formUnion(row.documents)
            } else {
                add(.searchIndex)
            }
        }
        try rows.forEachRow(in: KeyRange(Table.segment)) { (key, value) throws(StoreError) in
            var reader = ByteReader(value)
            guard isOn, key.count == Table.prefixSize, let number = rows.readableNumber(ofKey: key),
                let segment = try? IndexSegment(number, &reader), reader.isAtEnd
            else { return add(.searchIndex) }
            numbers.insert(number)
            try searchDocuments(of: segment, cursor, &documents)
            try searchTerms(of: segment, rows)
        }
        for table in [Table.documents, .terms] {
            try rows.forEachRow(in: KeyRange(table)) { key, _ in
                let number = rows.readableNumber(ofKey: key)
                // While the index is on, an interrupted merge may leave such rows, which are
                // removed later.
                if number.map({ !numbers.contains($0) && !isOn }) ?? true { add(.searchIndex) }
            }
        }
        guard let part, part.last == nil else { return }
        try rows.forEachRow(in: KeyRange(Table.message)) { (key, _) throws(StoreError) in
            if let number = rows.readableNumber(ofKey: key),
                try rows.contains(ByteWriter.key { $0.table(.url, number) }),
                let position = try? ByteReader.position(ofMessageKey: key),
                !documents.contains(Document(time: position.createdAt, channel: number))
            {
                add(.searchIndex)
            }
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
        try rows.forEachRow(in: KeyRange(.terms, segment.number)) { key, value in
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
        }
    }
}
