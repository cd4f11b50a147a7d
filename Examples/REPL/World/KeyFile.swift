import Foundation
import Scrollback

extension EncryptionKey {
    /// Reads a key from a file of 64 hexadecimal digits, and creates the file if `creates` is true.
    ///
    /// An app keeps its key in the system's keychain, not in a file. Throws an error if the file
    /// does not exist, is a link, has no key, or is accessible to other users of the machine.
    init(file: URL, creates: Bool) throws {
        let secret = SecretFile(file)
        if creates, try !secret.exists {
            let digits = EncryptionKey().withUnsafeBytes { Hex.text($0).replacing(" ", with: "") }
            try secret.create("\(digits)\n")
        }
        guard let text = try secret.read("the key") else {
            throw CommandError.failed("there is no key file '\(file.path)'")
        }
        guard let bytes = Hex.bytes(text), let key = EncryptionKey(bytes) else {
            throw CommandError.failed(
                "\(file.path) has no key: it should be 64 hexadecimal digits")
        }
        self = key
    }

    /// Reads or creates the key of the data in a directory.
    ///
    /// Throws an error if the directory contains encrypted data without the file: a new key could
    /// not decrypt them.
    init(file: URL, of home: URL?) throws {
        if try !SecretFile(file).exists, let data = home.flatMap(EncryptionKey.encryptedData) {
            throw CommandError.failed(
                "there is no key file '\(file.path)', and the data in '\(data.path)' is encrypted")
        }
        try self.init(file: file, creates: true)
    }

    /// Returns a directory with encrypted data below another one: it has a file of keys or, if that
    /// is lost, a name of a hyphen and a hash.
    private static func encryptedData(below home: URL) -> URL? {
        // The enumerator does not follow a link.
        let files = FileManager.default.enumerator(
            at: home.resolvingSymlinksInPath(), includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            let name = file.lastPathComponent
            if name == "KEY" { return file.deletingLastPathComponent() }
            if name.hasPrefix("-"), name.dropFirst().allSatisfy(\.isHexDigit), name.count > 32 {
                return file
            }
        }
        return nil
    }
}

struct SecretFile {
    private let path: String

    init(_ file: URL) { path = file.path }

    var exists: Bool {
        get throws {
            var status = stat()
            if lstat(path, &status) == 0 { return true }
            guard errno == ENOENT else { throw failure("find") }
            return false
        }
    }

    /// Creates the file, with the mode 0600 from the beginning, and syncs it.
    func create(_ text: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("write") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(text.utf8))
            try file.synchronize()
        } catch {
            unlink(path)
            throw CommandError.failed("cannot write '\(path)': \(error)")
        }
    }

    /// Reads the text; `nil` if the file does not exist.
    ///
    /// `content` names the content in errors. Throws an error unless the file is a regular one of
    /// this user and, if it is secret, has the mode 0600 or 0400.
    func read(_ content: String, isSecret: Bool = true) throws -> String? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("read")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // Examine the open file: another one could take its name.
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read") }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            throw CommandError.failed("'\(path)' is not a file of this user")
        }
        guard !isSecret || status.st_mode & 0o077 == 0 else {
            throw CommandError.failed(
                "other users of this machine can access \(content) in \(path): chmod 600 \(path)")
        }
        do {
            return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        } catch {
            throw CommandError.failed("cannot read \(content) in '\(path)': \(error)")
        }
    }

    private func failure(_ verb: String) -> CommandError {
        CommandError.failed("cannot \(verb) '\(path)': \(String(cString: strerror(errno)))")
    }
}
