/// An object of LevelDB's or of our environment: a database, a snapshot, options.
struct Pointer: @unchecked Sendable {
    // @unchecked: leveldb/db.h, "safe for concurrent access from multiple threads without any
    // external synchronization"; its snapshots and the options of an open database never change, and
    // the environment has a lock of its own. Who holds the pointer sees to it that it is valid.
    let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }
}

// MARK: Bytes

extension UnsafeRawBufferPointer {
    /// The bytes as C's functions take them.
    @inline(__always)
    var characters: UnsafePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }
}

extension KeyBytes {
    @inline(__always)
    func withCharacters<Result>(_ body: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
        withUnsafeBytes { body($0.assumingMemoryBound(to: CChar.self)) }
    }
}
