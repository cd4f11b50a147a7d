public import Models
import Sync

// Calls for channels and their members.
//
// The conditions can delay these calls or make them fail, but do not change the responses.
extension ConditionedBackend {
    /// Forwards the call under the conditions.
    public func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(BackendError) -> GroupChannel {
        try await perform(.createChannel, params.name) { _ throws(BackendError) in
            try await base.createChannel(params)
        }
    }

    /// Forwards the call under the conditions.
    public func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(BackendError) -> GroupChannel {
        try await perform(.updateChannel, in: url) { _ throws(BackendError) in
            try await base.updateChannel(url, with: patch)
        }
    }

    /// Forwards the call under the conditions.
    public func deleteChannel(_ url: ChannelURL) async throws(BackendError) {
        try await perform(.deleteChannel, in: url) { _ throws(BackendError) in
            try await base.deleteChannel(url)
        }
    }

    /// Forwards the call under the conditions.
    public func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(BackendError) {
        try await perform(.invite, in: url) { _ throws(BackendError) in
            try await base.invite(userIDs, to: url)
        }
    }

    /// Forwards the call under the conditions.
    public func answerInvitation(to url: ChannelURL, accepts: Bool) async throws(BackendError) {
        try await perform(.answerInvitation, in: url) { _ throws(BackendError) in
            try await base.answerInvitation(to: url, accepts: accepts)
        }
    }

    /// Forwards the call under the conditions.
    public func join(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try await perform(.join, in: url) { _ throws(BackendError) in
            try await base.join(url)
        }
    }

    /// Forwards the call under the conditions.
    public func leave(_ url: ChannelURL) async throws(BackendError) {
        try await perform(.leave, in: url) { _ throws(BackendError) in
            try await base.leave(url)
        }
    }

    /// Forwards the call under the conditions.
    public func hide(_ url: ChannelURL, until state: HiddenState) async throws(BackendError) {
        try await perform(.hide, in: url) { _ throws(BackendError) in
            try await base.hide(url, until: state)
        }
    }

    /// Forwards the call under the conditions.
    public func resetMyHistory(of url: ChannelURL) async throws(BackendError) -> Timestamp {
        try await perform(.resetMyHistory, in: url) { _ throws(BackendError) in
            try await base.resetMyHistory(of: url)
        }
    }

    /// Forwards the call under the conditions.
    public func setFrozen(_ isFrozen: Bool, for url: ChannelURL) async throws(BackendError) {
        try await perform(.setFrozen, in: url) { _ throws(BackendError) in
            try await base.setFrozen(isFrozen, for: url)
        }
    }

    /// Forwards the call under the conditions.
    public func restrict(
        _ userID: UserID, in url: ChannelURL, as restriction: RestrictionType,
        until end: Timestamp?,
        reason: String
    ) async throws(BackendError) {
        try await perform(.restrict, in: url) { _ throws(BackendError) in
            try await base.restrict(userID, in: url, as: restriction, until: end, reason: reason)
        }
    }

    /// Forwards the call under the conditions.
    public func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(BackendError) {
        try await perform(.lift, in: url) { _ throws(BackendError) in
            try await base.lift(restriction, of: userID, in: url)
        }
    }

    /// Forwards the call under the conditions.
    public func markAsUnread(
        from messageID: MessageID, in channelURL: ChannelURL
    ) async throws(BackendError) {
        try await perform(.markAsUnread, in: channelURL) { _ throws(BackendError) in
            try await base.markAsUnread(from: messageID, in: channelURL)
        }
    }

    /// Forwards the call under the conditions.
    public func setPinned(
        _ isPinned: Bool, _ messageID: MessageID, in channelURL: ChannelURL
    ) async throws(BackendError) {
        try await perform(.setPinned, in: channelURL) { _ throws(BackendError) in
            try await base.setPinned(isPinned, messageID, in: channelURL)
        }
    }

    /// Forwards the call under the conditions.
    public func setRole(
        _ role: Role, of userIDs: [UserID], in url: ChannelURL
    ) async throws(BackendError) {
        try await perform(.setRole, in: url) { _ throws(BackendError) in
            try await base.setRole(role, of: userIDs, in: url)
        }
    }

    /// Forwards the call under the conditions.
    public func setBlocked(
        _ isBlocked: Bool, _ userID: UserID
    ) async throws(BackendError) {
        try await perform(.setBlocked, userID.rawValue) { _ throws(BackendError) in
            try await base.setBlocked(isBlocked, userID)
        }
    }

    /// Forwards the call under the conditions.
    public func report(_ report: ModerationReport) async throws(BackendError) {
        try await perform(.report, "") { _ throws(BackendError) in
            try await base.report(report)
        }
    }

    /// Forwards the call under the conditions.
    public func createPoll(_ poll: Poll) async throws(BackendError) -> Poll {
        try await perform(.createPoll, poll.title) { _ throws(BackendError) in
            try await base.createPoll(poll)
        }
    }

    /// Forwards the call under the conditions.
    public func vote(
        for optionIDs: [Int64], inPollOf messageID: MessageID, in channelURL: ChannelURL
    ) async throws(BackendError) -> Message {
        try await perform(.vote, in: channelURL) { _ throws(BackendError) in
            try await base.vote(for: optionIDs, inPollOf: messageID, in: channelURL)
        }
    }

    /// Forwards the call under the conditions.
    public func openChannel(_ url: ChannelURL) async throws(BackendError) -> OpenChannel {
        try await perform(.openChannel, in: url) { _ throws(BackendError) in
            try await base.openChannel(url)
        }
    }

    /// Forwards the call under the conditions.
    public func createOpenChannel(
        _ params: OpenChannelCreateParams
    ) async throws(BackendError) -> OpenChannel {
        try await perform(.createOpenChannel, params.name) { _ throws(BackendError) in
            try await base.createOpenChannel(params)
        }
    }

    /// Forwards the call under the conditions.
    public func enter(_ url: ChannelURL) async throws(BackendError) -> OpenChannel {
        try await perform(.enter, in: url) { _ throws(BackendError) in
            try await base.enter(url)
        }
    }

    /// Forwards the call under the conditions.
    public func exit(_ url: ChannelURL) async throws(BackendError) {
        try await perform(.exit, in: url) { _ throws(BackendError) in
            try await base.exit(url)
        }
    }
}
