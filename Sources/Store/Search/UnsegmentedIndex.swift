import Models

/// An index in memory of the messages that are in no segment yet.
///
/// The messages are read again after the store was opened. Committed states share this object, so a
/// search may get candidates of later commits, which it does not find in its snapshot.
final class UnsegmentedIndex: Sendable {
    private struct Contents {
        /// The stored documents, until their messages are read.
        var unread: [Document]
        var builder = SegmentBuilder()
    }

    private let contents: Locked<Contents>

    init(unread: [Document] = []) { contents = Locked(Contents(unread: unread)) }

    var count: Int { contents.withLock { $0.unread.count + $0.builder.documents.count } }

    /// Reads the messages of the stored rows, unless they were read before.
    ///
    /// All possible snapshots have the same rows: a commit changes the cache only after this call.
    func readMessages(from snapshot: LevelDB.Snapshot) throws(StoreError) {
        try contents.withLock { (contents) throws(StoreError) in
            if contents.unread.isEmpty { return }
            var builder = SegmentBuilder()
            let cursor = snapshot.cursor()
            // In the order of time, the segment needs little sorting.
            for document in Set(contents.unread).sorted(by: { $1.precedes($0) }) {
                try cursor.scanMessages(of: document) { _, value in
                    // Other reads report the damage of a message that is omitted here.
                    if let message = try? Message(serialized: value) {
                        builder.add(message, in: document.channel)
                    }
                    return true
                }
            }
            contents.builder = builder
            contents.unread = []
        }
    }

    /// Adds messages of the next commit; if it fails, a search skips them.
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
        // Messages are mostly added in the order of time.
        return found.reversed().sorted { $0.precedes($1) }
    }

    /// Writes a segment, and keeps the object, which earlier committed states use.
    func write(as number: SegmentNumber, to overlay: Overlay) -> IndexSegment? {
        // Searches do not wait while the copy is written.
        contents.withLock { $0.builder }.write(as: number, to: overlay)
    }
}

struct CommittedIndex: Sendable {
    let part: IndexedPart
    let segments: [IndexSegment]
    let unsegmented: UnsegmentedIndex
    let nextUnsegmentedRow: UInt32

    /// Returns `nil` if the index is turned off.
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
    /// Also reads the unsegmented messages; returns `nil` if the index is turned off.
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
