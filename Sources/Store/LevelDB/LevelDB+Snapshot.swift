import CScrollbackLevelDB
import Foundation

extension LevelDB {
    /// A view of a database at one point in time, which keeps the files open and later deleted rows
    /// on disk.
    package final class Snapshot: Sendable {
        private let handle: Handle
        private let snapshot: Pointer

        init(_ handle: Handle) {
            self.handle = handle
            snapshot = Pointer(scrollback_snapshot_create(handle.pointer))
        }

        deinit { scrollback_snapshot_release(pointer) }

        fileprivate var pointer: OpaquePointer { @inline(__always) get { snapshot.raw } }

        package var path: String { handle.path }

        func recordingDamage(_ error: StoreError) -> StoreError {
            handle.firstDamage.record(error)
            return error
        }
    }
}

extension LevelDB.Snapshot {
    /// In bytes; larger values allocate memory.
    private static let smallValue = 1024

    func withValue<Result>(
        of key: KeyBytes, _ body: (UnsafeRawBufferPointer?) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.smallValue) {
            (buffer) throws(StoreError) in
            var count = 0
            recordRow()
            let value = try check {
                scrollback_snapshot_get(
                    pointer, key, key.count, buffer.baseAddress!, buffer.count, &count, $0)
            }
            guard let value else { return try body(nil) }
            defer { if value != buffer.baseAddress { free(value) } }
            return try body(UnsafeRawBufferPointer(start: value, count: count))
        }
    }

    /// Calls a closure with each row of a range, in order, until the closure returns `false`.
    ///
    /// If the call throws, discard the rows: LevelDB reports an unreadable block only at the end.
    func scan(
        _ range: KeyRange, isDescending: Bool = false, _ body: RowVisit.Body
    ) throws(StoreError) {
        try withoutActuallyEscaping(body) { (body) throws(StoreError) in
            var visit = RowVisit(body: body, mainActorReads: handle.mainActorReads)
            try check { report in
                withUnsafeMutablePointer(to: &visit) {
                    scrollback_snapshot_page(
                        pointer, range.lower, range.lower.count, range.upper, range.upper.count,
                        isDescending, .max, RowVisit.function, $0, report)
                }
            }
            if let failure = visit.failure { throw failure }
        }
    }

    func cursor() -> RowCursor { RowCursor(self) }

    @inline(__always)
    fileprivate func recordRow() { handle.mainActorReads.recordRow() }

    @inline(__always)
    fileprivate func check<Result>(
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            return try LevelDB.check(handle.path, body)
        } catch {
            throw recordingDamage(error)
        }
    }
}

struct RowVisit {
    typealias Body =
        (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Bool

    fileprivate let body: Body
    fileprivate let mainActorReads: MainActorReads
    fileprivate var failure: StoreError?

    fileprivate static let function: scrollback_visit = { context, key, keySize, value, valueSize in
        let visit = context!.assumingMemoryBound(to: RowVisit.self)
        visit.pointee.mainActorReads.recordRow()
        do throws(StoreError) {
            return try visit.pointee.body(
                UnsafeRawBufferPointer(start: key, count: keySize),
                UnsafeRawBufferPointer(start: value, count: valueSize))
        } catch {
            visit.pointee.failure = error
            return false
        }
    }
}

/// A cursor, whose bytes are valid until it moves.
final class RowCursor {
    let snapshot: LevelDB.Snapshot
    private let cursor: OpaquePointer

    fileprivate init(_ snapshot: LevelDB.Snapshot) {
        self.snapshot = snapshot
        cursor = scrollback_cursor_create(snapshot.pointer)
    }

    deinit { scrollback_cursor_destroy(cursor) }

    var path: String { snapshot.path }

    /// Moves to the first row whose key is not less than `key`.
    func seek(to key: KeyBytes) {
        snapshot.recordRow()
        scrollback_cursor_seek(cursor, key, key.count)
    }

    func next() {
        snapshot.recordRow()
        scrollback_cursor_next(cursor)
    }

    /// The key of the current row; `nil` at the end, and after a failed read: see ``check()``.
    var key: UnsafeRawBufferPointer? {
        var count = 0
        let key = scrollback_cursor_key(cursor, &count)
        return key.map { UnsafeRawBufferPointer(start: $0, count: count) }
    }

    /// There must be a current row.
    var value: UnsafeRawBufferPointer {
        var count = 0
        let value = scrollback_cursor_value(cursor, &count)
        return UnsafeRawBufferPointer(start: value, count: count)
    }

    func check() throws(StoreError) {
        try snapshot.check { scrollback_cursor_check(cursor, $0) }
    }
}
