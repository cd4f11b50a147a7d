import CScrollbackLevelDB

extension LevelDB {
    /// A view of a database at one point in time.
    ///
    /// A snapshot keeps the files open. While it exists, LevelDB does not remove rows that were
    /// deleted after it was taken.
    package final class Snapshot: Sendable {
        fileprivate let handle: Handle
        private let snapshot: Pointer
        private let readOptions: Pointer

        fileprivate var options: OpaquePointer { @inline(__always) get { readOptions.raw } }

        init(_ handle: Handle) {
            self.handle = handle
            let snapshot: OpaquePointer = leveldb_create_snapshot(handle.pointer)
            let options: OpaquePointer = leveldb_readoptions_create()
            self.snapshot = Pointer(snapshot)
            readOptions = Pointer(options)
            leveldb_readoptions_set_snapshot(options, snapshot)
            leveldb_readoptions_set_verify_checksums(options, handle.verifiesChecksums ? 1 : 0)
        }

        deinit {
            leveldb_readoptions_destroy(options)
            leveldb_release_snapshot(handle.pointer, snapshot.raw)
        }

        package var path: String { handle.path }
    }
}

extension LevelDB.Snapshot {
    /// Calls a closure with the value of a key; `nil` if the key has no value.
    ///
    /// - Throws: Errors of the closure; `corruption` or `io` before the closure is called.
    func withValue<Result>(
        of key: KeyBytes, _ body: (UnsafeRawBufferPointer?) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        var count = 0
        let value = try check { report in
            key.withCharacters { key in
                leveldb_get(handle.pointer, options, key.baseAddress, key.count, &count, report)
            }
        }
        guard let value else { return try body(nil) }
        defer { leveldb_free(value) }
        return try body(UnsafeRawBufferPointer(start: value, count: count))
    }

    /// Calls a closure with each row of a range, in order, until the closure returns `false`.
    ///
    /// - Throws: `corruption` or `io`. LevelDB skips a block that it cannot read, and reports the
    ///   error at the end. Therefore this may be thrown even after all readable rows were passed to
    ///   the closure. If it is thrown, discard the rows, because some may be missing.
    @inline(__always)
    func scan(
        _ range: KeyRange, isDescending: Bool = false,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool
    ) throws(StoreError) {
        var cursor = Cursor(handle.pointer, options)
        if isDescending {
            cursor.seek(below: range.upper)
            while let key = cursor.key, !key.precedes(range.lower) {
                guard try body(key, cursor.value) else { break }
                cursor.previous()
            }
        } else {
            cursor.seek(to: range.lower)
            while let key = cursor.key, key.precedes(range.upper) {
                guard try body(key, cursor.value) else { break }
                cursor.next()
            }
        }
        try check { cursor.getError($0) }
    }

    func cursor() -> RowCursor { RowCursor(self) }

    /// Calls a function of LevelDB, records the damage that it reports, and throws its error.
    @inline(__always)
    fileprivate func check<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            return try LevelDB.check(handle.path, body)
        } catch {
            handle.firstDamage.record(error)
            throw error
        }
    }
}

/// A cursor for seeking several rows of a snapshot.
///
/// The returned bytes are valid until the cursor moves.
final class RowCursor {
    let snapshot: LevelDB.Snapshot
    private var cursor: Cursor

    fileprivate init(_ snapshot: LevelDB.Snapshot) {
        self.snapshot = snapshot
        cursor = Cursor(snapshot.handle.pointer, snapshot.options)
    }

    var path: String { snapshot.path }

    /// Moves to the first row whose key is not less than `key`.
    func seek(to key: KeyBytes) { cursor.seek(to: key) }

    func next() { cursor.next() }

    /// The key of the current row; `nil` after the last row, and after a failed read.
    ///
    /// After a failed read, ``check()`` throws its error.
    var key: UnsafeRawBufferPointer? { cursor.key }

    /// The value of the current row, which must exist.
    var value: UnsafeRawBufferPointer { cursor.value }

    /// Throws `corruption` or `io` if a row could not be read.
    func check() throws(StoreError) { try snapshot.check { cursor.getError($0) } }
}

/// An iterator over the rows of a snapshot.
///
/// The returned bytes are valid until the iterator moves.
private struct Cursor: ~Copyable {
    private let pointer: OpaquePointer

    @inline(__always)
    init(_ database: OpaquePointer, _ options: OpaquePointer) {
        pointer = leveldb_create_iterator(database, options)
    }

    deinit { leveldb_iter_destroy(pointer) }

    @inline(__always)
    mutating func seek(to key: KeyBytes) {
        key.withCharacters { leveldb_iter_seek(pointer, $0.baseAddress, $0.count) }
    }

    mutating func seek(below key: KeyBytes) {
        seek(to: key)
        if leveldb_iter_valid(pointer) != 0 {
            leveldb_iter_prev(pointer)
        } else {
            leveldb_iter_seek_to_last(pointer)
        }
    }

    @inline(__always)
    mutating func next() { leveldb_iter_next(pointer) }

    @inline(__always)
    mutating func previous() { leveldb_iter_prev(pointer) }

    /// The key of the current row; `nil` after the last row and before the first one.
    var key: UnsafeRawBufferPointer? {
        @inline(__always) get {
            guard leveldb_iter_valid(pointer) != 0 else { return nil }
            var count = 0
            let key = leveldb_iter_key(pointer, &count)
            return UnsafeRawBufferPointer(start: key, count: count)
        }
    }

    var value: UnsafeRawBufferPointer {
        @inline(__always) get {
            var count = 0
            let value = leveldb_iter_value(pointer, &count)
            return UnsafeRawBufferPointer(start: value, count: count)
        }
    }

    @inline(__always)
    func getError(_ report: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) {
        leveldb_iter_get_error(pointer, report)
    }
}
