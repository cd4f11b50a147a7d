/// The rows of one database as somebody sees them: of a commit, or of a batch on top of one.
package struct Rows {
    let snapshot: LevelDB.Snapshot
    /// What the batch has done so far.
    let overlay: Overlay?
    /// What it has counted so far.
    var counted: BatchRows?

    /// The rows of a commit, with what is to be written on top of it.
    package init(_ snapshot: LevelDB.Snapshot, _ overlay: Overlay?) {
        self.init(snapshot: snapshot, overlay: overlay)
    }

    init(snapshot: LevelDB.Snapshot, overlay: Overlay? = nil, counted: BatchRows? = nil) {
        self.snapshot = snapshot
        self.overlay = overlay
        self.counted = counted
    }

    var path: String { snapshot.path }

    /// Lends the value of a key to a closure; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - mayBeStored: Whether the snapshot may have it; if not, only what the batch has written is
    ///     looked at. Without a batch, the snapshot is asked in any case.
    ///   - body: Is lent the value.
    /// - Returns: What the closure returns.
    /// - Throws: What it throws; `corruption` or `io`, and then it was not called.
    @inline(__always)
    package func withValue<Result>(
        of key: KeyBytes, mayBeStored: Bool = true,
        _ body: (UnsafeRawBufferPointer?) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard let overlay else { return try snapshot.withValue(of: key, body) }
        return try overlay.withRow(of: key) { (row) throws(StoreError) in
            switch row {
            case .untouched: try mayBeStored ? snapshot.withValue(of: key, body) : body(nil)
            case .removed: try body(nil)
            case .written(let value): try body(value)
            }
        }
    }

    /// Lends the value of the key that is a table, a channel and a name, as ``withValue(of:_:)`` does;
    /// but a short one is made on the stack.
    @inline(__always)
    func withValue<Result>(
        _ table: Table, _ channel: ChannelNumber, _ name: String, mayBeStored: Bool = true,
        _ body: (UnsafeRawBufferPointer?) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard overlay == nil, var key = ShortKey(table, channel, name) else {
            let key = ByteWriter.key {
                $0.table(table, channel)
                $0.text(name)
            }
            return try withValue(of: key, mayBeStored: mayBeStored, body)
        }
        return try key.withBytes { (key) throws(StoreError) in
            try snapshot.withValue(of: key, body)
        }
    }

    /// Whether there is a row.
    package func contains(_ key: KeyBytes) throws(StoreError) -> Bool {
        try withValue(of: key) { (value) throws(StoreError) in value != nil }
    }

    /// Lends the rows of a range to a closure, one after the other, until it returns false.
    ///
    /// In the order of their keys, or backwards. The closure must not write to the batch.
    @inline(__always)
    package func scan(
        _ range: KeyRange, isDescending: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        guard let overlay, !overlay.isEmpty else {
            return try snapshot.scan(range, isDescending: isDescending, body)
        }
        try scanMerged(overlay.rows(in: range), range, isDescending, body)
    }

    /// How many rows a range has.
    package func count(_ range: KeyRange) throws(StoreError) -> Int {
        var count = 0
        guard range.lower.precedes(range.upper) else { return 0 }
        try scan(range) { (_, _) throws(StoreError) in
            count += 1
            return true
        }
        return count
    }

    private func scanMerged(
        _ written: [Overlay.Row], _ range: KeyRange, _ isDescending: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var written = isDescending ? written.reversed()[...] : written[...]
        var isDone = false
        // Lends what the batch wrote up to a key of the snapshot, or all that is left.
        func lendWritten(upTo key: UnsafeRawBufferPointer?) throws(StoreError) -> Bool {
            var hidesKey = false
            while !isDone, let row = written.first {
                if let key {
                    let isSame = row.key.withBytes { $0.hasSameBytes(as: key) }
                    let isBefore =
                        isDescending
                        ? key.precedes(row.key)
                        : row.key.withBytes { $0.precedes(key) }
                    guard isSame || isBefore else { break }
                    hidesKey = isSame
                }
                written.removeFirst()
                guard let value = row.value else { continue }
                isDone = try !row.lend(value, to: body)
            }
            return hidesKey
        }
        try snapshot.scan(range, isDescending: isDescending) { (key, value) throws(StoreError) in
            let isHidden = try lendWritten(upTo: key)
            if !isDone && !isHidden { isDone = try !body(key, value) }
            return !isDone
        }
        _ = try lendWritten(upTo: nil)
    }
}

extension Overlay.Row {
    fileprivate func lend(
        _ value: [UInt8],
        to body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        try key.withBytes { (key) throws(StoreError) in
            try value.withBytes { (value) throws(StoreError) in try body(key, value) }
        }
    }
}

// MARK: Values

extension Rows {
    /// Reads the value of a key, if there is one.
    @inline(__always)
    package func read<Value>(
        _ key: KeyBytes, as what: @autoclosure () -> String,
        _ read: (inout ByteReader) throws(ByteReader.Damage) -> Value
    ) throws(StoreError) -> Value? {
        try withValue(of: key) { (bytes) throws(StoreError) -> Value? in
            guard let bytes else { return nil }
            return try decode(bytes, as: what(), read)
        }
    }

    /// Reads a value to its end.
    @inline(__always)
    package func decode<Value>(
        _ bytes: UnsafeRawBufferPointer, as what: @autoclosure () -> String,
        _ read: (inout ByteReader) throws(ByteReader.Damage) -> Value
    ) throws(StoreError) -> Value {
        do throws(ByteReader.Damage) {
            var reader = ByteReader(bytes)
            let value = try read(&reader)
            try reader.end()
            return value
        } catch {
            throw StoreError(.corruption, "\(what()): \(error)", path: path, cause: error)
        }
    }
}
