import Foundation

extension StoreError {
    /// Creates the error of a system call from its `errno`, read before any other call, and the
    /// action, as in "read the file".
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

    init(system error: any Error, doing action: String, path: String) {
        if let number = systemErrorNumber(of: error) {
            self.init(errno: number, doing: action, path: path)
        } else {
            self.init(.io, "cannot \(action)", path: path, cause: error)
        }
    }
}

/// Returns the `errno` of an error of Foundation; `nil` if no system call has failed.
private func systemErrorNumber(of error: any Error) -> Int32? {
    // On Linux, only an explicit cast converts an error to NSError.
    let error = error as NSError
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error
    for error in [error, underlying as NSError?] {
        if let error, error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
    }
    return nil
}

package func systemReason(of error: any Error) -> String {
    systemErrorNumber(of: error).map { String(cString: strerror($0)) }
        ?? (error as NSError).localizedDescription
}
