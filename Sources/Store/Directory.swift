import Foundation

/// An open directory, whose entries are resolved relative to it, so that the path may have any
/// length.
final class Directory {
    private let descriptor: Int32
    private let path: String

    convenience init(_ path: String) throws(StoreError) {
        try self.init(path, in: AT_FDCWD, path)
    }

    /// The bytes of a name, which may not be UTF-8, with a zero byte at the end.
    typealias Name = [CChar]

    private init(
        _ name: UnsafePointer<CChar>, in parent: Int32, _ path: String
    ) throws(StoreError) {
        self.path = path
        func open() -> Int32 {
            openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        }
        var opened = open()
        // Another program may have created a directory that its owner cannot read.
        if opened < 0, errno == EACCES, fchmodat(parent, name, 0o700, 0) == 0 { opened = open() }
        descriptor = opened
        guard descriptor >= 0 else {
            throw StoreError(errno: errno, doing: "open the directory", path: path)
        }
    }

    deinit { close(descriptor) }

    /// Removes everything, after moving up inner directories, so that a tree of any depth needs two
    /// open directories.
    ///
    /// Throws `io` if another program adds entries all the time.
    func removeContents() throws(StoreError) {
        var movedCount = 0
        makeWritable()
        // Each round removes a level of the tree.
        for _ in 0..<100_000 {
            let names = try names()
            if names.isEmpty { return }
            for name in names where try !remove(name) {
                let child = try Directory(name, in: descriptor, path)
                child.makeWritable()
                for inner in try child.names() where try !child.remove(inner) {
                    try move(inner, of: child, number: &movedCount)
                }
                guard unlinkat(descriptor, name, AT_REMOVEDIR) == 0 || errno == ENOENT else {
                    throw StoreError(errno: errno, doing: "remove a directory", path: path)
                }
            }
        }
        throw StoreError(
            .io, "the directory cannot be removed: another program adds files to it", path: path)
    }

    // Another program may have changed the mode. If this fails, the removal of an entry throws.
    private func makeWritable() { _ = fchmod(descriptor, 0o700) }

    private func move(
        _ name: Name, of child: Directory, number: inout Int
    ) throws(StoreError) {
        // The system changes the `..` of a moved directory, which must be writable.
        _ = fchmodat(child.descriptor, name, 0o700, AT_SYMLINK_NOFOLLOW)
        while true {
            number += 1
            if renameat(child.descriptor, name, descriptor, "removed-\(number)") == 0 { return }
            // Another entry has the new name.
            guard [EEXIST, ENOTEMPTY, ENOTDIR, EISDIR].contains(errno) else {
                throw StoreError(errno: errno, doing: "move a directory", path: path)
            }
        }
    }

    /// Removes an entry; returns `false` for a directory.
    private func remove(_ name: Name) throws(StoreError) -> Bool {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return true }
            throw StoreError(errno: errno, doing: "examine a file", path: path)
        }
        if status.st_mode & S_IFMT == S_IFDIR { return false }
        guard unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else {
            throw StoreError(errno: errno, doing: "remove a file", path: path)
        }
        return true
    }

    private func names() throws(StoreError) -> [Name] {
        try Directory.names(
            in: openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), path)
    }

    /// Returns the names in a directory, unordered and without "." and "..", and closes the
    /// descriptor; a negative one is a failed opening.
    static func names(in descriptor: Int32, _ path: String) throws(StoreError) -> [Name] {
        guard descriptor >= 0, let stream = fdopendir(descriptor) else {
            let error = errno
            if descriptor >= 0 { close(descriptor) }
            throw StoreError(errno: error, doing: "open the directory", path: path)
        }
        defer { closedir(stream) }
        var names: [Name] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
            }
            if name != [0x2E, 0], name != [0x2E, 0x2E, 0] { names.append(name) }
        }
        guard errno == 0 else {
            throw StoreError(errno: errno, doing: "read the directory", path: path)
        }
        return names
    }
}
