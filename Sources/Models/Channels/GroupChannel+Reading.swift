extension GroupChannel {
    /// Returns whether a member has read or sent a message.
    public func isRead(_ message: Message, by userID: UserID) -> Bool {
        guard message.messageID != nil else { return false }
        if message.isSent(by: userID) { return true }
        return readReceipts[userID].map { message.createdAt <= $0 } ?? false
    }

    /// Returns the joined members who have read a message, without the sender.
    ///
    /// In a large channel, the server may report only some members.
    public func membersWhoHaveRead(_ message: Message) -> [Member] {
        recipients(of: message).filter { isRead(message, by: $0.userID) }
    }

    /// Returns the number of joined members who have not read a message, without the sender.
    ///
    /// In a large channel, the server may report only some members.
    public func unreadMemberCount(of message: Message) -> Int {
        recipients(of: message).count { !isRead(message, by: $0.userID) }
    }

    private func recipients(of message: Message) -> [Member] {
        members.filter { $0.state == .joined && !message.isSent(by: $0.userID) }
    }
}

extension Message {
    /// Returns whether a user has sent or written the message, on any device.
    public func isSent(by userID: UserID) -> Bool { sender?.userID == userID }

    /// A Boolean value that indicates whether the message was edited.
    public var isEdited: Bool { updatedAt != nil }

    /// A message does not know the current user.
    @available(*, unavailable, renamed: "isSent(by:)")
    public var isSentByCurrentUser: Bool { false }

    /// A message does not know the current user.
    @available(*, unavailable, renamed: "isSent(by:)")
    public var isSentByMe: Bool { false }
}

extension Reaction {
    /// Returns whether a user has the reaction; in a large channel, the server lists only some
    /// users.
    public func contains(_ userID: UserID) -> Bool {
        userIDs.contains(userID)
    }
}
