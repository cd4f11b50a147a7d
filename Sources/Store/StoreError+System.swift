import Foundation

extension StoreError {
    /// Creates the error for a system call that failed.
    ///
    /// - Parameters:
    ///   - number: The `errno` that the call left, read before anything else was called.
    ///   - action: What could not be done, as in "read the file".
    ///   - path: The file or directory.
    ///   - cause: The error behind it, if there is one.
    package init(
        errno number: Int32, doing action: String, path: String, cause: (any Error)? = nil
    ) {
        let code: Code =
            switch number {
            case ENOSPC, EDQUOT: .noSpace
            case EACCES, EPERM, EROFS: .permission
            default: .io
            }
        let reason = String(cString: strerror(number))
        self.init(
            code, "cannot \(action): \(reason) (errno \(number))", path: path, cause: cause)
    }

    /// What Foundation reports of a file, told apart by the system's number behind it.
    init(system error: any Error, doing action: String, path: String) {
        // On Linux it is no NSError until it is cast from an Error.
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
        if let underlying = underlying as NSError?, underlying.domain == NSPOSIXErrorDomain {
            self.init(errno: Int32(underlying.code), doing: action, path: path)
        } else {
            self.init(.io, "cannot \(action)", path: path, cause: error)
        }
    }
}
