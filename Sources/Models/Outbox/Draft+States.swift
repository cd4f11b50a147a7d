// The message is what lists show, so it always tells what the draft does.
extension Draft {
    /// From when the time counts after which it is given up: written, or sent again by its user.
    public var waitingSince: Timestamp { resentAt ?? createdAt }

    /// Whether its user may send it again: it failed, and not for good.
    public var isResendable: Bool { state == .failed && errorCode?.isResendable ?? false }

    /// Gives it up until its user sends it again: the draft and its message fail.
    ///
    /// - Parameters:
    ///   - code: Why.
    ///   - text: What the backend said, for whoever looks for the cause.
    public mutating func fail(_ code: ErrorCode, _ text: String? = nil) {
        state = .failed
        errorCode = code
        errorMessage = text
        notBefore = nil
        message?.sendingStatus = .failed
        message?.errorCode = code
    }

    /// Lets it wait again, since its user asked for it: the draft and its message are pending.
    ///
    /// Whether it is doubtful, and what was uploaded, stays as it is.
    ///
    /// - Parameter time: When the user asked, by the clock of this device.
    public mutating func resend(at time: Timestamp) {
        state = .pending
        errorCode = nil
        errorMessage = nil
        notBefore = nil
        resentAt = time
        message?.sendingStatus = .pending
        message?.errorCode = nil
    }
}
