import Foundation

/// A file or directory that the system has open for us, until the value goes.
struct OpenFile: ~Copyable {
    let path: String
    private let descriptor: Int32

    /// Opens an existing file to be read; `nil` if there is none.
    init?(reading path: String) throws(StoreError) {
        // What lies there may be no file of ours: no link is followed, no pipe waited for. Below what
        // is no directory, there is nothing either.
        try self.init(
            path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, "open the file", unless: [ENOENT, ENOTDIR])
    }

    /// Creates a file to be written, which nobody but its owner can read.
    ///
    /// - Throws: ``StoreError``, also if there is one.
    init(creating path: String) throws(StoreError) {
        try self.init(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "create the file")
    }

    /// Opens a file to be written in place of what it holds, and creates it if it is not there.
    init(replacing path: String) throws(StoreError) {
        try self.init(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, "create the file")
    }

    /// Opens a file for what it names alone, and creates it if it is not there.
    init(marking path: String) throws(StoreError) {
        try self.init(path, O_RDWR | O_CREAT | O_NOFOLLOW, "open the file")
    }

    /// Opens a directory.
    init(directory path: String) throws(StoreError) {
        try self.init(path, O_RDONLY | O_DIRECTORY, "open the directory")
    }

    init(_ path: String, _ flags: Int32, _ action: String) throws(StoreError) {
        descriptor = retrying { open(path, flags | O_CLOEXEC, 0o600) }
        self.path = path
        guard descriptor < 0 else { return }
        throw StoreError(errno: errno, doing: action, path: path)
    }

    private init?(
        _ path: String, _ flags: Int32, _ action: String, unless none: [Int32]
    ) throws(StoreError) {
        descriptor = retrying { open(path, flags | O_CLOEXEC) }
        self.path = path
        guard descriptor < 0 else { return }
        let error = errno
        guard !none.contains(error) else { return nil }
        throw StoreError(errno: error, doing: action, path: path)
    }

    deinit {
        // What close has to say of bytes, fsync has said before.
        if descriptor >= 0 { close(descriptor) }
    }
}

extension OpenFile {
    /// How many bytes the file has.
    func size() throws(StoreError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw StoreError(errno: errno, doing: "look at the file", path: path)
        }
        return Int(status.st_size)
    }

    /// Replaces the contents of an array by the next bytes, as many as it has; less at the end.
    ///
    /// - Returns: How many bytes were read, 0 at the end of the file.
    func read(into buffer: inout [UInt8]) throws(StoreError) -> Int {
        let count = buffer.withUnsafeMutableBytes { bytes in
            retrying { Foundation.read(descriptor, bytes.baseAddress, bytes.count) }
        }
        guard count >= 0 else {
            throw StoreError(errno: errno, doing: "read the file", path: path)
        }
        return count
    }

    /// Writes all of the bytes.
    func write(_ bytes: [UInt8]) throws(StoreError) {
        let error = bytes.withBytes { bytes in
            OpenFile.hand(bytes) { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        }
        guard error == 0 else {
            throw StoreError(errno: error, doing: "write the file", path: path)
        }
    }

    /// Hands bytes to a call such as `write`, until it has taken all of them.
    ///
    /// - Returns: 0, or the number of the error.
    static func hand(
        _ bytes: UnsafeRawBufferPointer, to write: (UnsafeRawBufferPointer) -> Int
    ) -> Int32 {
        var rest = bytes
        while !rest.isEmpty {
            let count = retrying { write(rest) }
            if count < 0 { return errno }
            // A disk that takes nothing says no more than that.
            if count == 0 { return ENOSPC }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return 0
    }

    /// Returns when the bytes of a file, or the names in a directory, are on the disk.
    func sync() throws(StoreError) {
        #if canImport(Darwin)
            // There, fsync leaves them to the disk's own cache. Not every file system has more.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        guard retrying({ fsync(descriptor) }) == 0 else {
            throw StoreError(errno: errno, doing: "sync", path: path)
        }
    }

    /// Waits until nobody else holds the lock of the file, and holds it until the value goes.
    ///
    /// It keeps out other threads just as other processes, as long as each opened the file itself.
    func lock() throws(StoreError) {
        guard retrying({ flock(descriptor, LOCK_EX) }) == 0 else {
            throw StoreError(errno: errno, doing: "lock the file", path: path)
        }
    }

    /// Calls a closure while it has the lock of a file, which is created if it is not there.
    static func alone<Result>(
        _ path: String, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let file = try OpenFile(marking: path)
        try file.lock()
        return try withExtendedLifetime(file, body)
    }
}

/// Calls the system again while a signal interrupts it.
private func retrying<Number: FixedWidthInteger>(_ call: () -> Number) -> Number {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
