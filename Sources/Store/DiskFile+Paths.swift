import Foundation
import Models

extension DiskFile {
    static let unfinished = ".new"

    /// Creates or replaces a file atomically and durably.
    ///
    /// After a crash, the file has its old or its new content, and the next call removes an
    /// unfinished file.
    static func replace(_ path: String, by bytes: [UInt8]) throws(StoreError) {
        let unfinished = path + DiskFile.unfinished
        try removeAll(at: unfinished)
        do throws(StoreError) {
            let new = try DiskFile(creating: unfinished)
            try new.write(bytes)
            try new.sync()
            guard rename(unfinished, path) == 0 else {
                throw StoreError(errno: errno, doing: "replace the file", path: path)
            }
            try syncParent(of: path)
        } catch {
            // The next call removes a leftover file.
            try? remove(unfinished)
            throw error
        }
    }

    /// Renames a file or directory durably; replaces an empty directory, but no other one.
    ///
    /// If the parent changes, the removal from the old one is not durable yet.
    static func move(_ path: String, to other: String) throws(StoreError) {
        guard rename(path, other) == 0 else {
            throw StoreError(errno: errno, doing: "rename to \(other)", path: path)
        }
        try syncParent(of: other)
    }

    static func removeAll(at path: String) throws(StoreError) {
        var status = stat()
        if lstat(path, &status) != 0 && errno == ENOENT { return }
        guard status.st_mode & S_IFMT == S_IFDIR else { return try remove(path) }
        try Directory(path).removeContents()
        guard rmdir(path) == 0 || errno == ENOENT else {
            throw StoreError(errno: errno, doing: "remove the directory", path: path)
        }
    }

    static func remove(_ path: String) throws(StoreError) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw StoreError(errno: errno, doing: "remove the file", path: path)
    }
}

// MARK: Directories

extension DiskFile {
    /// Durably creates a directory that only its owner can access, and its missing parents, unless
    /// it exists.
    static func createDirectory(_ path: String) throws(StoreError) {
        // The system would ignore the part of the path after a null byte.
        let error = path.utf8.contains(0) ? EINVAL : try makeDirectory(path, isParent: false)
        guard error == 0 else {
            throw StoreError(errno: error, doing: "create the directory", path: path)
        }
    }

    /// Creates a directory regardless of the process's umask, and returns 0 or an error number.
    private static func makePrivateDirectory(_ path: String) -> Int32 {
        guard mkdir(path, 0o700) == 0, chmod(path, 0o700) == 0 else { return errno }
        return 0
    }

    private static func makeDirectory(_ path: String, isParent: Bool) throws(StoreError) -> Int32 {
        var error = makePrivateDirectory(path)
        if error == ENOENT, let parent = parent(of: path) {
            error = try makeDirectory(parent, isParent: true)
            guard error == 0 else { return error }
            error = makePrivateDirectory(path)
        }
        if error == EEXIST {
            var status = stat()
            guard stat(path, &status) == 0 else { return errno }
            return status.st_mode & S_IFMT == S_IFDIR ? 0 : ENOTDIR
        }
        guard error == 0 else { return error }
        try syncParent(of: path)
        // An earlier process may have crashed before syncing the parent's name.
        if !isParent, let parent = parent(of: path) {
            do throws(StoreError) {
                try syncParent(of: parent)
            } catch {
                // This package has not created a parent that it cannot read.
                guard error.code == .permission else { throw error }
            }
        }
        return 0
    }

    static func syncParent(of path: String) throws(StoreError) {
        try DiskFile(directory: parent(of: path) ?? ".").sync()
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.dropLast().lastIndex(of: "/") else { return nil }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the unordered names in a directory; none if it does not exist.
    static func names(in path: String) throws(StoreError) -> [String] {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return [] }
        // The store never creates a name that is not UTF-8, and could not find it again.
        return try Directory.names(in: descriptor, path).compactMap { name in
            name.dropLast().withUnsafeBytes { String(validUTF8: $0) }
        }
    }

    /// Returns the numbers in `range` that follow `prefix` in names.
    static func numbers(
        after prefix: String, in range: ClosedRange<Int>, at path: String
    ) throws(StoreError) -> [Int] {
        try names(in: path).compactMap { name in
            guard name.hasPrefix(prefix) else { return nil }
            let digits = name.dropFirst(prefix.count)
            guard let number = Int(digits), range.contains(number), String(number) == digits else {
                return nil
            }
            return number
        }
    }
}
