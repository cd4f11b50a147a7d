import Foundation

// What is done with files and directories by their paths.

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
