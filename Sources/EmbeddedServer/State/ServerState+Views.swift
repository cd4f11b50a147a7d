import Models
import Store

extension ServerState {
    func view(_ channel: ServerChannel, for userID: UserID) throws(BackendError) -> GroupChannel {
        var view = channel.group
        view.maximumMessageLength = conditions.maximumMessageLength
        view.memberCount = channel.members.count
        view.joinedMemberCount = channel.members.values.count { $0.state == .joined }
        let ids = channel.memberIDs
        let operators = ids.filter { channel.members[$0]?.role == .operator }
        view.operators = operators.compactMap { accounts[$0]?.user }
        view.readReceipts = channel.members.compactMapValues(\.readAt)
        view.deliveryReceipts = channel.members.compactMapValues(\.deliveredAt)
        view.members = ids.compactMap { member($0, of: channel) }
        try setOwnPart(of: channel, for: userID, in: &view)
        return view
    }

    /// Returns only the properties that depend on the user or change with messages, without reading
    /// all members.
    func partialView(
        _ channel: ServerChannel, for userID: UserID
    ) throws(BackendError) -> GroupChannel {
        var view = GroupChannel()
        try setOwnPart(of: channel, for: userID, in: &view)
        return view
    }

    func member(_ userID: UserID, of channel: ServerChannel) -> Member? {
        guard let membership = channel.members[userID], let account = accounts[userID] else {
            return nil
        }
        var member = Member(account.user, state: membership.state, role: membership.role)
        if let joinedAt = membership.joinedAt { member.joinedAt = joinedAt }
        if let mute = channel.restriction(.muted, of: userID, at: now()) {
            member.isMuted = true
            member.mutedDescription = mute.reason
            member.mutedEndAt = mute.end ?? Timestamp(milliseconds: -1)
        }
        return member
    }

    func lastMessage(
        of channel: ServerChannel, for userID: UserID
    ) throws(BackendError) -> Message? {
        guard let last = try lastMessage(of: channel), isVisible(last, in: channel, to: userID)
        else { return nil }
        return view(last, for: userID)
    }

    private func setOwnPart(
        of channel: ServerChannel, for userID: UserID, in view: inout GroupChannel
    ) throws(BackendError) {
        if let last = try lastMessage(of: channel, for: userID) { view.lastMessage = last }
        guard let member = channel.members[userID] else { return }
        view.myMemberState = member.state
        view.myRole = member.role
        view.hiddenState = member.hidden
        if let joinedAt = member.joinedAt { view.joinedAt = joinedAt }
        if let invitedAt = member.invitedAt { view.invitedAt = invitedAt }
        if let inviter = member.inviter { view.inviter = accounts[inviter]?.user }
        if let readAt = member.readAt { view.myLastRead = readAt }
        if let offset = member.messageOffset { view.messageOffset = offset }
        if let mute = channel.restriction(.muted, of: userID, at: now()) {
            view.isCurrentUserMuted = true
            view.myRestriction = RestrictionInfo(muted: mute)
        }
        guard conditions.capabilities.contains(.unreadCounts) else { return }
        let unread = try unread(by: userID, in: channel)
        view.unreadMessageCount = unread.messages
        view.unreadMentionCount = unread.mentions
    }

    func view(_ channel: ServerChannel) -> OpenChannel {
        var view = channel.open
        view.participantCount = channel.participants.count
        view.maximumMessageLength = conditions.maximumMessageLength
        return view
    }
}

extension RestrictionInfo {
    fileprivate init(muted: Restriction) {
        self.init()
        restrictionType = .muted
        reason = muted.reason
        endAt = muted.end ?? Timestamp(milliseconds: -1)
    }
}
