import Foundation

/// A file that a command writes, which only its owner can read.
///
/// Other users of the machine may write to its directory, such as `/tmp`.
final class OutputFile {
    private var stream: UnsafeMutablePointer<FILE>?

    /// Creates or empties a file, but not a link, a pipe, a device, a file of another user, or one
    /// with several names.
    ///
    /// A file that others could read is replaced: one of them may have opened it.
    init(_ path: String) throws(CommandError) {
        var status = stat()
        if lstat(path, &status) == 0, Self.isOwnFile(status), status.st_mode & 0o077 != 0 {
            unlink(path)
        }
        let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw errno == ELOOP ? Self.refusal(path) : Self.failure(path)
        }
        // Examine the open file: another one could have taken its name.
        guard fstat(descriptor, &status) == 0, Self.isOwnFile(status) else {
            close(descriptor)
            throw Self.refusal(path)
        }
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0,
            let stream = fdopen(descriptor, "w")
        else {
            let failure = Self.failure(path)
            close(descriptor)
            throw failure
        }
        self.stream = stream
    }

    deinit {
        if let stream { fclose(stream) }
    }

    static func failure(_ path: String) -> CommandError {
        .failed("the file '\(path)' cannot be written: \(String(cString: strerror(errno)))")
    }

    private static func isOwnFile(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid() && status.st_nlink == 1
    }

    private static func refusal(_ path: String) -> CommandError {
        .failed("the file '\(path)' cannot be replaced: it is a link, or no file of this user")
    }

    func write(_ bytes: Data) {
        guard let stream else { return }
        // The caller checks for errors at the end.
        _ = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, stream) }
    }

    /// Writes the rest, closes the file, and returns `true` if all bytes were written.
    func end() -> Bool {
        guard let stream = stream.take() else { return false }
        let isWritten = fflush(stream) == 0 && ferror(stream) == 0
        return fclose(stream) == 0 && isWritten
    }
}
