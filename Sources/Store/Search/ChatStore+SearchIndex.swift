import Models

/// The state of a store's search index.
public struct SearchIndexStatus: Hashable, Sendable {
    /// The fraction of the messages that are indexed, from 0 to 1.
    ///
    /// Until the fraction is 1, a search reads all messages.
    public let fractionCompleted: Double

    /// The number of segments of the index.
    public let segmentCount: Int

    /// The number of documents in the segments.
    ///
    /// A document is a message, or all messages of a channel with the same time. An edited message
    /// is counted in several segments until these are merged, and a removed one until the segments
    /// are rewritten because most of their documents are outdated.
    public let documentCount: Int

    /// The number of messages that are in no segment yet.
    public let unsegmentedCount: Int

    /// The total size of the keys and values of the index, in bytes.
    public let byteCount: Int
}

extension StoreReader {
    /// Returns the state of the search index; `nil` if it is turned off.
    ///
    /// - Throws: `corruption` if a row of the index cannot be decoded.
    /// - Complexity: O(*n*) in the rows of the index, about one for each hundred messages; while
    ///   the index is built, also in the messages of one channel.
    public func searchIndexStatus() throws(StoreError) -> SearchIndexStatus? {
        let view = try view
        let rows = view.cache
        guard let part = try rows.indexedPart() else { return nil }
        var size = 0
        for table in Table.ofIndex {
            try rows.forEachRow(in: KeyRange(table)) { key, value in
                size += key.count + value.count
            }
        }
        let segments = try rows.segments()
        return SearchIndexStatus(
            fractionCompleted: try view.fractionIndexed(part), segmentCount: segments.count,
            documentCount: segments.reduce(0) { $0 + $1.documentCount },
            unsegmentedCount: try rows.unsegmentedCount(),
            byteCount: size)
    }
}

extension StoreView {
    fileprivate func fractionIndexed(_ part: IndexedPart) throws(StoreError) -> Double {
        guard let last = part.last else { return 1 }
        let rows = cache
        // Empty: the beginning of the table.
        let current = last.isEmpty ? 0 : last.withBytes { rows.readableNumber(ofKey: $0) } ?? 0
        var (total, left) = (0.0, 0.0)
        try rows.forEachRow(in: KeyRange(Table.state)) { (key, value) throws(StoreError) in
            let count = Double(try rows.state(value).messageCount)
            total += count
            let number = try rows.number(ofKey: key)
            if number == current {
                let end = KeyRange(.message, current).upper
                // The range begins with the last message that is indexed.
                left += Double(max(0, try rows.count(KeyRange(last, end)) - 1))
            } else if number > current {
                left += count
            }
        }
        // Until the end of the last channel is found, the index is not complete.
        return total == 0 ? 0 : (total - max(1, left)) / total
    }
}

// MARK: Indexing stored messages

extension ChatStore {
    /// Continues the work on the search index.
    ///
    /// The call indexes messages that were stored before the index was turned on, and then merges
    /// segments, as each write also does. Repeat it until it returns `false`, with pauses for other
    /// writes; `ChatClient` does so in the background. The work continues after a restart.
    ///
    /// - Parameter limit: The maximum number of messages to index.
    /// - Returns: `true` if work remains; `false` if the index is complete or turned off.
    /// - Throws: As ``write(_:)`` does.
    /// - Precondition: The call is not inside a write.
    @discardableResult
    public func indexMessages(atMost limit: Int = 512) throws(StoreError) -> Bool {
        precondition(!isWriting, "ChatStore.indexMessages is a write: call it after this one.")
        guard isSearchIndexed else { return false }
        return try writer.withLock { (writer) throws(StoreError) in
            if let error = try recover(&writer).cache { throw error }
            let committed = try committed()
            try prepareIndex(&writer, committed)
            guard var index = writer.index else { return false }
            // After an error, the next write reads the state again.
            writer.index = nil
            let overlay = Overlay()
            let hasMerge: Bool
            if index.part.last != nil {
                try index.indexNext(limit, of: cache, to: overlay)
                try cache.write(overlay, isDurable: false)
                hasMerge = index.nextMerge(messageCount: try committed.messageCount()) != nil
            } else {
                hasMerge = try cache.mergeSegments(
                    of: &index, messageCount: try committed.messageCount(), atMost: limit / 2)
            }
            writer.index = index
            try renewSnapshot(index: index.committed)
            return index.part.last != nil || hasMerge
        }
    }

