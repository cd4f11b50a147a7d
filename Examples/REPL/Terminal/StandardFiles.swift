import Foundation

/// The inherited files with the numbers 0, 1 and 2.
package enum StandardFiles {
    /// Opens `/dev/null` for each closed file, so that no other file gets its number.
    ///
    /// Otherwise the program could read commands from the database, or write its output to it. Call
    /// this method before the program opens any file.
    package static func replaceClosed() {
        for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(file, F_GETFD) < 0 && errno == EBADF {
            // The system uses the lowest free number: this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }

    /// Writes a whole text, and returns 0 or an error number.
    ///
    /// `FileHandle.write(_:)` would trap after an error.
    static func write(_ text: String, to file: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Foundation.write(file, rest.baseAddress, rest.count)
                if count >= 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                } else if errno == EAGAIN {
                    // Another process has made the file non-blocking.
                    var request = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
                    poll(&request, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }
}
