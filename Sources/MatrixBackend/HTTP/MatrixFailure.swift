// swift-format-ignore-file: AlwaysUseLowerCamelCase
// Keys are named as on the wire.

import Foundation
import Models
import Sync

struct MatrixFailure: Decodable {
    let code: String
    let text: String
    let isSoftLogout: Bool
    let pause: Duration?

    private enum Key: String, CodingKey {
        case errcode, error
        case soft_logout, retry_after_ms
    }

    init(from decoder: any Decoder) throws {
        let reply = try decoder.container(keyedBy: Key.self)
        code = reply.lenientID(.errcode) ?? "M_UNKNOWN"
        text = reply.lenient(.error) ?? ""
        isSoftLogout = reply.lenient(.soft_logout) ?? false
        pause = (try? reply.decode(Int64.self, forKey: .retry_after_ms)).map {
            min(max(.milliseconds($0), .zero), RateLimits.longestPause)
        }
    }

    init(_ reply: HTTPReply) {
        if let failure = try? JSONDecoder.decode(MatrixFailure.self, ofReply: reply.body) {
            self = failure
        } else {
            code = "M_UNKNOWN"
            text = "status \(reply.status)"
            isSoftLogout = false
            pause = nil
        }
    }

}

extension BackendError {
    init(_ reply: HTTPReply, to request: MatrixRequest) {
        let failure = MatrixFailure(reply)
        let message = "\(request.path.joined(separator: "/")): \(failure.text) (\(failure.code))"
        switch (reply.status, failure.code) {
        // The same device may sign in again.
        case (401, _) where failure.isSoftLogout:
            self.init(.sessionExpired, message, detail: .sessionKeyExpired)
        case (403, "M_USER_DEACTIVATED"):
            self.init(.sessionRevoked, message, detail: .userDeactivated)
        case (404, "M_UNRECOGNIZED"): self.init(.unsupported, message)
        case (_, "M_DUPLICATE_ANNOTATION"):
            self.init(.refused, message, detail: .duplicatedData)
        case (_, "M_TOO_LARGE"):
            self.init(.refused, message, detail: .fileSizeLimitExceeded)
        case (429, _):
            self.init(
                .throttled, message, detail: .rateLimitExceeded,
                retryAfter: failure.pause ?? .seconds(1))
        default: self.init(httpStatus: reply.status, message)
        }
    }
}
