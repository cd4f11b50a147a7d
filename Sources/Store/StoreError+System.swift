import Foundation

extension StoreError {
    /// Creates the error for a failed system call.
    ///
    /// - Parameters:
    ///   - number: The `errno` after the call, read before any other call.
    ///   - action: The failed action, as in "read the file".
    ///   - path: The path of the file or directory.
    ///   - cause: The underlying error, if there is one.
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

    /// Creates an error from an error of Foundation, whose system error number determines the code.
    init(system error: any Error, doing action: String, path: String) {
        // On Linux, only an explicit cast converts an error to NSError.
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
        if let underlying = underlying as NSError?, underlying.domain == NSPOSIXErrorDomain {
            self.init(errno: Int32(underlying.code), doing: action, path: path)
        } else {
            self.init(.io, "cannot \(action)", path: path, cause: error)
        }
    }
}
