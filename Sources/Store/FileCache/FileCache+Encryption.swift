public import Foundation
import Models

extension FileCache {
    /// Re-encrypts all files of a directory with new keys, or adds or removes the encryption.
    ///
    /// Each file is replaced atomically. If the process ends before the call has finished, all
    /// files can be loaded with either key, and repeating the call with the same keys resumes the
    /// work. Damaged lines stay damaged. Other writers wait until the call has finished.
    /// ``FileCache`` values that were created before the call have the old keys: create them again.
    ///
    /// As in ``ChatStore/reencrypt(at:from:to:progress:)``, the bytes of the old files are not
    /// erased from the disk.
    ///
    /// - Parameters:
    ///   - directory: The directory of the cache. If it does not exist, the call has no effect.
    ///   - old: The current key; `nil` if the cache is not encrypted.
    ///   - new: The new key, which may equal the old one; `nil` to remove the encryption.
    ///   - progress: A closure that is called on this thread with the progress from 0 to 1.
    /// - Returns: The number of files that were removed because of damage. A file is removed if
    ///   none of its lines reveals the channel, from which its new name is derived.
    /// - Throws: ``StoreError``: `wrongKey`, in which case nothing was changed; `corruption` if the
    ///   key file is damaged; `newerSchema` if a newer version of the package wrote one of the
    ///   files; `permission`, `noSpace` or `io`.
    /// - Complexity: Reads and writes all files. Needs disk space for a copy of the largest file.
    @discardableResult
    public static func reencrypt(
        at directory: URL, from old: EncryptionKey?, to new: EncryptionKey?,
        progress: (Double) -> Void = { _ in }
    ) throws(StoreError) -> Int {
        try reencrypt(at: directory, from: old, to: new, progress) { () throws(StoreError) in }
    }

    /// Re-encrypts the files like the public method, and calls `step` before each change on disk.
    ///
    /// Tests simulate a crash in `step`.
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

    /// Re-encrypts and renames each file, because the name depends on the key.
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
            guard !name.hasSuffix(DiskFile.unfinished), let file = try DiskFile(reading: old) else {
                try step()
                try DiskFile.remove(old)
                continue
            }
            var lines = LineReader(file, (cipher, name))
            let text = try lines.text()
            let first = Array(text.prefix { $0 != UInt8(ascii: "\n") })
            _ = try CacheHeader(first)?.contents(at: old)
            guard let newName = cipher.newName(of: name, text) else {
                try step()
                try DiskFile.remove(old)
                removed += 1
                continue
            }
            // If a file with the new name already exists, it is newer: after an earlier call was
            // interrupted, the file was saved again under the new name. Keep that file.
            if newName == name || access(path + "/" + newName, F_OK) != 0 {
                try step()
                try DiskFile.replace(path + "/" + newName, by: try cipher.seal(text, name: newName))
            }
            if newName != name {
                try step()
                try DiskFile.remove(old)
            }
        }
        try DiskFile(directory: path).sync()
        return removed
    }
}

extension LineCipher {
    /// Returns the new name of a file; `nil` if the content does not reveal the channel.
    fileprivate func newName(of name: String, _ text: [UInt8]) -> String? {
        guard CacheFile.isMessagesName(name) else { return name }
        let lines = text.split(separator: UInt8(ascii: "\n")).map(Array.init)
        let named = lines.first.flatMap { CacheHeader($0)?.contents?.file.channel }
        // If the header is damaged, use the channel of one of the messages, if the file's current
        // name is derived from that channel.
        let recorded = lines.lazy.compactMap { CacheFile.channel(ofMessageIn: $0) }
        for channel in [named].compactMap(\.self) + recorded {
            let names = names(of: .messages(of: channel))
            if names.contains(name) { return names[0] }
        }
        return nil
    }
}
