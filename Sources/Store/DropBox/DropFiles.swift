import Foundation
import Models

/// The files of a drop box: how they are named, written and read.
///
/// DO NOT CHANGE: Docs/Format.md, "Drop box", has the grammar.
struct DropFiles: Sendable {
    private let store: StoreFiles

    init(in directory: URL) { store = StoreFiles(directory: directory) }

    var path: String { store.directory.appending(path: "drops").path }

    /// A box that is being removed.
    private var removed: String { path + ".removed" }

    /// Whether there is a box.
    func exists() throws(StoreError) -> Bool {
        if access(path, F_OK) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else {
            throw StoreError(errno: errno, doing: "look at the drop box", path: path)
        }
        return false
    }

    /// What new drops are sealed by; `nil` if they are plain.
    func keys(_ key: EncryptionKey?) throws(StoreError) -> DataKeys? {
        let keys = try store.unlock(key, isCreating: false)
        // Of a store that is not there yet, nothing says that it will be plain.
        if keys == nil, key != nil {
            throw StoreError(.wrongKey, "the store is not encrypted", path: store.directory.path)
        }
        return keys
    }

    /// Waits until nobody else leaves or reseals anything, and keeps all others out during a call.
    ///
    /// - Throws: `closed` if the box was removed.
    func alone<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) {
            return try OpenFile.alone(path + "/lock", body)
        } catch {
            guard try exists() else {
                throw StoreError(
                    .closed, "the drop box was removed: nobody is logged in", path: path)
            }
            throw error
        }
    }
}

// MARK: Names

extension DropFiles {
    private static let suffix = ".drop"

    /// A number, by which they are ordered, and a random one, so that no name is ever used again.
    private static func name(_ number: UInt64, _ random: UInt64) -> String {
        let digits = [number, random].map { withUnsafeBytes(of: $0.bigEndian) { $0.hexadecimal } }
        return digits.joined(separator: "-") + suffix
    }

    private static let nameSize = name(0, 0).utf8.count

    private static func number(of name: String) -> UInt64? {
        guard name.utf8.count == nameSize, name.hasSuffix(suffix) else { return nil }
        return UInt64(String(decoding: name.utf8.prefix(16), as: UTF8.self), radix: 16)
    }

    /// The names of the drops, oldest first.
    func names() throws(StoreError) -> [String] {
        try OpenFile.names(in: path).filter { DropFiles.number(of: $0) != nil }.sorted()
    }

    private func path(of name: String) -> String { path + "/" + name }
}

// MARK: Leaving and taking

extension DropFiles {
    /// Leaves a drop; nobody else does meanwhile.
    func add(_ messages: [Message], _ keys: DataKeys?) throws(StoreError) {
        try removeUnfinished()
        let names = try names()
        let text = CacheFile.drop.text(of: messages)
        let name = DropFiles.name(
            (names.last.flatMap(DropFiles.number) ?? 0) &+ 1, .random(in: .min ... .max))
        let bytes = try keys.map(LineCipher.init)?.seal(text, name: name) ?? text
        var size = bytes.count
        for name in names { size += try OpenFile(reading: path(of: name))?.size() ?? 0 }
        guard names.count < DropBox.maximumCount, size <= DropBox.maximumSize else {
            throw StoreError(
                .noSpace, "the drop box is full: \(names.count) drops wait to be taken in",
                path: path)
        }
        try OpenFile.replace(path(of: name), by: bytes)
    }

    /// Reads a drop; `nil` if there is none of the name any more.
    func contents(
        _ name: String, _ keys: DataKeys?
    ) throws(StoreError) -> FileCache.Contents<Message>? {
        guard var lines = try lines(of: name, keys) else { return nil }
        var contents = FileCache.Contents<Message>()
        try contents.read(.drop, from: &lines, at: path(of: name)) { $0.sentPosition != nil }
        return contents
    }

    private func lines(of name: String, _ keys: DataKeys?) throws(StoreError) -> LineReader? {
        guard let file = try OpenFile(reading: path(of: name)) else { return nil }
        return LineReader(file, keys.map { (LineCipher($0), name) })
    }

    /// Removes drops; those that are gone already are removed.
    func remove(_ names: [String]) throws(StoreError) {
        guard !names.isEmpty else { return }
        for name in names { try OpenFile.remove(path(of: name)) }
        try OpenFile(directory: path).sync()
    }

    /// Removes what a writer has left that was ended.
    private func removeUnfinished() throws(StoreError) {
        for name in try OpenFile.names(in: path) where name.hasSuffix(OpenFile.unfinished) {
            try OpenFile.remove(path(of: name))
        }
    }
}

// MARK: The box

extension DropFiles {
    /// Makes the box, if it is not there.
    func make() throws(StoreError) {
        if access(removed, F_OK) == 0 { try OpenFile.removeAll(at: removed) }
        if try !exists() { try OpenFile.createDirectory(path) }
    }

    /// Removes the box with all that is in it; who leaves something just then is waited for.
    ///
    /// In one step: from then on nobody finds it.
    func removeBox() throws(StoreError) {
        try OpenFile.removeAll(at: removed)
        guard try exists() else { return }
        try alone { () throws(StoreError) in try OpenFile.move(path, to: removed) }
        try OpenFile.removeAll(at: removed)
    }

    /// Seals all drops anew, and then does something before anybody leaves another one.
    ///
    /// Damage stays damage. Where it ends in between, each drop can be read with the same keys.
    func reseal(
        _ keys: DataKeys, then finish: () throws(StoreError) -> Void
    ) throws(StoreError) {
        guard try exists() else { return try finish() }
        try alone { () throws(StoreError) in
            try removeUnfinished()
            for name in try names() {
                guard var lines = try lines(of: name, keys) else { continue }
                let bytes = try LineCipher(keys).seal(try lines.text(), name: name)
                try OpenFile.replace(path(of: name), by: bytes)
            }
            try finish()
        }
    }
}
