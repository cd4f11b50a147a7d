public import Foundation
public import Models

extension BackendError {
    /// Creates the error for an HTTP response whose status is not 2xx.
    ///
    /// | status | code |
    /// |---|---|
    /// | 401 | `sessionExpired` |
    /// | 404 | `notFound` |
    /// | 410 | `expired`, for a cursor or a token that the server no longer knows |
    /// | 405, 501 | `unsupported` |
    /// | 429, and 503 with `Retry-After` | `throttled` |
    /// | 3xx, 407, 408, other statuses from 500 | `unanswered` |
    /// | other statuses | `refused` |
    ///
    /// A proxy may return 5xx after the server has executed the request, and a hotel's network may
    /// redirect it to a login page, so such a request counts as unanswered. Use `serverFailure`
    /// only if your server says that nothing was changed, and `sessionRevoked` only if it says that
    /// the user may not connect any more.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - message: The description of the error, which should name the request.
    ///   - detail: The server's error number; by default, the number that fits the status.
    ///   - retryAfter: The header `Retry-After`: seconds, or a date. If it is missing or invalid
    ///     with status 429, the error has one second.
    ///   - now: The time to which a date is compared.
    public init(
        httpStatus status: Int, _ message: String, detail: ErrorCode? = nil,
        retryAfter: String? = nil, now: Timestamp = Timestamp(Date())
    ) {
        let pause = retryAfter.flatMap { Duration(retryAfter: $0, now: now) }
        let (code, number): (Code, ErrorCode?) =
            switch status {
            case 401: (.sessionExpired, .accessTokenNotValid)
            case 403: (.refused, .notAuthorized)
            case 404: (.notFound, .notFoundInDatabase)
            case 410: (.expired, nil)
            case 405, 501: (.unsupported, nil)
            case 413: (.refused, .fileSizeLimitExceeded)
            case 429: (.throttled, .rateLimitExceeded)
            case 503 where pause != nil: (.throttled, .rateLimitExceeded)
            case 300..<400, 407, 408, 500...: (.unanswered, .internalServerError)
            default: (.refused, .invalidParameter)
            }
        self.init(
            code, message, detail: detail ?? number,
            retryAfter: code == .throttled ? pause ?? .seconds(1) : nil)
    }
}

extension Duration {
    /// Creates the duration of a header `Retry-After`, from zero to a day; `nil` if the text is
    /// neither a number of seconds nor a date in the format of RFC 9110.
    fileprivate init?(retryAfter text: String, now: Timestamp) {
        let text = text.trimmingCharacters(in: .whitespaces)
        let duration: Duration
        if let seconds = Double(text), seconds.isFinite {
            duration = .seconds(min(max(seconds, 0), 86_400))
        } else {
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = TimeZone(secondsFromGMT: 0)
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            guard let date = format.date(from: text) else { return nil }
            let (left, overflows) = Timestamp(date).milliseconds
                .subtractingReportingOverflow(now.milliseconds)
            duration = .milliseconds(overflows ? 0 : left)
        }
        self = min(max(duration, .zero), Backoff.longestDelay)
    }
}
