import Models
import Sync

struct EmbeddedRequests {
    let connection: EmbeddedConnection
    private(set) var handlers = RequestHandlers()

    init(_ connection: EmbeddedConnection) { self.connection = connection }

    mutating func on<Request: BackendRequest>(
        _ type: Request.Type,
        _ handle:
            @escaping @Sendable (Request, ServerState, Session) throws(BackendError)
            -> Request.Answer
    ) {
        guard connection.capabilities.contains(Request.declaration.capabilities) else { return }
        let connection = connection
        handlers.on(type) { request throws(BackendError) in
            let epoch = (request as? any MessageRequest)?.epoch
            return try connection.ask(request.neededCapabilities, of: epoch) {
                state, session throws(BackendError) in
                try handle(request, state, session)
            }
        }
    }

    /// Sets an app's function that executes requests, outside the transaction.
    mutating func onApp<Request: BackendRequest>(
        _ type: Request.Type,
        _ handle: @escaping @Sendable (Request, UserID) throws(BackendError) -> Request.Answer
    ) {
        let connection = connection
        handlers.on(type) { request throws(BackendError) in
            let user = try connection.ask(request.neededCapabilities) {
                _, session throws(BackendError) in session.userID
            }
            return try handle(request, user)
        }
    }
}

extension EmbeddedConnection {
    func makeRequests() -> RequestHandlers {
        var requests = EmbeddedRequests(self)
        addReading(to: &requests)
        addReceipts(to: &requests)
        addManagement(to: &requests)
        addMembers(to: &requests)
        addModeration(to: &requests)
        addOpenChannels(to: &requests)
        for add in server.customRequests { add(&requests) }
        return requests.handlers
    }

    private func addReading(to requests: inout EmbeddedRequests) {
        let connection = self
        requests.on(CountMessages.self) { request, state, session throws(BackendError) in
            try state.countMessages(
                in: request.channelURL, from: request.lower, to: request.upper, for: session.userID)
        }
        requests.on(SearchMessages.self) { request, state, session throws(BackendError) in
            let page = try state.searchMessages(
                matching: request.params, after: request.cursor, limit: request.limit,
                for: session.userID)
            return connection.withoutReactions(page, in: \.elements)
        }
        requests.on(ListMentions.self) { request, state, session throws(BackendError) in
            let page = try state.mentions(
                of: session.userID, after: request.cursor, limit: request.limit)
            return connection.withoutReactions(page, in: \.elements)
        }
        requests.on(CreatePoll.self) { request, state, session throws(BackendError) in
            try state.createPoll(request.poll, by: session.userID)
        }
        requests.on(VoteInPoll.self) { request, state, session throws(BackendError) in
            try state.vote(
                for: request.optionIDs, inPollOf: request.messageID, in: request.channelURL,
                by: session.userID)
        }
    }

    private func addReceipts(to requests: inout EmbeddedRequests) {
        requests.on(MarkAsRead.self) { request, state, session throws(BackendError) in
            try state.markAsRead(request.channelURL, upTo: request.upTo, by: session.userID)
        }
        requests.on(MarkAsUnread.self) { request, state, session throws(BackendError) in
            try state.markAsUnread(
                from: request.messageID, in: request.channelURL, by: session.userID)
        }
        requests.on(MarkAsDelivered.self) { request, state, session throws(BackendError) in
            try state.markAsDelivered(
                request.channelURL, upTo: request.upTo, to: session.userID)
        }
        requests.on(SetTyping.self) { request, state, session throws(BackendError) in
            try state.setTyping(request.isTyping, in: request.channelURL, by: session.userID)
        }
    }

