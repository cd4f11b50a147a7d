// Changes of an item's state, which also update the state of its message.
extension OutboxItem {
    /// The time at which the user wrote or last resent the item, from which the outbox counts the
    /// period of its retries.
    public var waitingSince: Timestamp { resentAt ?? createdAt }

    /// A Boolean value that indicates whether the user may resend the item: it failed, and its
    /// error code permits a retry.
    public var isResendable: Bool { state == .failed && errorCode?.isResendable ?? false }

    /// Marks the item and its message as failed.
    ///
    /// The outbox does not retry the item until the user resends it. `text` is the backend's error
    /// message, for diagnosis.
    public mutating func fail(_ code: ErrorCode, message text: String? = nil) {
        state = .failed
        errorCode = code
        errorMessage = text
        notBefore = nil
        message?.sendingStatus = .failed
        message?.errorCode = code
    }

    /// Marks a pending item as failed, because the files that contained it may be old or forged.
    ///
    /// The server may already have the item.
    package mutating func requireConfirmation() {
        guard state == .pending else { return }
        fail(.needsConfirmation, message: "the user has to confirm an item of restored files")
    }

    /// Marks a failed item and its message as pending again.
    ///
    /// ``isDoubtful`` and uploaded files do not change. `time` is the time on this device's clock.
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
