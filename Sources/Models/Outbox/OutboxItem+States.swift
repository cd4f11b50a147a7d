extension OutboxItem {
    /// The time at which the user wrote or last resent the item, from which retries count.
    package var waitingSince: Timestamp { resentAt ?? createdAt }

    /// A Boolean value that indicates whether the user may resend the item: it failed with an error
    /// that permits it.
    public var isResendable: Bool { state == .failed && errorCode?.isResendable ?? false }

    /// Marks the item and its message as failed, with the backend's error message.
    package mutating func fail(_ code: ErrorCode, message text: String? = nil) {
        state = .failed
        errorCode = code
        errorMessage = text
        notBefore = nil
        message?.sendingStatus = .failed
        message?.errorCode = code
    }

    /// Marks a pending item as failed, because the store that contained it may be old or forged.
    package mutating func requireConfirmation() {
        guard state == .pending else { return }
        fail(.needsConfirmation, message: "the user has to confirm an item of restored files")
    }

    /// Prepares an item that another program may have written: the user has to confirm it, lists
    /// show its complete content, and only files in the store are uploaded.
    ///
    /// Removed are meta arrays and the template of mentions, which other clients may show in place
    /// of the text, and what no row shows, such as mentions and polls. The app's own `data`,
    /// `customType` and `extra` are in the row, and stay.
    package mutating func distrust() {
        fail(.needsConfirmation, message: "the user has to confirm an item of restored files")
        // In another epoch, a deletion would count as done.
        targetEpoch = nil
        userMessageUpdateParams?.removeMentions()
        fileMessageUpdateParams?.removeMentions()
        for index in files.indices { setUploadedFile(nil, at: index) }
        removePaths()
        guard operation == .send, let shown = message, let new = shown.newMessage?.shownParts else {
            message = nil
            return
        }
        var message = Message(
            new, in: channelURL, channelType: shown.channelType, by: shown.sender,
            at: shown.createdAt)
        message.requestID = requestID
        (message.sendingStatus, message.errorCode) = (shown.sendingStatus, shown.errorCode)
        self.message = message
    }

    /// Marks a failed item and its message as pending again, at a time on this device's clock.
    ///
    /// ``isDoubtful`` and uploaded files do not change.
    package mutating func resend(at time: Timestamp) {
        state = .pending
        errorCode = nil
        errorMessage = nil
        notBefore = nil
        resentAt = time
        message?.sendingStatus = .pending
        message?.errorCode = nil
    }
}

extension NewMessage {
    fileprivate var shownParts: NewMessage {
        var parts = NewMessage(text, files: files)
        (parts.data, parts.customType, parts.extra) = (data, customType, extra)
        (parts.parentMessageID, parts.isReplyToChannel) = (parentMessageID, isReplyToChannel)
        return parts
    }
}

extension MessageUpdateParams {
    fileprivate mutating func removeMentions() {
        (mentionType, mentionedUserIDs, mentionedMessageTemplate) = (nil, [], nil)
    }
}
