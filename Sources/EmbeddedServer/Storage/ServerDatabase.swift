import Models
import Store

/// The rows, with the uncommitted writes of a request.
final class ServerDatabase {
    private let database: LevelDB
    private let isDurable: Bool
    private var overlay = Overlay()
    /// The snapshot for reads until the next commit.
    private var snapshot: LevelDB.Snapshot?

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

    var isClean: Bool { overlay.isEmpty }

    /// Reopens the files after a failed write; can be repeated.
    func reopenIfNeeded() throws(BackendError) {
        guard database.hasFailed else { return }
        // The snapshot keeps the files open.
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

    func scan(
        _ range: KeyRange, isDescending: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(BackendError) {
        guard range.lower.precedes(range.upper) else { return }
        try read { (rows) throws(StoreError) in
            try rows.scan(range, isDescending: isDescending, body)
        }
    }

    func value<Value>(
        _ what: String, _ key: (inout ByteWriter) -> Void,
        _ read: (inout ByteReader) throws(ByteReader.Damage) -> Value
    ) throws(BackendError) -> Value? {
        try self.read { (rows) throws(StoreError) in
            try rows.read(ByteWriter.key(key), as: what, read)
        }
    }

    func record<Value: Record>(
        _ what: String, _ key: (inout ByteWriter) -> Void
    ) throws(BackendError) -> Value? {
        try read { (rows) throws(StoreError) -> Value? in
            try rows.record(ByteWriter.key(key), as: what)
        }
    }

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

    func removeAll(_ range: KeyRange) throws(BackendError) {
        var keys: [KeyBytes] = []
        try scan(range) { (key, _) throws(StoreError) in
            keys.append([UInt8](key))
            return true
        }
        for key in keys { overlay.remove { $0.raw(key) } }
    }

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

    func discard() {
        overlay = Overlay()
        snapshot = nil
    }
}

extension BackendError {
    init(_ error: StoreError) {
        self.init(.serverFailure, "\(error)", detail: .internalServerError)
    }
}
