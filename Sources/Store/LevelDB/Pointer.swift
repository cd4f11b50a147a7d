/// A C object of LevelDB or of this package's environment, such as a database, a snapshot, or
/// options.
struct Pointer: @unchecked Sendable {
    // @unchecked: according to leveldb/db.h, a database is "safe for concurrent access from
    // multiple threads without any external synchronization". Snapshots and the options of an open
    // database never change, and the environment has its own lock. The owner of the pointer keeps
    // it valid.
    let raw: OpaquePointer

    init(_ raw: OpaquePointer) { self.raw = raw }
}

// MARK: Bytes

extension UnsafeRawBufferPointer {
    /// The bytes as the type of LevelDB's C functions.
    @inline(__always)
    var characters: UnsafePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }
}

extension KeyBytes {
    @inline(__always)
    func withCharacters<Result>(_ body: (UnsafeBufferPointer<CChar>) -> Result) -> Result {
        withUnsafeBytes { body($0.assumingMemoryBound(to: CChar.self)) }
    }
}
