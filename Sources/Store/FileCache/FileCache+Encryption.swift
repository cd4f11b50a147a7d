public import Foundation
import Models

extension FileCache {
    /// Encrypts all files of a directory anew, under keys that nobody has had before; or for the first
    /// time, or not at all any more.
    ///
    /// File by file, each in one step: when the process ends meanwhile, all can be loaded with either key, and the
    /// same call goes on where it was. What was damaged before is damaged after. Others wait with saving
    /// until it is done; values that were opened before have the keys of before, so open them anew.
    ///
    /// The bytes of the old files are not wiped, as for ``ChatStore/reencrypt(at:from:to:progress:)``.
    ///
    /// - Parameters:
    ///   - directory: The directory of the cache. If there is none, nothing is done.
    ///   - old: The key that it is encrypted with; `nil` if it is not encrypted.
    ///   - new: The key that it is encrypted with from now on, the old one too; `nil` for none.
    ///   - progress: Is called on this thread with how much is done, from 0 to 1.
    /// - Returns: How many files were removed, since none of their lines said any more which channel they
    ///   are of.
    /// - Throws: ``StoreError``: `wrongKey` (nothing was touched), `corruption` if the file of the keys is damaged,
    ///   `newerSchema` if a newer version wrote one of them, `permission`, `noSpace` or `io`.
    /// - Complexity: Reads and writes all files; the disk needs room for one of them.
    @discardableResult
    public static func reencrypt(
        at directory: URL, from old: EncryptionKey?, to new: EncryptionKey?,
        progress: (Double) -> Void = { _ in }
    ) throws(StoreError) -> Int {
        try reencrypt(at: directory, from: old, to: new, progress) { () throws(StoreError) in }
    }

    /// The same; `step` is called before each change on the disk, for tests that end it there.
    static func reencrypt(
        at directory: URL, from old: EncryptionKey?, to new: EncryptionKey?,
        _ progress: (Double) -> Void, step: () throws(StoreError) -> Void
    ) throws(StoreError) -> Int {
        let path = try path(of: directory)
        guard access(path, F_OK) == 0 else { return 0 }
        let keyFile = KeyFile(in: path)
        guard try keyFile.checkExchange(from: old, to: new) else {
            progress(1)
            return 0
        }
        return try alone(in: path) { () throws(StoreError) in
            guard try keyFile.checkExchange(from: old, to: new) else {
                progress(1)
                return 0
            }
            try step()
            let keys = try keyFile.beginExchange(from: old, to: new)
            let removed = try reseal(path, LineCipher(keys), progress, step)
            try step()
            try keyFile.finishExchange(keys, for: new)
            progress(1)
            return removed
        }
    }

    /// Writes each file anew, under the name that goes with the new key.
    private static func reseal(
        _ path: String, _ cipher: LineCipher, _ progress: (Double) -> Void,
        _ step: () throws(StoreError) -> Void
    ) throws(StoreError) -> Int {
        let names = try names(in: path).sorted()
        var removed = 0
        progress(0)
        for (index, name) in names.enumerated() {
            defer { progress(Double(index + 1) / Double(names.count + 1)) }
            let old = path + "/" + name
            guard !name.hasSuffix(OpenFile.unfinished), let file = try OpenFile(reading: old) else {
                try step()
                try OpenFile.remove(old)
                continue
            }
            var lines = LineReader(file, (cipher, name))
            let text = try lines.text()
            let first = Array(text.prefix { $0 != UInt8(ascii: "\n") })
            _ = try CacheHeader(first)?.contents(at: old)
            guard let newName = cipher.newName(of: name, text) else {
                try step()
                try OpenFile.remove(old)
                removed += 1
                continue
            }
            // It was saved again under the new one, after an earlier call had ended in between.
            if newName == name || access(path + "/" + newName, F_OK) != 0 {
                try step()
                try OpenFile.replace(path + "/" + newName, by: try cipher.seal(text, name: newName))
            }
            if newName != name {
                try step()
                try OpenFile.remove(old)
            }
        }
        try OpenFile(directory: path).sync()
        return removed
    }
}

extension LineCipher {
    /// The name that a file gets; `nil` if nothing in it says which channel it is of.
    fileprivate func newName(of name: String, _ text: [UInt8]) -> String? {
        guard CacheFile.isMessagesName(name) else { return name }
        let lines = text.split(separator: UInt8(ascii: "\n")).map(Array.init)
        let named = lines.first.flatMap { CacheHeader($0)?.contents?.file.channel }
        // Without its header, what its messages say; the name tells whether that is so.
        let said = lines.lazy.compactMap { CacheFile.channel(ofMessageIn: $0) }
        for channel in [named].compactMap(\.self) + said {
            let names = names(of: .messages(of: channel))
            if names.contains(name) { return names[0] }
        }
        return nil
    }
}
