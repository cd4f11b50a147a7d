import Models

/// The documents in which the words of a query occur, newest first.
struct CandidateMerge {
    private var sources: [CandidateSource] = []
    private let span: (lower: Timestamp, upper: Timestamp)
    private let channels: Set<ChannelNumber>?

    init(
        _ phrases: [SearchTermList], in channels: Set<ChannelNumber>?, from lower: Timestamp,
        through upper: Timestamp, _ index: CommittedIndex, _ cursor: RowCursor
    ) {
        span = (lower, upper)
        self.channels = channels
        let unsegmented = index.unsegmented.candidates(of: phrases)
            .filter { lower...upper ~= $0.time }
        if !unsegmented.isEmpty { sources.append(CandidateSource(unsegmented)) }
        for segment in index.segments
        where segment.newest >= lower && segment.oldest <= upper
            && phrases.allSatisfy({ $0.mayOccur(in: segment) })
        {
            sources.append(CandidateSource(segment, phrases, through: upper, cursor))
        }
    }

    /// Returns the next documents, which have the same time; empty at the end.
    mutating func next() throws(StoreError) -> [Document] {
        while true {
            var time: Timestamp?
            var unread: Int?
            for index in sources.indices {
                guard let newest = sources[index].newest else { continue }
                let isNewer = time.map { newest > $0 } ?? true
                // Read a source only if its documents may be next.
                if isNewer || newest == time && !sources[index].isRead {
                    unread = sources[index].isRead ? nil : index
                }
                if isNewer { time = newest }
            }
            guard let time, time >= span.lower else { return [] }
            if let unread {
                try sources[unread].read()
                continue
            }
            var documents: [Document] = []
            for index in sources.indices {
                while sources[index].isRead, sources[index].newest == time {
                    let document = try sources[index].pop()
                    if channels?.contains(document.channel) ?? true { documents.append(document) }
                }
            }
            // An edited message may be in several segments.
            if documents.count > 1 { documents = Array(Set(documents)) }
            if !documents.isEmpty { return documents }
        }
    }
}

/// The candidates from a segment, read in portions, or from the unsegmented messages.
private struct CandidateSource {
    /// The number of documents of the first portion; each further one is four times as large.
    private static let firstPortion = 2048

    private var reader: SegmentReader?
    private var phrases: [SearchTermList] = []
    private var upper = Timestamp(milliseconds: .max)
    private var next: Int?
    private var portion = firstPortion
    /// The read candidates, as indices in the segment; unsegmented ones are in `documents`.
    private var indices: ArraySlice<Int> = []
    private var documents: ArraySlice<Document> = []
    /// If false, ``newest`` is an upper bound of the next portion.
    private(set) var isRead = false
    /// The time of the next candidate, or an upper bound; `nil` at the end.
    private(set) var newest: Timestamp?

    init(_ documents: [Document]) {
        self.documents = documents[...]
        newest = documents.first?.time
        isRead = true
    }

    init(
        _ segment: IndexSegment, _ phrases: [SearchTermList], through upper: Timestamp,
        _ cursor: RowCursor
    ) {
        reader = SegmentReader(segment, cursor)
        self.phrases = phrases
        self.upper = upper
        newest = min(segment.newest, upper)
    }

    mutating func read() throws(StoreError) {
        guard var reader else { return }
        var start = next ?? 0
        if next == nil { start = try reader.firstIndex(atOrBefore: upper) }
        // After whole rows, one row is read to find the next portion's first time.
        let count = reader.segment.documentCount
        let end = min(
            (start + portion) / SearchIndex.documentsPerRow * SearchIndex.documentsPerRow, count)
        next = count
        if start < end {
            let candidates = try reader.candidates(of: phrases, in: start..<end)
            indices = candidates.indices[...]
            next = candidates.next ?? count
        }
        self.reader = reader
        portion *= 4
        try findNewest()
    }

    mutating func pop() throws(StoreError) -> Document {
        if let document = documents.popFirst() {
            newest = documents.first?.time
            return document
        }
        // A candidate exists, because `isRead` is true.
        let document = try reader!.document(indices.removeFirst())
        try findNewest()
        return document
    }

    private mutating func findNewest() throws(StoreError) {
        isRead = !indices.isEmpty
        if let first = indices.first {
            newest = try reader!.document(first).time
        } else if let next, next < reader!.segment.documentCount {
            newest = try reader!.document(next).time
        } else {
            newest = nil
        }
    }
}

extension SearchTermList {
    var byteCount: Int { terms.reduce(0) { $0 + $1.count } }
}
