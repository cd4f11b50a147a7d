import Foundation
import Models
import Sync

// The calls that belong to optional capabilities.
extension WrongBackend {
    func replies(
        to parentID: MessageID, in channelURL: ChannelURL, at anchor: MessageAnchor, older: Int,
        newer: Int
    ) async throws(BackendError) -> MessagePage {
        guard let onReplies else {
            return try await base.replies(
                to: parentID, in: channelURL, at: anchor, older: older, newer: newer)
        }
        return try await failing {
            try await onReplies(parentID, channelURL, anchor, older, newer)
        }
    }

    func countMessages(
        in channelURL: ChannelURL, from lower: Timestamp?, to upper: Timestamp?
    ) async throws(BackendError) -> Int {
        guard let onCount else {
            return try await base.countMessages(in: channelURL, from: lower, to: upper)
        }
        return try await failing { try await onCount(channelURL, lower, upper) }
    }

    func searchMessages(
        matching params: MessageSearchParams, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Message> {
        guard let onSearch else {
            return try await base.searchMessages(matching: params, after: cursor, limit: limit)
        }
        return try await failing { try await onSearch(params, cursor, limit) }
    }

    func react(
        _ action: ReactionEventAction, with key: String, to messageID: MessageID,
        in channelURL: ChannelURL, requestID: RequestID
    ) async throws(BackendError) -> ReactionEvent {
        guard let onReact else {
            return try await base.react(
                action, with: key, to: messageID, in: channelURL, requestID: requestID)
        }
        return try await failing {
            try await onReact(action, key, messageID, channelURL, requestID)
        }
    }

    func download(_ file: FileInfo) async throws(BackendError) -> Data {
        guard let onDownload else { return try await base.download(file) }
        return try await failing { try await onDownload(file) }
    }

    func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(BackendError) -> GroupChannel {
        guard let onCreate else { return try await base.createChannel(params) }
        return try await failing { try await onCreate(params) }
    }

    func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(BackendError) -> GroupChannel {
        guard let onUpdateChannel else { return try await base.updateChannel(url, with: patch) }
        return try await failing { try await onUpdateChannel(url, patch) }
    }

    func deleteChannel(_ url: ChannelURL) async throws(BackendError) {
        guard let onDeleteChannel else { return try await base.deleteChannel(url) }
        try await failing { try await onDeleteChannel(url) }
    }

    func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(BackendError) {
        guard let onInvite else { return try await base.invite(userIDs, to: url) }
        try await failing { try await onInvite(userIDs, url) }
    }

    func answerInvitation(to url: ChannelURL, accepts: Bool) async throws(BackendError) {
        guard let onAnswer else {
            return try await base.answerInvitation(to: url, accepts: accepts)
        }
        try await failing { try await onAnswer(url, accepts) }
    }

    func leave(_ url: ChannelURL) async throws(BackendError) {
        guard let onLeave else { return try await base.leave(url) }
        try await failing { try await onLeave(url) }
    }

    func hide(_ url: ChannelURL, until state: HiddenState) async throws(BackendError) {
        guard let onHide else { return try await base.hide(url, until: state) }
        try await failing { try await onHide(url, state) }
    }

    func setFrozen(_ isFrozen: Bool, for url: ChannelURL) async throws(BackendError) {
        guard let onFrozen else { return try await base.setFrozen(isFrozen, for: url) }
        try await failing { try await onFrozen(isFrozen, url) }
    }

    func restrict(
        _ userID: UserID, in url: ChannelURL, as restriction: RestrictionType,
        until end: Timestamp?,
        reason: String
    ) async throws(BackendError) {
        guard let onRestrict else {
            return try await base.restrict(
                userID, in: url, as: restriction, until: end, reason: reason)
        }
        try await failing { try await onRestrict(userID, url, restriction) }
    }

    func markAsUnread(
        from messageID: MessageID, in channelURL: ChannelURL
    ) async throws(BackendError) {
        guard let onUnread else {
            return try await base.markAsUnread(from: messageID, in: channelURL)
        }
        try await failing { try await onUnread(messageID, channelURL) }
    }

    func setPinned(
        _ isPinned: Bool, _ messageID: MessageID, in channelURL: ChannelURL
    ) async throws(BackendError) {
        guard let onPin else {
            return try await base.setPinned(isPinned, messageID, in: channelURL)
        }
        try await failing { try await onPin(isPinned, messageID, channelURL) }
    }

    func setRole(
        _ role: Role, of userIDs: [UserID], in url: ChannelURL
    ) async throws(BackendError) {
        guard let onRole else { return try await base.setRole(role, of: userIDs, in: url) }
        try await failing { try await onRole(role, userIDs, url) }
    }

    func restrictedUsers(
        of url: ChannelURL, as restriction: RestrictionType, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<RestrictedUser> {
        guard let onRestricted else {
            return try await base.restrictedUsers(
                of: url, as: restriction, after: cursor, limit: limit)
        }
        return try await failing { try await onRestricted(url, restriction, cursor, limit) }
    }

    func createPoll(_ poll: Poll) async throws(BackendError) -> Poll {
        guard let onPoll else { return try await base.createPoll(poll) }
        return try await failing { try await onPoll(poll) }
    }

    func vote(
        for optionIDs: [Int64], inPollOf messageID: MessageID, in channelURL: ChannelURL
    ) async throws(BackendError) -> Message {
        guard let onVote else {
            return try await base.vote(for: optionIDs, inPollOf: messageID, in: channelURL)
        }
        return try await failing { try await onVote(optionIDs, messageID, channelURL) }
    }

    func setBlocked(_ isBlocked: Bool, _ userID: UserID) async throws(BackendError) {
        guard let onBlock else { return try await base.setBlocked(isBlocked, userID) }
        try await failing { try await onBlock(isBlocked, userID) }
    }

    func blockedUsers(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<User> {
        guard let onBlocked else {
            return try await base.blockedUsers(after: cursor, limit: limit)
        }
        return try await failing { try await onBlocked(cursor, limit) }
    }

    func report(_ report: ModerationReport) async throws(BackendError) {
        guard let onReport else { return try await base.report(report) }
        try await failing { try await onReport(report) }
    }

    func exit(_ url: ChannelURL) async throws(BackendError) {
        guard let onExit else { return try await base.exit(url) }
        try await failing { try await onExit(url) }
    }
}
