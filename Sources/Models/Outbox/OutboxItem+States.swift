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

    /// Marks a pending item as failed, because the store that contained it may be old or forged,
    /// and returns whether to keep it: the user has not written a request, and cannot resend it.
    package mutating func requireConfirmation() -> Bool {
        guard state == .pending else { return true }
        fail(.needsConfirmation, message: "the user has to confirm an item of restored files")
        return operation != .request
    }

    /// Prepares an item that another program may have written: the user has to confirm it, lists
    /// show its complete content, and only files in the store are uploaded.
    ///
    /// Removes meta arrays and the template of mentions, which other clients may show in place of
    /// the text, and what no list shows, such as mentions and polls. Lists contain the app's own
    /// `data`, `customType` and `extra`, which stay.
    package mutating func distrust() {
        fail(.needsConfirmation, message: "the user has to confirm an item of restored files")
        // A newer version could give them a meaning that no list shows.
        if isUnderstood { removeUnknownFields() }
        // In another epoch, a deletion would count as done.
        targetEpoch = nil
        userMessageUpdateParams = userMessageUpdateParams?.shownParts
        fileMessageUpdateParams = fileMessageUpdateParams?.shownParts
        uploadedFiles = []
        // Lists show the data, and a copy would be sent.
        for index in files.indices where files[index].data != nil { setFileCopy(nil, at: index) }
        fileCopies = Array(fileCopies.prefix(files.count))
        while fileCopies.last?.name.isEmpty ?? false { fileCopies.removeLast() }
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
        var parts = NewMessage(text, files: files.map(\.shownParts))
        (parts.data, parts.customType) = (data, customType)
        // An encoder would write the others as fields of the message.
        parts.extra = extra.filter {
            !NewMessage.schema.hasField(named: $0.key) && !Message.schema.hasField(named: $0.key)
        }
        (parts.parentMessageID, parts.isReplyToChannel) = (parentMessageID, isReplyToChannel)
        return parts
    }
}

extension UploadableFile {
    fileprivate var shownParts: UploadableFile {
        var parts = UploadableFile()
        (parts.data, parts.name, parts.mimeType, parts.size) = (data, name, mimeType, size)
        // The app could open a file of the device.
        if let url, url.isURLOfServer { parts.url = url }
        return parts
    }
}

extension MessageUpdateParams {
    fileprivate var shownParts: Self {
        var parts = Self()
        (parts.text, parts.data, parts.customType) = (text, data, customType)
        return parts
    }
}
