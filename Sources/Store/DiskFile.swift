import Foundation

/// An open file or directory, which is closed when the value goes out of scope.
struct DiskFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// Returns `nil` if the file does not exist.
    init?(reading path: String) throws(StoreError) {
        // Another program may have created a link or a pipe at this path: do not follow or wait for
        // it. If the parent of the path is a file, the file counts as missing.
        descriptor = retrying { open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        self.path = path
        guard descriptor < 0 else { return }
        let error = errno
        guard error != ENOENT, error != ENOTDIR else { return nil }
        throw StoreError(errno: error, doing: "open the file", path: path)
    }

    /// Creates a file, with access for its owner only; throws if it exists.
    init(creating path: String) throws(StoreError) {
        try self.init(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "create the file")
    }

    /// Opens a file for its name or its lock only, and creates it if it does not exist.
    init(marking path: String) throws(StoreError) {
        try self.init(path, O_RDWR | O_CREAT | O_NOFOLLOW, "open the file")
    }

    init(directory path: String) throws(StoreError) {
        try self.init(path, O_RDONLY | O_DIRECTORY, "open the directory")
    }

    init(_ path: String, _ flags: Int32, _ action: String) throws(StoreError) {
        descriptor = retrying { open(path, flags | O_CLOEXEC, DiskFile.ownerOnly) }
        self.path = path
        guard descriptor >= 0 else {
            throw StoreError(errno: errno, doing: action, path: path)
        }
        guard flags & O_CREAT != 0 else { return }
        // Restore the owner's access, which the umask may have denied. A file with several names
        // may be one outside of the directory.
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_nlink == 1,
            status.st_mode & DiskFile.ownerOnly != DiskFile.ownerOnly
        {
            fchmod(descriptor, DiskFile.ownerOnly)
        }
    }

    private static let ownerOnly: mode_t = 0o600

    deinit {
        // Ignore an error of closing: `sync()` has already reported write errors.
        if descriptor >= 0 { close(descriptor) }
    }
}

extension DiskFile {
    func size() throws(StoreError) -> Int { Int(try status().st_size) }

    func isRegular(atMost byteCount: Int = .max) throws(StoreError) -> Bool {
        let status = try status()
        return status.st_mode & S_IFMT == S_IFREG && Int(status.st_size) <= byteCount
    }

    private func status() throws(StoreError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw StoreError(errno: errno, doing: "read the attributes of the file", path: path)
        }
        return status
    }

    /// Reads the next bytes into an array, up to its size, and returns their number; 0 at the end.
    func read(into buffer: inout [UInt8]) throws(StoreError) -> Int {
        let count = buffer.withUnsafeMutableBytes { bytes in
            retrying { Foundation.read(descriptor, bytes.baseAddress, bytes.count) }
        }
        guard count >= 0 else {
            throw StoreError(errno: errno, doing: "read the file", path: path)
        }
        return count
    }

    func write(_ bytes: [UInt8]) throws(StoreError) {
        let error = bytes.withBytes { bytes in
            DiskFile.hand(bytes) { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        }
        guard error == 0 else {
            throw StoreError(errno: error, doing: "write the file", path: path)
        }
    }

    /// Calls `write` until all bytes are written, and returns 0 or an error number.
    static func hand(
        _ bytes: UnsafeRawBufferPointer, to write: (UnsafeRawBufferPointer) -> Int
    ) -> Int32 {
        var rest = bytes
        while !rest.isEmpty {
            let count = retrying { write(rest) }
            if count < 0 { return errno }
            // The system call returns 0 if the disk is full.
            if count == 0 { return ENOSPC }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return 0
    }

    func sync() throws(StoreError) {
        #if canImport(Darwin)
            // On Darwin, fsync may leave the data in the disk's own cache, which F_FULLFSYNC also
            // flushes. Some file systems support only fsync.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard retrying({ fsync(descriptor) }) == 0 else {
            throw StoreError(errno: errno, doing: "sync the file", path: path)
        }
    }

    /// Locks the file until the value goes out of scope; throws `locked` after `limit`.
    ///
    /// Threads exclude each other only if each has opened the file separately.
    func lock(waiting limit: Duration = longestWait) throws(StoreError) {
        let start = ContinuousClock.now
        while retrying({ flock(descriptor, LOCK_EX | LOCK_NB) }) != 0 {
            guard errno == EWOULDBLOCK else {
                throw StoreError(errno: errno, doing: "lock the file", path: path)
            }
            guard ContinuousClock.now - start < limit else {
                throw StoreError(.locked, "another process holds the lock: retry later", path: path)
            }
            usleep(DiskFile.microsecondsBetweenLooks)
        }
    }

    static let longestWait = Duration.seconds(10)

    private static let microsecondsBetweenLooks: UInt32 = 1000

    /// Calls a closure while holding the lock of a file, which is created if needed.
    static func alone<Result>(
        _ path: String, waiting limit: Duration = longestWait,
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let file = try DiskFile(marking: path)
        try file.lock(waiting: limit)
        return try withExtendedLifetime(file, body)
    }
}

private func retrying<Number: FixedWidthInteger>(_ call: () -> Number) -> Number {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
