/// The rows of one database in a commit, optionally with a batch's writes.
package struct Rows {
    let snapshot: LevelDB.Snapshot
    let overlay: Overlay?
    var counted: BatchRows?

    package init(_ snapshot: LevelDB.Snapshot, _ overlay: Overlay?) {
        self.init(snapshot: snapshot, overlay: overlay)
    }

    init(snapshot: LevelDB.Snapshot, overlay: Overlay? = nil, counted: BatchRows? = nil) {
        self.snapshot = snapshot
        self.overlay = overlay
        self.counted = counted
    }

    var path: String { snapshot.path }

    /// Calls a closure with the value of a key, or with `nil`; if `mayBeStored` is `false`, only
    /// the batch's writes are read.
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

    package func contains(_ key: KeyBytes) throws(StoreError) -> Bool {
        try withValue(of: key) { (value) throws(StoreError) in value != nil }
    }

    /// Calls a closure, which must not write to the batch, with each row in order until it returns
    /// `false`.
    @inline(__always)
    package func scan(
        _ range: KeyRange, isDescending: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        guard let overlay, !overlay.isEmpty else {
            return try snapshot.scan(range, isDescending: isDescending, body)
        }
        try scan(range, mergedWith: overlay.rows(in: range), isDescending: isDescending, body)
    }

    /// Calls a closure, which must not write to the batch, with each row in order.
    func forEachRow(
        in range: KeyRange,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        try scan(range) { (key, value) throws(StoreError) in
            try body(key, value)
            return true
        }
    }

    package func count(_ range: KeyRange) throws(StoreError) -> Int {
        var count = 0
        guard range.lower.precedes(range.upper) else { return 0 }
        try forEachRow(in: range) { _, _ in count += 1 }
        return count
    }

    func keys(in range: KeyRange) throws(StoreError) -> [KeyBytes] {
        var keys: [KeyBytes] = []
        try forEachRow(in: range) { key, _ in keys.append(KeyBytes(key)) }
        return keys
    }

    func hasRows(in range: KeyRange) throws(StoreError) -> Bool {
        var isFound = false
        try scan(range) { _, _ in
            isFound = true
            return false
        }
        return isFound
    }

    private func scan(
        _ range: KeyRange, mergedWith written: [Overlay.Row], isDescending: Bool,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var written = isDescending ? written.reversed()[...] : written[...]
        var isDone = false
        // Visits the remaining rows of the batch through `key`, or all if it is `nil`. Returns
        // whether the batch replaces or removes the snapshot's row.
        func visitBatchRows(upTo key: UnsafeRawBufferPointer?) throws(StoreError) -> Bool {
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
                isDone = try !row.key.withBytes { (key) throws(StoreError) in
                    try value.withBytes { (value) throws(StoreError) in try body(key, value) }
                }
            }
            return hidesKey
        }
        try snapshot.scan(range, isDescending: isDescending) { (key, value) throws(StoreError) in
            let isHidden = try visitBatchRows(upTo: key)
            if !isDone && !isHidden { isDone = try !body(key, value) }
            return !isDone
        }
        _ = try visitBatchRows(upTo: nil)
    }
}

// MARK: Values

extension Rows {
    @inline(__always)
    package func read<Value>(
        _ key: KeyBytes, mayBeStored: Bool = true, as what: @autoclosure () -> String,
        _ read: (inout ByteReader) throws(ByteReader.Damage) -> Value
    ) throws(StoreError) -> Value? {
        try withValue(of: key, mayBeStored: mayBeStored) { (bytes) throws(StoreError) -> Value? in
            guard let bytes else { return nil }
            return try decode(bytes, as: what(), read)
        }
    }

    /// Decodes a value, all of whose bytes have to be read.
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
            throw snapshot.recordingDamage(
                StoreError(.corruption, "\(what()): \(error)", path: path, cause: error))
        }
    }
}
