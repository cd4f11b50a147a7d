import Models
import Store

extension ServerState {
    func setFrozen(_ isFrozen: Bool, for url: ChannelURL, by userID: UserID) throws(BackendError) {
        let channel = try moderatedChannel(url, by: userID)
        guard channel.isFrozen != isFrozen else { return }
        if channel.isOpen { channel.open.isFrozen = isFrozen }
        if !channel.isOpen { channel.group.isFrozen = isFrozen }
        store(channel)
        let source: CollectionEventSource =
            isFrozen ? .eventChannelFrozen : .eventChannelUnfrozen
        append(.changed(.profile, cause(source, by: userID)), in: channel)
    }

    func restrict(
        _ target: UserID, in url: ChannelURL, as type: RestrictionType, until end: Timestamp?,
        reason: String, by userID: UserID
    ) throws(BackendError) {
        let channel = try moderatedChannel(url, by: userID)
        guard target != userID else {
            throw BackendError(
                .refused, "\(userID) cannot mute or ban themselves in channel \(url)",
                detail: .notAuthorized)
        }
        _ = try account(target)
        if type == .muted && !channel.isOpen && channel.members[target] == nil {
            throw BackendError(
                .notFound, "\(target) is not a member of channel \(url)", detail: .notMember)
        }
        let restriction = Restriction(end: end, reason: reason)
        channel.restrictions[type, default: [:]][target] = restriction
        database.put({ $0.restriction(channel.number, type, target) }, restriction.write)
        if type == .banned && channel.members[target] != nil {
            notifyLost(target, of: channel, .banned, by: userID, reason: reason)
        }
        if type == .banned && channel.isOpen { expel(target, from: channel) }
        let source: CollectionEventSource = type == .muted ? .eventUserMuted : .eventUserBanned
        append(.changed(.members, cause(source, [target], by: userID, reason)), in: channel)
    }

    func lift(
        _ type: RestrictionType, of target: UserID, in url: ChannelURL, by userID: UserID
    ) throws(BackendError) {
        let channel = try moderatedChannel(url, by: userID)
        _ = try account(target)
        guard channel.restrictions[type]?.removeValue(forKey: target) != nil else { return }
        database.remove { $0.restriction(channel.number, type, target) }
        let source: CollectionEventSource =
            type == .muted ? .eventUserUnmuted : .eventUserUnbanned
        append(.changed(.members, cause(source, [target], by: userID)), in: channel)
    }

    private func expel(_ userID: UserID, from channel: ServerChannel) {
        for session in sessions.values where session.userID == userID {
            guard session.entered.removeValue(forKey: channel.number) != nil else { continue }
            removeParticipant(userID, from: channel)
        }
    }
}
