import Models

/// An index in memory of the unsegmented messages, which are in no segment yet.
///
/// The rows of unsegmented messages say only which messages these are, so their texts are read
/// again after the store was opened. Committed states share this object, so a search may get
/// candidates that only a later commit contains. It skips them, because it reads each candidate
/// from its own snapshot.
final class UnsegmentedIndex: Sendable {
    private struct Contents {
        /// The documents of the stored rows, until their messages are read.
        var unread: [Document]
        var builder = SegmentBuilder()
    }

    private let contents: Locked<Contents>

    init(unread: [Document] = []) { contents = Locked(Contents(unread: unread)) }

    /// The number of messages.
    var count: Int { contents.withLock { $0.unread.count + $0.builder.documents.count } }

    /// Reads the messages of the stored rows, if they were not read yet.
    ///
    /// All snapshots that may be passed have the same rows, because a commit changes the cache only
    /// after this call.
    func readMessages(from snapshot: LevelDB.Snapshot) throws(StoreError) {
        try contents.withLock { (contents) throws(StoreError) in
            if contents.unread.isEmpty { return }
            var builder = SegmentBuilder()
            let cursor = snapshot.cursor()
            // Read in the order of time, so that the segment needs little sorting.
            for document in Set(contents.unread).sorted(by: { $1.precedes($0) }) {
                try cursor.forEachMessage(of: document) { builder.add($0, in: document.channel) }
            }
            contents.builder = builder
            contents.unread = []
        }
    }

    /// Adds messages that the next commit contains.
    ///
    /// If the commit fails, the messages may stay: a search reads each candidate from its snapshot,
    /// and skips those that are missing.
    func add(_ messages: ArraySlice<(message: Message, channel: ChannelNumber)>) {
        contents.withLock { contents in
            for (message, channel) in messages { contents.builder.add(message, in: channel) }
        }
    }

    /// Returns the documents in which all words of a query occur, newest first.
    func candidates(of phrases: [SearchTermList]) -> [Document] {
        let found = contents.withLock { contents in
            let builder = contents.builder
            return phrases.candidates { builder.postings(of: $0, isPrefix: $1) }
                .map { builder.documents[$0] }
        }
        // Messages are mostly added in the order of time, which is quickly reversed.
        return found.reversed().sorted { $0.precedes($1) }
    }

    /// Writes all messages as a segment.
    ///
    /// The object stays unchanged, because earlier committed states use it.
    func write(as number: SegmentNumber, to overlay: Overlay) -> IndexSegment? {
        // Searches do not wait while the copy is written.
        contents.withLock { $0.builder }.write(as: number, to: overlay)
    }
}

/// The search index of a committed state.
struct CommittedIndex: Sendable {
    let part: IndexedPart
    let segments: [IndexSegment]
    let unsegmented: UnsegmentedIndex
    /// The number of the next row of unsegmented messages.
    let nextUnsegmentedRow: UInt32

    /// Reads the index; returns `nil` if it is turned off.
    ///
    /// - Throws: `corruption` if a row cannot be decoded.
    static func read(_ rows: Rows) throws(StoreError) -> CommittedIndex? {
        guard let part = try rows.indexedPart() else { return nil }
        var next: UInt32 = 0
        var unsegmented: [Document] = []
        try rows.forEachUnsegmentedRow { number, documents in
            next = number &+ 1
            unsegmented += documents
        }
        return CommittedIndex(
            part: part, segments: try rows.segments(),
            unsegmented: UnsegmentedIndex(unread: unsegmented),
            nextUnsegmentedRow: next)
    }
}

extension CommittedState {
    /// Returns the search index, with the unsegmented messages read; `nil` if it is turned off.
    ///
    /// - Throws: `corruption` if a row cannot be decoded.
    func readIndex() throws(StoreError) -> CommittedIndex? {
        if let known = index {
            try known.unsegmented.readMessages(from: cache)
            return known
        }
        guard let found = try CommittedIndex.read(Rows(snapshot: cache)) else { return nil }
        try found.unsegmented.readMessages(from: cache)
        derived.withLock { $0.index = $0.index ?? found }
        return found
    }
}
