/// An object of LevelDB's or of our environment: a database, a snapshot, options.
struct Pointer: @unchecked Sendable {
    // @unchecked: leveldb/db.h, "safe for concurrent access from multiple threads without any
    // external synchronization"; its snapshots and the options of an open database never change, and
    // the environment has a lock of its own. Who holds the pointer sees to it that it is valid.
    let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }
}
