import CScrollbackLevelDB

// Files outside of a database that its environment encrypts. Their names end with
// SCROLLBACK_COPY_SUFFIX.

struct FileWriter: ~Copyable {
    private let writer: OpaquePointer
    private let path: String
    private let environment: LevelDB.Environment

    /// Creates a file that only its owner can read.
    init(_ path: String, in environment: LevelDB.Environment) throws(StoreError) {
        let writer = try LevelDB.check(path) {
            scrollback_env_create_file(environment.pointer, path, $0)
        }
        guard let writer else {
            throw StoreError(.io, "cannot create the encrypted file", path: path)
        }
        self.writer = writer
        self.path = path
        self.environment = environment
    }

    deinit { scrollback_writer_destroy(writer) }

    func append(_ bytes: [UInt8]) throws(StoreError) {
        try LevelDB.check(path) { error in
            bytes.withUnsafeBytes {
                scrollback_writer_append(writer, $0.baseAddress, $0.count, error)
            }
        }
    }

    /// Completes the file durably.
    func finish() throws(StoreError) {
        try LevelDB.check(path) { scrollback_writer_finish(writer, $0) }
    }
}

struct FileReader: ~Copyable {
    /// In bytes, without the overhead of the encryption.
    let size: Int
    private let reader: OpaquePointer
    private let path: String
    private let environment: LevelDB.Environment

    /// Throws `corruption` if the file is missing, or is not encrypted with the environment's keys.
    init(_ path: String, in environment: LevelDB.Environment) throws(StoreError) {
        var size: UInt64 = 0
        let reader = try LevelDB.check(path) {
            scrollback_env_open_file(environment.pointer, path, &size, $0)
        }
        guard let reader else {
            throw StoreError(.io, "cannot open the encrypted file", path: path)
        }
        self.size = Int(clamping: size)
        self.reader = reader
        self.path = path
        self.environment = environment
    }

    deinit { scrollback_reader_destroy(reader) }

    /// Returns fewer than `count` bytes only at the end.
    func read(_ count: Int) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let have = try LevelDB.check(path) { error in
            bytes.withUnsafeMutableBytes {
                scrollback_reader_read(reader, $0.baseAddress!, $0.count, error)
            }
        }
        bytes.removeLast(count - have)
        return bytes
    }
}

extension LevelDB.Environment {
    func remove(_ path: String) throws(StoreError) {
        try LevelDB.check(path) { scrollback_env_remove_file(pointer, path, $0) }
    }
}