    /// Removes the search index, which ``indexMessages(atMost:)`` then builds again.
    ///
    /// If the index is turned off, the call has no effect.
    ///
    /// - Throws: As ``write(_:)`` does.
    /// - Precondition: The call is not inside a write.
    /// - Complexity: O(*n*) in the rows of the index.
    public func rebuildSearchIndex() throws(StoreError) {
        precondition(!isWriting, "ChatStore.rebuildSearchIndex is a write: call it after this one.")
        guard isSearchIndexed else { return }
        try writer.withLock { (writer) throws(StoreError) in
            if let error = try recover(&writer).cache { throw error }
            try beginIndex(&writer)
            try renewSnapshot(index: writer.index?.committed)
        }
    }

    /// Reads the state of the index, or begins an index if there is none.
    ///
    /// If the index is damaged, the store works without it until the engine replaces the cache.
    func prepareIndex(_ writer: inout Writer, _ committed: CommittedState) throws(StoreError) {
        guard isSearchIndexed else { return }
        do throws(StoreError) {
            if writer.index == nil {
                writer.index = try readIndex(in: committed.cache)
                // If a search has read the unsegmented messages, do not read them again.
                if let known = committed.index { writer.index?.unsegmented = known.unsegmented }
            }
            if writer.index == nil { try beginIndex(&writer) }
            try writer.index?.unsegmented.readMessages(from: committed.cache)
        } catch {
            guard error.cause is ByteReader.Damage else { throw error }
            _ = committed.cache.recordingDamage(error)
            writer.index = nil
        }
    }

    private func beginIndex(_ writer: inout Writer) throws(StoreError) {
        writer.index = nil
        try cache.beginIndex()
        try cache.removeUnownedIndexRows()
        writer.index = try readIndex(in: cache.snapshot())
    }

    private func readIndex(in cache: LevelDB.Snapshot) throws(StoreError) -> IndexState? {
        try IndexState.read(
            Rows(snapshot: cache), segmentMessageCount: self.cache.options.searchSegmentMessageCount
        )
    }

    func mergeSegments(_ writer: inout Writer, _ committed: CommittedState, savedCount: Int) {
        guard var index = writer.index else { return }
        writer.index = nil
        do throws(StoreError) {
            if index.hasUnownedRows {
                try cache.removeUnownedIndexRows()
                index.hasUnownedRows = false
            }
            // Merges must keep up with the writes.
            _ = try cache.mergeSegments(
                of: &index, messageCount: try committed.messageCount(), atMost: 16 + savedCount / 4)
            writer.index = index
        } catch {
            // The commit is valid nevertheless, and the next write tries again.
            if error.cause is ByteReader.Damage { _ = committed.cache.recordingDamage(error) }
        }
    }
}

extension IndexState {
    fileprivate mutating func indexNext(
        _ limit: Int, of cache: LevelDB, to overlay: Overlay
    ) throws(StoreError) {
        var builder = SegmentBuilder()
        var last: KeyBytes?
        var left = max(1, limit)
        let rows = Rows(snapshot: try cache.snapshot())
        var range = KeyRange(Table.message)
        if let start = part.last, !start.isEmpty { range.lower = start + [0] }
        try rows.scan(range) { (key, value) throws(StoreError) in
            // Other reads report the damage of a message that is omitted here.
            if let number = rows.readableNumber(ofKey: key),
                let message = try? Message(serialized: value)
            {
                builder.add(message, in: number)
            }
            left -= 1
            if left == 0 { last = KeyBytes(key) }
            return left > 0
        }
        if let segment = builder.write(as: takeNumber(), to: overlay) { segments.append(segment) }
        part.last = last
        overlay.put({ $0.schemaKey(.searchIndex) }, part.write)
    }
}

