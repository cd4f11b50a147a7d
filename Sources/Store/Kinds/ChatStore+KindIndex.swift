import Models

extension ChatStore {
    /// Continues to index the kinds of messages that an earlier version of the package has stored.
    ///
    /// Messages that this version saves are indexed in the same batch. Until all messages are
    /// indexed, lists of kinds read all messages of their channels. Repeat the call until it returns
    /// `false`, with pauses for other writes; `ChatClient` does so in the background. If the process
    /// ends before that, the next call continues the work.
    ///
    /// - Parameter limit: The maximum number of messages to index. The default is 512.
    /// - Returns: `true` if messages remain; `false` if the index is complete.
    /// - Throws: ``StoreError``, as ``write(_:)`` does.
    /// - Precondition: The call is not inside a write.
    @discardableResult
    public func indexKinds(atMost limit: Int = 512) throws(StoreError) -> Bool {
        precondition(!isWriting, "ChatStore.indexKinds is a write: call it after this one.")
        return try writer.withLock { (writer) throws(StoreError) in
            if let error = try recover(&writer).cache { throw error }
            let committed = try committed()
            let rows = Rows(snapshot: committed.cache)
            guard let part = try rows.kindIndexPart(), let last = part.last else { return false }
            let overlay = Overlay()
            let next = try rows.indexKinds(after: last, atMost: max(1, limit), to: overlay)
            overlay.put(
                { $0.schemaKey(.kindIndex) },
                IndexedPart(last: next, format: KindKey.format).write)
            try cache.write(overlay, isDurable: false)
            try renewSnapshot(index: committed.index)
            return next != nil
        }
    }
}

extension Rows {
    /// Returns the progress of indexing; `nil` if the row is damaged or has another format, in which
    /// case the next opening begins the index again.
    func kindIndexPart() throws(StoreError) -> IndexedPart? {
        try withValue(of: ByteWriter.key { $0.schemaKey(.kindIndex) }) { value in
            guard let value else { return nil }
            var reader = ByteReader(value)
            // Ignore the error: without a complete index, the messages themselves are read.
            return try? IndexedPart(&reader, format: KindKey.format)
        }
    }

    /// Returns a Boolean value that indicates whether all stored messages are indexed.
    func hasCompleteKindIndex() throws(StoreError) -> Bool {
        try kindIndexPart().map { $0.last == nil } ?? false
    }

    /// Adds the index rows of the next messages to a batch, and returns the key of the last one;
    /// `nil` if no messages remain.
    fileprivate func indexKinds(
        after last: KeyBytes, atMost limit: Int, to overlay: Overlay
    ) throws(StoreError) -> KeyBytes? {
        var range = KeyRange(prefix: [Table.message.rawValue])
        if !last.isEmpty { range.lower = last + [0] }
        var left = limit
        var next: KeyBytes?
        var channel: (number: ChannelNumber, isKnown: Bool)?
        try scan(range) { (key, value) throws(StoreError) in
            // Ignore errors: lists omit a damaged message, and other reads report the damage.
            if let number = readableNumber(ofKey: key),
                let position = try? ByteReader.position(ofMessageKey: key),
                let message = try? Message(serialized: value)
            {
                if channel?.number != number {
                    // The rows of a cleared channel are about to be purged.
                    let url = ByteWriter.key { $0.table(.url, number) }
                    channel = (number, try contains(url))
                }
                if channel?.isKnown == true {
                    for kind in KindKey.all(of: message) {
                        overlay.put { $0.kindKey(number, kind, position) }
                    }
                }
            }
            left -= 1
            if left == 0 { next = KeyBytes(key) }
            return left > 0
        }
        return next
    }
}

// MARK: Opening

extension LevelDB {
    /// Begins the index of kinds if it does not exist or has another format.
    ///
    /// - Complexity: One lookup; O(*n*) in the rows of an index of another format.
    func prepareKindIndex() throws(StoreError) {
        let rows = Rows(snapshot: try snapshot())
        if try rows.kindIndexPart() != nil { return }
        var overlay = Overlay()
        try rows.scan(KeyRange(prefix: [Table.kind.rawValue])) { (key, _) throws(StoreError) in
            overlay.remove { $0.raw(key) }
            if overlay.isLarge {
                try write(overlay, isDurable: false)
                overlay = Overlay()
            }
            return true
        }
        let part = IndexedPart(last: try rows.hasMessages() ? [] : nil, format: KindKey.format)
        overlay.put({ $0.schemaKey(.kindIndex) }, part.write)
        try write(overlay, isDurable: false)
    }
}
