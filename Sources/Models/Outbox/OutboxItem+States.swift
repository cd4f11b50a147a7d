// Changes of an item's state. They also update the item's message, which lists show.
extension OutboxItem {
    /// The time from which the outbox counts until it stops retrying: when the item was written or
    /// last resent by the user.
    public var waitingSince: Timestamp { resentAt ?? createdAt }

    /// A Boolean value that indicates whether the user may resend the item: it failed, and its
    /// error permits a retry.
    public var isResendable: Bool { state == .failed && errorCode?.isResendable ?? false }

    /// Marks the item and its message as failed.
    ///
    /// The outbox does not retry it until the user resends it.
    ///
    /// - Parameters:
    ///   - code: The reason.
    ///   - text: The backend's error message, for diagnosis.
    public mutating func fail(_ code: ErrorCode, message text: String? = nil) {
        state = .failed
        errorCode = code
        errorMessage = text
        notBefore = nil
        message?.sendingStatus = .failed
        message?.errorCode = code
    }

    /// Marks the item and its message as pending again, at the user's request.
    ///
    /// ``isDoubtful`` and uploaded files are kept.
    ///
    /// - Parameter time: The time of the user's request, on this device's clock.
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