// MARK: Merging

extension LevelDB {
    /// Merges the smallest segments first, reads at most `limit` rows, and returns whether a merge
    /// remains.
    func mergeSegments(
        of index: inout IndexState, messageCount: Int, atMost limit: Int
    ) throws(StoreError) -> Bool {
        var left = max(1, limit)
        while left > 0 {
            // The next merge may read a segment of the previous one.
            let snapshot = try snapshot()
            let rows = Rows(snapshot: snapshot)
            let cursor = snapshot.cursor()
            if let next = index.nextMerge(messageCount: messageCount) {
                index.merges.append(
                    try SegmentMerge(
                        next.sources, as: index.takeNumber(), cursor, rows,
                        sizeClass: next.sizeClass))
            }
            let overlay = Overlay()
            guard let last = index.merges.indices.last else { return false }
            let result = try index.merges[last].step(cursor, rows, to: overlay, atMost: &left)
            if !overlay.isEmpty { try write(overlay, isDurable: false) }
            guard let result else { break }
            index.merges.removeLast()
            index.segments.removeAll { result.replaced.contains($0.number) }
            index.unpruned.removeAll { result.replaced.contains($0) }
            if let segment = result.segment { index.segments.append(segment) }
            if index.unpruned.isEmpty { index.prunedCount = index.documentCount }
        }
        return !index.merges.isEmpty || index.nextMerge(messageCount: messageCount) != nil
    }
}

extension IndexState {
    /// Returns the segments to merge next, with their size class; `nil` if no merge is to begin.
    ///
    /// Eight segments of about the same size are merged, if they are smaller than those of the
    /// merges that have begun. If the index has more than twice as many documents as there are
    /// messages, each segment is rewritten without the documents that have no message, with `nil`
    /// as its size class.
    fileprivate mutating func nextMerge(
        messageCount: Int
    ) -> (sources: [IndexSegment], sizeClass: Int?)? {
        guard segments.count > merges.reduce(0, { $0 + $1.sources.count }) else { return nil }
        let merged = Set(merges.flatMap(\.sources).map(\.number))
        let bound = merges.last?.sizeClass ?? .max
        var sizes: [Int: [IndexSegment]] = [:]
        for segment in segments.sorted(by: { $0.number < $1.number })
        where segment.sizeClass < bound && !merged.contains(segment.number) {
            sizes[segment.sizeClass, default: []].append(segment)
        }
        for (sizeClass, segments) in sizes.sorted(by: { $0.key < $1.key })
        where segments.count >= SearchIndex.mergedCount {
            var (sources, count): ([IndexSegment], Int) = ([], 0)
            for segment in segments.prefix(SearchIndex.mergedCount)
            where count + segment.documentCount <= SearchIndex.maximumSegmentSize {
                sources.append(segment)
                count += segment.documentCount
            }
            if sources.count > 1 { return (sources, sizeClass) }
        }
        guard merges.isEmpty else { return nil }
        if unpruned.isEmpty {
            let count = documentCount
            let isMostlyOld = count > 2 * messageCount + SearchIndex.segmentMessageCount
            guard isMostlyOld, count > prunedCount + prunedCount / 4 else { return nil }
            unpruned = segments.map(\.number)
        }
        let source = segments.first { unpruned.contains($0.number) }
        return source.map { ([$0], nil) }
    }
}

extension IndexSegment {
    /// The logarithm of the size to base ``SearchIndex/mergedCount``; 0 below
    /// ``SearchIndex/firstSizeClassBound``.
    fileprivate var sizeClass: Int {
        var (size, bound) = (0, SearchIndex.firstSizeClassBound)
        while documentCount >= bound {
            size += 1
            bound *= SearchIndex.mergedCount
        }
        return size
    }
}
