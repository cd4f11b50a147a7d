import Models
import Store

/// The server's rows: what is written, and what the request at hand is about to write.
///
/// A request sees its own writes, and they become true together, by ``commit()``, or not at all.
final class ServerDatabase {
    private let database: LevelDB
    private let isDurable: Bool
    private var overlay = Overlay()
    /// The rows as they are written, until something else is.
    private var snapshot: LevelDB.Snapshot?

    /// Opens the database in a directory, and creates it where there is none.
    init(
        at path: String, _ environment: LevelDB.Environment, isDurable: Bool = false
    ) throws(BackendError) {
        do throws(StoreError) {
            database = try LevelDB(at: path, environment: environment)
        } catch {
            throw BackendError(error)
        }
        self.isDurable = isDurable
    }

    /// Whether the request has written nothing yet.
    var isClean: Bool { overlay.isEmpty }

    /// Opens the files anew, if a write failed.
    ///
    /// - Throws: `serverFailure`; then it may be tried again.
    func reopenIfNeeded() throws(BackendError) {
        guard database.hasFailed else { return }
        // Nobody may hold the files.
        snapshot = nil
        do throws(StoreError) {
            try database.reopen()
        } catch {
            throw BackendError(error)
        }
    }

    func close() {
        snapshot = nil
        database.close()
    }
}

// MARK: Reading

extension ServerDatabase {
    /// Lends the rows to a closure.
    func read<Result>(
        _ body: (Rows) throws(StoreError) -> Result
    ) throws(BackendError) -> Result {
        do throws(StoreError) {
            let snapshot: LevelDB.Snapshot
            if let current = self.snapshot {
                snapshot = current
            } else {
                snapshot = try database.snapshot()
                self.snapshot = snapshot
            }
            return try body(Rows(snapshot, overlay.isEmpty ? nil : overlay))
        } catch {
            throw BackendError(error)
        }
    }

    /// Lends the rows of a range to a closure, until it returns false.
    func scan(
        _ range: KeyRange, isDescending: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(BackendError) {
        guard range.lower.precedes(range.upper) else { return }
        try read { (rows) throws(StoreError) in
            try rows.scan(range, isDescending: isDescending, body)
        }
    }

    /// Reads a value; `nil` if there is no such row.
    func value<Value>(
        _ what: String, _ key: (inout ByteWriter) -> Void,
        _ read: (inout ByteReader) throws(ByteReader.Damage) -> Value
    ) throws(BackendError) -> Value? {
        try self.read { (rows) throws(StoreError) in
            try rows.read(ByteWriter.key(key), as: what, read)
        }
    }

    /// Reads a record; `nil` if there is no such row.
    func record<Value: Record>(
        _ what: String, _ key: (inout ByteWriter) -> Void
    ) throws(BackendError) -> Value? {
        try read { (rows) throws(StoreError) -> Value? in
            try rows.withValue(of: ByteWriter.key(key)) { (bytes) throws(StoreError) -> Value? in
                guard let bytes else { return nil }
                return try rows.record(bytes, as: what)
            }
        }
    }

    /// The bytes of a row; `nil` if there is none.
    func bytes(_ key: (inout ByteWriter) -> Void) throws(BackendError) -> [UInt8]? {
        try read { (rows) throws(StoreError) in
            try rows.withValue(of: ByteWriter.key(key)) { (bytes) throws(StoreError) in
                bytes.map { [UInt8]($0) }
            }
        }
    }
}

// MARK: Writing

extension ServerDatabase {
    func put(
        _ key: (inout ByteWriter) -> Void, _ value: (inout ByteWriter) -> Void = { _ in }
    ) {
        overlay.put(key, value)
    }

    func remove(_ key: (inout ByteWriter) -> Void) { overlay.remove(key) }

    /// Removes all rows of a range.
    func removeAll(_ range: KeyRange) throws(BackendError) {
        var keys: [KeyBytes] = []
        try scan(range) { (key, _) throws(StoreError) in
            keys.append([UInt8](key))
            return true
        }
        for key in keys { overlay.remove { $0.raw(key) } }
    }

    /// Writes what the request has put together.
    ///
    /// - Throws: `serverFailure`; then nothing of it was written.
    func commit() throws(BackendError) {
        guard !overlay.isEmpty else { return }
        let batch = overlay
        discard()
        do throws(StoreError) {
            try database.write(batch, isDurable: isDurable)
        } catch {
            throw BackendError(error)
        }
    }

    /// Forgets what the request has put together.
    func discard() {
        overlay = Overlay()
        snapshot = nil
    }
}

extension BackendError {
    /// What clients hear when the server's own disk fails.
    init(_ error: StoreError) {
        self.init(.serverFailure, "\(error)", detail: .internalServerError)
    }
}
