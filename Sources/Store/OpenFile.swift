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

// MARK: Files by their names

extension OpenFile {
    /// What stands behind the name of a file while it is written.
    static let unfinished = ".new"

    /// Puts a file in the place of another, or of none, in one step.
    ///
    /// When it returns, the file is on the disk. A crash leaves the old or the new one, and maybe a
    /// part of the new one under another name, for the next call to remove.
    static func replace(_ path: String, by bytes: [UInt8]) throws(StoreError) {
        let unfinished = path + OpenFile.unfinished
        try remove(unfinished)
        do throws(StoreError) {
            let new = try OpenFile(creating: unfinished)
            try new.write(bytes)
            try new.sync()
            guard rename(unfinished, path) == 0 else {
                throw StoreError(errno: errno, doing: "replace the file", path: path)
            }
            try syncParent(of: path)
        } catch {
            // What failed is told. What cannot be tidied up now is when it is written again.
            try? remove(unfinished)
            throw error
        }
    }

    /// Gives a file or directory another name in its directory, for good when the call returns.
    ///
    /// In the place of an empty directory, too, but of no other.
    static func move(_ path: String, to other: String) throws(StoreError) {
        guard rename(path, other) == 0 else {
            throw StoreError(errno: errno, doing: "rename to \(other)", path: path)
        }
        try syncParent(of: other)
    }

    /// Removes a directory with all that is in it, or a file; what is not there is removed.
    static func removeAll(at path: String) throws(StoreError) {
        var status = stat()
        if lstat(path, &status) != 0 && errno == ENOENT { return }
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            throw StoreError(system: error, doing: "remove", path: path)
        }
    }

    /// Removes a file; one that is not there is removed.
    static func remove(_ path: String) throws(StoreError) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw StoreError(errno: errno, doing: "remove the file", path: path)
    }
}

// MARK: Directories

extension OpenFile {
    /// Creates a directory that nobody but its owner can enter, its parents too, if it is not there.
    ///
    /// When it returns, the names of those that it made are on the disk.
    ///
    /// - Throws: ``StoreError`` that names this directory, also if a file is in its place.
    static func createDirectory(_ path: String) throws(StoreError) {
        // The system would take what is before it for the whole.
        let error = path.utf8.contains(0) ? EINVAL : try makeDirectory(path, isParent: false)
        guard error == 0 else {
            throw StoreError(errno: error, doing: "create the directory", path: path)
        }
    }

    /// Returns 0, or the number of the error.
    private static func makeDirectory(_ path: String, isParent: Bool) throws(StoreError) -> Int32 {
        var error = mkdir(path, 0o700) == 0 ? 0 : errno
        if error == ENOENT, let parent = parent(of: path) {
            error = try makeDirectory(parent, isParent: true)
            guard error == 0 else { return error }
            error = mkdir(path, 0o700) == 0 ? 0 : errno
        }
        if error == EEXIST {
            var status = stat()
            guard stat(path, &status) == 0 else { return errno }
            return status.st_mode & S_IFMT == S_IFDIR ? 0 : ENOTDIR
        }
        guard error == 0 else { return error }
        try syncParent(of: path)
        // A crash may have come between the parent and this, and before the parent's name was synced.
        if !isParent, let parent = parent(of: path) {
            do throws(StoreError) {
                try syncParent(of: parent)
            } catch {
                // Where we may not even read, we have not made the parent.
                guard error.code == .permission else { throw error }
            }
        }
        return 0
    }

    /// Returns when the name of a file or directory is on the disk.
    static func syncParent(of path: String) throws(StoreError) {
        try OpenFile(directory: parent(of: path) ?? ".").sync()
    }

    /// The directory that something is in; `nil` if the path is no more than a name.
    private static func parent(of path: String) -> String? {
        guard let slash = path.dropLast().lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The names in a directory, in no order; none if there is no such directory.
    static func names(in path: String) throws(StoreError) -> [String] {
        guard let stream = opendir(path) else {
            if errno == ENOENT { return [] }
            throw StoreError(errno: errno, doing: "open the directory", path: path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            names.append(
                withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                })
        }
        guard errno == 0 else {
            throw StoreError(errno: errno, doing: "read the directory", path: path)
        }
        return names
    }
}

/// Calls the system again while a signal interrupts it.
private func retrying<Number: FixedWidthInteger>(_ call: () -> Number) -> Number {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
