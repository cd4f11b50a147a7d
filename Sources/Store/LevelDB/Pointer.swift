/// A C object of LevelDB or of this package's environment, such as a database or a snapshot.
struct Pointer: @unchecked Sendable {
    // @unchecked: according to leveldb/db.h, a database is "safe for concurrent access from
    // multiple threads without any external synchronization". Snapshots never change, and the
    // environment has its own lock. The owner of the pointer keeps it valid.
    let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }
}
