import Models

/// Collects the terms of messages for a segment.
struct SegmentBuilder {
    private struct Entry {
        var start: Int
        var count: Int
        let hash: Int
        /// The first and the last occurrence, as indices of ``links``.
        var first: Int32
        var last: Int32
    }

    private struct Link {
        var posting: Posting
        /// The index of the term's next occurrence; -1 if there is none.
        var next: Int32
    }

    private(set) var documents: [Document] = []
    private var arena: [UInt8] = []
    private var entries: [Entry] = []
    private var links: [Link] = []
    /// A hash table of the indices of entries plus one; zero for a free slot.
    private var slots = [Int32](repeating: 0, count: 1024)
    private var reader = SearchTerms()

    init() {}

    /// Messages with the same channel and time become one document.
    mutating func add(_ message: Message, in channel: ChannelNumber) {
        let index = documents.count
        documents.append(Document(time: message.createdAt, channel: channel))
        // A separate variable avoids copying the reader's memory.
        var reader = self.reader
        self.reader = SearchTerms()
        var number = 0
        for (_, text) in message.searchedTexts {
            number = reader.forEach(in: text, from: number) { term, word in
                add(
                    UnsafeBufferPointer(rebasing: term.prefix(SearchIndex.termSize)),
                    Posting(index, words: 1 << UInt8(word & 7)))
            }
            // A phrase does not continue in the next text.
            number += 1
        }
        self.reader = reader
    }

    private mutating func add(_ term: UnsafeBufferPointer<UInt8>, _ posting: Posting) {
        let hash = UnsafeRawBufferPointer(term).hash
        let slot = slot(of: term, hash)
        if slots[slot] != 0 {
            let index = Int(slots[slot]) - 1
            let last = Int(entries[index].last)
            if links[last].posting.index == posting.index {
                links[last].posting.bits |= posting.bits
            } else {
                links[last].next = Int32(links.count)
                entries[index].last = Int32(links.count)
                links.append(Link(posting: posting, next: -1))
            }
            return
        }
        let link = Int32(links.count)
        links.append(Link(posting: posting, next: -1))
        entries.append(
            Entry(start: arena.count, count: term.count, hash: hash, first: link, last: link))
        arena.append(contentsOf: term)
        slots[slot] = Int32(entries.count)
        if entries.count * 2 > slots.count { growSlots() }
    }

    /// Returns a free slot if the term was not added.
    private func slot(of term: UnsafeBufferPointer<UInt8>, _ hash: Int) -> Int {
        var slot = hash & (slots.count - 1)
        while slots[slot] != 0 {
            let entry = entries[Int(slots[slot]) - 1]
            if entry.hash == hash && isEqual(entry, term) { break }
            slot = (slot + 1) & (slots.count - 1)
        }
        return slot
    }

    private func isEqual(_ entry: Entry, _ term: UnsafeBufferPointer<UInt8>) -> Bool {
        guard entry.count == term.count else { return false }
        return arena.withUnsafeBufferPointer { arena in
            for offset in 0..<entry.count where arena[entry.start + offset] != term[offset] {
                return false
            }
            return true
        }
    }

    private mutating func growSlots() {
        slots = [Int32](repeating: 0, count: slots.count * 2)
        for (index, entry) in entries.enumerated() {
            var slot = entry.hash & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(index + 1)
        }
    }

    @inline(__always)
    private func forEachPosting(of entry: Entry, _ body: (Posting) -> Void) {
        var next = entry.first
        while next >= 0 {
            let link = links[Int(next)]
            body(link.posting)
            next = link.next
        }
    }

    func postings(of term: [UInt8], isPrefix: Bool) -> [Posting] {
        var postings: [Posting] = []
        func append(_ entry: Entry) { forEachPosting(of: entry) { postings.append($0) } }
        if isPrefix {
            arena.withBytes { arena in
                term.withBytes { term in
                    for entry in entries where entry.count >= term.count {
                        let start = arena[entry.start..<entry.start + term.count]
                        if UnsafeRawBufferPointer(rebasing: start).hasSameBytes(as: term) {
                            append(entry)
                        }
                    }
                }
            }
            postings.normalize()
        } else {
            let index = term.withUnsafeBufferPointer {
                slots[slot(of: $0, UnsafeRawBufferPointer($0).hash)]
            }
            if index != 0 { append(entries[Int(index) - 1]) }
        }
        return postings
    }

    /// Returns `nil` if no message was added.
    func write(as number: SegmentNumber, to overlay: Overlay) -> IndexSegment? {
        if documents.isEmpty { return nil }
        let order = documents.indices.sorted { documents[$0].precedes(documents[$1]) }
        var sorted: [Document] = []
        var ranks = [Int](repeating: 0, count: documents.count)
        for index in order {
            if sorted.last != documents[index] { sorted.append(documents[index]) }
            ranks[index] = sorted.count - 1
        }
        return arena.withUnsafeBufferPointer { arena in
            func term(_ entry: Entry) -> UnsafeBufferPointer<UInt8> {
                UnsafeBufferPointer(rebasing: arena[entry.start..<entry.start + entry.count])
            }
            var writer = TermWriter(number)
            var postings: [Posting] = []
            for entry in entries.sorted(by: { term($0).precedes(term($1)) }) {
                postings.removeAll(keepingCapacity: true)
                forEachPosting(of: entry) {
                    postings.append(Posting(ranks[$0.index], words: $0.words))
                }
                postings.normalize()
                writer.write(term(entry), postings, to: overlay)
            }
            writer.finish(to: overlay)
            return sorted.writeSegment(number, writer.filter, to: overlay)
        }
    }
}

extension [Document] {
    /// The documents must be in order and distinct.
    func writeSegment(
        _ number: SegmentNumber, _ filter: TermFilter, to overlay: Overlay
    ) -> IndexSegment {
        let segment = IndexSegment(
            number: number, documentCount: count, newest: self[0].time,
            oldest: self[count - 1].time, filter: filter)
        for (row, start) in stride(from: 0, to: count, by: SearchIndex.documentsPerRow).enumerated()
        {
            let documents = self[start..<Swift.min(start + SearchIndex.documentsPerRow, count)]
            overlay.put(
                { $0.documentsKey(number, row: row) }, { DocumentRow.write(documents, to: &$0) })
        }
        overlay.put({ $0.segmentKey(number) }, segment.write)
        return segment
    }
}

extension [Posting] {
    /// Sorts the occurrences by document, and combines those in the same document.
    mutating func normalize() {
        var isNormal = true
        for index in indices.dropFirst() where self[index - 1].index >= self[index].index {
            isNormal = false
            break
        }
        if isNormal { return }
        sort { $0.bits < $1.bits }
        var count = 0
        for posting in self {
            if count > 0, self[count - 1].index == posting.index {
                self[count - 1].bits |= posting.bits
            } else {
                self[count] = posting
                count += 1
            }
        }
        removeLast(self.count - count)
    }
}

extension UnsafeBufferPointer<UInt8> {
    func precedes(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
        UnsafeRawBufferPointer(self).precedes(UnsafeRawBufferPointer(other))
    }
}
