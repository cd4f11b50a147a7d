public import Models
import Sync

// Channels and who is in them: on their way, and otherwise as they are.
extension ConditionedBackend {
    /// Asks the other backend, if the network lets it.
    public func createChannel(
        _ params: GroupChannelCreateParams
    ) async throws(BackendError) -> GroupChannel {
        try await perform(.createChannel, params.name) { _ throws(BackendError) in
            try await base.createChannel(params)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>
    ) async throws(BackendError) -> GroupChannel {
        try await perform(.updateChannel, in: url) { _ throws(BackendError) in
            try await base.updateChannel(url, with: patch)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func deleteChannel(_ url: ChannelURL) async throws(BackendError) {
        try await perform(.deleteChannel, in: url) { _ throws(BackendError) in
            try await base.deleteChannel(url)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func invite(_ userIDs: [UserID], to url: ChannelURL) async throws(BackendError) {
        try await perform(.invite, in: url) { _ throws(BackendError) in
            try await base.invite(userIDs, to: url)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func answerInvitation(to url: ChannelURL, accepts: Bool) async throws(BackendError) {
        try await perform(.answerInvitation, in: url) { _ throws(BackendError) in
            try await base.answerInvitation(to: url, accepts: accepts)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func join(_ url: ChannelURL) async throws(BackendError) -> GroupChannel {
        try await perform(.join, in: url) { _ throws(BackendError) in
            try await base.join(url)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func leave(_ url: ChannelURL) async throws(BackendError) {
        try await perform(.leave, in: url) { _ throws(BackendError) in
            try await base.leave(url)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func hide(_ url: ChannelURL, _ state: HiddenState) async throws(BackendError) {
        try await perform(.hide, in: url) { _ throws(BackendError) in
            try await base.hide(url, state)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func resetMyHistory(of url: ChannelURL) async throws(BackendError) -> Timestamp {
        try await perform(.resetMyHistory, in: url) { _ throws(BackendError) in
            try await base.resetMyHistory(of: url)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func setFrozen(_ isFrozen: Bool, _ url: ChannelURL) async throws(BackendError) {
        try await perform(.setFrozen, in: url) { _ throws(BackendError) in
            try await base.setFrozen(isFrozen, url)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func restrict(
        _ userID: UserID, in url: ChannelURL, _ restriction: RestrictionType, until end: Timestamp?,
        reason: String
    ) async throws(BackendError) {
        try await perform(.restrict, in: url) { _ throws(BackendError) in
            try await base.restrict(userID, in: url, restriction, until: end, reason: reason)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func lift(
        _ restriction: RestrictionType, of userID: UserID, in url: ChannelURL
    ) async throws(BackendError) {
        try await perform(.lift, in: url) { _ throws(BackendError) in
            try await base.lift(restriction, of: userID, in: url)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func openChannel(_ url: ChannelURL) async throws(BackendError) -> OpenChannel {
        try await perform(.openChannel, in: url) { _ throws(BackendError) in
            try await base.openChannel(url)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func createOpenChannel(
        _ params: OpenChannelCreateParams
    ) async throws(BackendError) -> OpenChannel {
        try await perform(.createOpenChannel, params.name) { _ throws(BackendError) in
            try await base.createOpenChannel(params)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func enter(_ url: ChannelURL) async throws(BackendError) -> OpenChannel {
        try await perform(.enter, in: url) { _ throws(BackendError) in
            try await base.enter(url)
        }
    }

    /// Asks the other backend, if the network lets it.
    public func exit(_ url: ChannelURL) async throws(BackendError) {
        try await perform(.exit, in: url) { _ throws(BackendError) in
            try await base.exit(url)
        }
    }
}
