public import Models
import Sync

// Calls for channels and their members.
extension BackendRecorder {
    /// Forwards and records the call.
    public func channels(
        matching query: GroupChannelListQuery, after cursor: PageCursor?
    ) async throws(BackendError) -> Page<GroupChannel> {
        try await record("channels", ["matching": query, "after": cursor]) {
            () async throws(BackendError) in
            try await base.channels(matching: query, after: cursor)
        }
    }

    /// Forwards and records the call.
    public func channel(
        _ url: ChannelURL
    ) async throws(BackendError) -> GroupChannel {
        try await record("channel", ["": url]) { () async throws(BackendError) in
            try await base.channel(url)
        }
    }

    /// Forwards and records the call.
    public func members(
        of channelURL: ChannelURL, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<Member> {
        try await record("members", ["of": channelURL, "after": cursor, "limit": limit]) {
            () async throws(BackendError) in
            try await base.members(of: channelURL, after: cursor, limit: limit)
        }
    }

    /// Forwards and records the call.
    public func markAsRead(
        _ channelURL: ChannelURL
    ) async throws(BackendError) {
        try await record("markAsRead", ["": channelURL]) { () async throws(BackendError) in
            try await base.markAsRead(channelURL)
        }
    }

    /// Forwards and records the call.
    public func markAsDelivered(
        _ channelURL: ChannelURL
    ) async throws(BackendError) {
        try await record("markAsDelivered", ["": channelURL]) { () async throws(BackendError) in
            try await base.markAsDelivered(channelURL)
        }
    }

    /// Forwards and records the call.
    public func setTyping(
        _ isTyping: Bool, in channelURL: ChannelURL
    ) async throws(BackendError) {
        try await record("setTyping", ["": isTyping, "in": channelURL]) {
            () async throws(BackendError) in
            try await base.setTyping(isTyping, in: channelURL)
        }
    }

    /// Forwards and records the call.
    public func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(BackendError) -> GroupChannel {
        try await record("createChannel", ["": params]) { () async throws(BackendError) in
            try await base.createChannel(params)
        }
    }

    /// Forwards and records the call.
    public func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(BackendError) -> GroupChannel {
        try await record("updateChannel", ["": url, "with": patch]) {
            () async throws(BackendError) in
            try await base.updateChannel(url, with: patch)
        }
    }

    /// Forwards and records the call.
    public func deleteChannel(
        _ url: ChannelURL
    ) async throws(BackendError) {
        try await record("deleteChannel", ["": url]) { () async throws(BackendError) in
            try await base.deleteChannel(url)
        }
    }

    /// Forwards and records the call.
    public func invite(
        _ userIDs: [UserID], to url: ChannelURL
    ) async throws(BackendError) {
        try await record("invite", ["": userIDs, "to": url]) {
            () async throws(BackendError) in
            try await base.invite(userIDs, to: url)
        }
    }

    /// Forwards and records the call.
    public func answerInvitation(
        to url: ChannelURL, accepts: Bool
    ) async throws(BackendError) {
        try await record("answerInvitation", ["to": url, "accepts": accepts]) {
            () async throws(BackendError) in
            try await base.answerInvitation(to: url, accepts: accepts)
        }
    }

    /// Forwards and records the call.
    public func join(
        _ url: ChannelURL
    ) async throws(BackendError) -> GroupChannel {
        try await record("join", ["": url]) { () async throws(BackendError) in
            try await base.join(url)
        }
    }

    /// Forwards and records the call.
    public func leave(
        _ url: ChannelURL
    ) async throws(BackendError) {
        try await record("leave a channel", ["": url]) { () async throws(BackendError) in
            try await base.leave(url)
        }
    }

    /// Forwards and records the call.
    public func hide(
        _ url: ChannelURL, until state: HiddenState
    ) async throws(BackendError) {
        try await record("hide", ["": url, "": state]) { () async throws(BackendError) in
            try await base.hide(url, until: state)
        }
    }

    /// Forwards and records the call.
    public func resetMyHistory(
        of url: ChannelURL
    ) async throws(BackendError) -> Timestamp {
        try await record("resetMyHistory", ["of": url]) { () async throws(BackendError) in
            try await base.resetMyHistory(of: url)
        }
    }

    /// Forwards and records the call.
    public func setFrozen(
        _ isFrozen: Bool, for url: ChannelURL
    ) async throws(BackendError) {
        try await record("setFrozen", ["": isFrozen, "": url]) {
            () async throws(BackendError) in
            try await base.setFrozen(isFrozen, for: url)
        }
    }

    /// Forwards and records the call.
    public func restrict(
        _ userID: UserID, in url: ChannelURL, as restriction: RestrictionType,
        until end: Timestamp?,
        reason: String
    ) async throws(BackendError) {
        try await record(
            "restrict", ["": userID, "in": url, "": restriction, "until": end, "reason": reason]
        ) { () async throws(BackendError) in
            try await base.restrict(userID, in: url, as: restriction, until: end, reason: reason)
        }
    }

    /// Forwards and records the call.
    public func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(BackendError) {
        try await record("lift", ["": restriction, "of": userID, "in": url]) {
            () async throws(BackendError) in
            try await base.lift(restriction, of: userID, in: url)
        }
    }

    /// Forwards and records the call.
    public func markAsUnread(
        from messageID: MessageID, in channelURL: ChannelURL
    ) async throws(BackendError) {
        try await record("markAsUnread", ["from": messageID, "in": channelURL]) {
            () async throws(BackendError) in
            try await base.markAsUnread(from: messageID, in: channelURL)
        }
    }

    /// Forwards and records the call.
    public func setPinned(
        _ isPinned: Bool, _ messageID: MessageID, in channelURL: ChannelURL
    ) async throws(BackendError) {
        try await record("setPinned", ["": isPinned, "": messageID, "in": channelURL]) {
            () async throws(BackendError) in
            try await base.setPinned(isPinned, messageID, in: channelURL)
        }
    }

    /// Forwards and records the call.
    public func setRole(
        _ role: Role, of userIDs: [UserID], in url: ChannelURL
    ) async throws(BackendError) {
        try await record("setRole", ["": role, "of": userIDs, "in": url]) {
            () async throws(BackendError) in
            try await base.setRole(role, of: userIDs, in: url)
        }
    }

    /// Forwards and records the call.
    public func restrictedUsers(
        of url: ChannelURL, as restriction: RestrictionType, after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<RestrictedUser> {
        try await record(
            "restrictedUsers", ["of": url, "": restriction, "after": cursor, "limit": limit]
        ) {
            () async throws(BackendError) in
            try await base.restrictedUsers(of: url, as: restriction, after: cursor, limit: limit)
        }
    }

    /// Forwards and records the call.
    public func setBlocked(
        _ isBlocked: Bool, _ userID: UserID
    ) async throws(BackendError) {
        try await record("setBlocked", ["": isBlocked, "": userID]) {
            () async throws(BackendError) in
            try await base.setBlocked(isBlocked, userID)
        }
    }

    /// Forwards and records the call.
    public func blockedUsers(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<User> {
        try await record("blockedUsers", ["after": cursor, "limit": limit]) {
            () async throws(BackendError) in
            try await base.blockedUsers(after: cursor, limit: limit)
        }
    }

    /// Forwards and records the call.
    public func report(_ report: ModerationReport) async throws(BackendError) {
        try await record("report", ["": report]) {
            () async throws(BackendError) in
            try await base.report(report)
        }
    }

    /// Forwards and records the call.
    public func createPoll(_ poll: Poll) async throws(BackendError) -> Poll {
        try await record("createPoll", ["": poll]) {
            () async throws(BackendError) in
            try await base.createPoll(poll)
        }
    }

    /// Forwards and records the call.
    public func vote(
        for optionIDs: [Int64], inPollOf messageID: MessageID, in channelURL: ChannelURL
    ) async throws(BackendError) -> Message {
        try await record("vote", ["for": optionIDs, "inPollOf": messageID, "in": channelURL]) {
            () async throws(BackendError) in
            try await base.vote(for: optionIDs, inPollOf: messageID, in: channelURL)
        }
    }

    /// Forwards and records the call.
    public func openChannels(
        after cursor: PageCursor?, limit: Int
    ) async throws(BackendError) -> Page<OpenChannel> {
        try await record("openChannels", ["after": cursor, "limit": limit]) {
            () async throws(BackendError) in
            try await base.openChannels(after: cursor, limit: limit)
        }
    }

    /// Forwards and records the call.
    public func openChannel(
        _ url: ChannelURL
    ) async throws(BackendError) -> OpenChannel {
        try await record("openChannel", ["": url]) { () async throws(BackendError) in
            try await base.openChannel(url)
        }
    }

    /// Forwards and records the call.
    public func createOpenChannel(
        _ params: OpenChannelCreateParams
    ) async throws(BackendError) -> OpenChannel {
        try await record("createOpenChannel", ["": params]) { () async throws(BackendError) in
            try await base.createOpenChannel(params)
        }
    }

    /// Forwards and records the call.
    public func enter(
        _ url: ChannelURL
    ) async throws(BackendError) -> OpenChannel {
        try await record("enter", ["": url]) { () async throws(BackendError) in
            try await base.enter(url)
        }
    }

    /// Forwards and records the call.
    public func exit(
        _ url: ChannelURL
    ) async throws(BackendError) {
        try await record("exit", ["": url]) { () async throws(BackendError) in
            try await base.exit(url)
        }
    }
}
