import Models

extension Patch<GroupChannel> {
    init(whole view: GroupChannel) {
        // Only the device sets `lastSyncedChangelogAt`.
        self.init(whole: view, except: [\.lastSyncedChangelogAt])
    }

    init(_ part: ChannelPart, of view: GroupChannel) {
        self.init()
        switch part {
        case .profile: setProfile(of: view)
        case .members: setMembers(of: view)
        case .mine: setOwnPart(of: view)
        case .pins: set(\.pinnedMessageIDs, to: view.pinnedMessageIDs)
        }
    }

    init(messagesOf view: GroupChannel) {
        self.init()
        set(\.lastMessage, to: view.lastMessage)
        set(\.unreadMessageCount, to: view.unreadMessageCount)
        set(\.unreadMentionCount, to: view.unreadMentionCount)
        set(\.hiddenState, to: view.hiddenState)
    }

    private mutating func setProfile(of view: GroupChannel) {
        set(\.name, to: view.name)
        set(\.coverURL, to: view.coverURL)
        set(\.data, to: view.data)
        set(\.customType, to: view.customType)
        set(\.isFrozen, to: view.isFrozen)
        set(\.metadata, to: view.metadata)
        set(\.metadataUpdatedAt, to: view.metadataUpdatedAt)
        set(\.messagePurgeOffset, to: view.messagePurgeOffset)
    }

    private mutating func setMembers(of view: GroupChannel) {
        set(\.members, to: view.members)
        set(\.memberCount, to: view.memberCount)
        set(\.joinedMemberCount, to: view.joinedMemberCount)
        set(\.operators, to: view.operators)
        set(\.readReceipts, to: view.readReceipts)
        set(\.deliveryReceipts, to: view.deliveryReceipts)
        setOwnPart(of: view)
    }

    private mutating func setOwnPart(of view: GroupChannel) {
        set(\.myMemberState, to: view.myMemberState)
        set(\.myRole, to: view.myRole)
        set(\.isCurrentUserMuted, to: view.isCurrentUserMuted)
        set(\.myRestriction, to: view.myRestriction)
        set(\.joinedAt, to: view.joinedAt)
        set(\.myLastRead, to: view.myLastRead)
        set(\.messageOffset, to: view.messageOffset)
        set(\.lastMessage, to: view.lastMessage)
        set(\.unreadMessageCount, to: view.unreadMessageCount)
        set(\.unreadMentionCount, to: view.unreadMentionCount)
        set(\.hiddenState, to: view.hiddenState)
    }
}