    private func addManagement(to requests: inout EmbeddedRequests) {
        let joinsAll = !capabilities.contains(.invitations)
        let canBeDistinct = capabilities.contains(.distinctChannels)
        requests.on(CreateChannel.self) { request, state, session throws(BackendError) in
            var params = request.params
            params.isDistinct = params.isDistinct && canBeDistinct
            return try state.createChannel(params, by: session.userID, joinsAll: joinsAll)
        }
        requests.on(UpdateChannel.self) { request, state, session throws(BackendError) in
            try state.updateChannel(request.channelURL, with: request.patch, by: session.userID)
        }
        requests.on(DeleteChannel.self) { request, state, session throws(BackendError) in
            try state.deleteChannel(request.channelURL, by: session.userID)
        }
        requests.on(HideChannel.self) { request, state, session throws(BackendError) in
            try state.hide(request.channelURL, until: request.state, by: session.userID)
        }
        requests.on(ResetMyHistory.self) { request, state, session throws(BackendError) in
            try state.resetMyHistory(of: request.channelURL, by: session.userID)
        }
        // Every member who may send messages may also pin them.
        requests.on(SetPinned.self) { request, state, session throws(BackendError) in
            try state.setPinned(
                request.isPinned, request.messageID, in: request.channelURL, by: session.userID)
        }
    }

    private func addMembers(to requests: inout EmbeddedRequests) {
        let joinsAll = !capabilities.contains(.invitations)
        requests.on(ListMembers.self) { request, state, session throws(BackendError) in
            try state.members(
                of: request.channelURL, after: request.cursor, limit: request.limit,
                for: session.userID)
        }
        requests.on(InviteUsers.self) { request, state, session throws(BackendError) in
            try state.invite(
                request.userIDs, to: request.channelURL, by: session.userID, joinsAll: joinsAll)
        }
        requests.on(AnswerInvitation.self) { request, state, session throws(BackendError) in
            try state.answerInvitation(
                to: request.channelURL, accepts: request.accepts, by: session.userID)
        }
        requests.on(JoinChannel.self) { request, state, session throws(BackendError) in
            try state.join(request.channelURL, by: session.userID)
        }
        requests.on(LeaveChannel.self) { request, state, session throws(BackendError) in
            try state.leave(request.channelURL, by: session.userID)
        }
        requests.on(SetRole.self) { request, state, session throws(BackendError) in
            try state.setRole(
                request.role, of: request.userIDs, in: request.channelURL, by: session.userID)
        }
    }

    private func addModeration(to requests: inout EmbeddedRequests) {
        requests.on(SetFrozen.self) { request, state, session throws(BackendError) in
            try state.setFrozen(request.isFrozen, for: request.channelURL, by: session.userID)
        }
        if !capabilities.isDisjoint(with: [.muting, .banning]) {
            // The feed does not report the end of a restriction. After a mute, a fetched channel no
            // longer shows it. After a ban, the user may join again.
            requests.on(RestrictUser.self) { request, state, session throws(BackendError) in
                try state.restrict(
                    request.userID, in: request.channelURL, as: request.restriction,
                    until: request.end, reason: request.reason, by: session.userID)
            }
            requests.on(LiftRestriction.self) { request, state, session throws(BackendError) in
                try state.lift(
                    request.restriction, of: request.userID, in: request.channelURL,
                    by: session.userID)
            }
        }
        requests.on(ListRestrictedUsers.self) { request, state, session throws(BackendError) in
            try state.restrictedUsers(
                of: request.channelURL, as: request.restriction, after: request.cursor,
                limit: request.limit, by: session.userID)
        }
        requests.on(SetBlocked.self) { request, state, session throws(BackendError) in
            try state.setBlocked(request.isBlocked, request.userID, by: session.userID)
        }
        requests.on(ListBlockedUsers.self) { request, state, session throws(BackendError) in
            try state.blockedUsers(after: request.cursor, limit: request.limit, by: session.userID)
        }
        requests.on(ReportAbuse.self) { request, state, session throws(BackendError) in
            try state.file(request.report, by: session.userID)
        }
    }

    private func addOpenChannels(to requests: inout EmbeddedRequests) {
        requests.on(ListOpenChannels.self) { request, state, _ throws(BackendError) in
            try state.openChannels(after: request.cursor, limit: request.limit)
        }
        requests.on(FetchOpenChannel.self) { request, state, _ throws(BackendError) in
            state.view(try state.openChannelState(request.channelURL))
        }
        requests.on(CreateOpenChannel.self) { request, state, session throws(BackendError) in
            try state.createOpenChannel(request.params, by: session.userID)
        }
        requests.on(EnterOpenChannel.self) { request, state, session throws(BackendError) in
            try state.enter(request.channelURL, session)
        }
        requests.on(ExitOpenChannel.self) { request, state, session throws(BackendError) in
            try state.exit(request.channelURL, session)
        }
    }
}
