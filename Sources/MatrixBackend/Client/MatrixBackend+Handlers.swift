import Models
public import Sync

extension MatrixBackend {
    /// The requests that the backend supports.
    public nonisolated var requests: RequestHandlers {
        var handlers = RequestHandlers()
        handlers.on(SearchMessages.self) { request throws(BackendError) in
            try await self.searchMessages(
                matching: request.params, after: request.cursor, limit: request.limit)
        }
        handlers.on(ListMentions.self) { request throws(BackendError) in
            try await self.mentions(after: request.cursor, limit: request.limit)
        }
        handlers.on(MarkAsRead.self) { request throws(BackendError) in
            try await self.markAsRead(request)
        }
        handlers.on(SetTyping.self) { request throws(BackendError) in
            try await self.setTyping(request.isTyping, in: request.channelURL)
        }
        handlers.on(CreateChannel.self) { request throws(BackendError) in
            try await self.createChannel(request.params)
        }
        handlers.on(UpdateChannel.self) { request throws(BackendError) in
            try await self.updateChannel(request.channelURL, with: request.patch)
        }
        addMembers(to: &handlers)
        return handlers
    }

    private nonisolated func addMembers(to handlers: inout RequestHandlers) {
        handlers.on(ListMembers.self) { request throws(BackendError) in
            try await self.members(
                of: request.channelURL, after: request.cursor, limit: request.limit)
        }
        handlers.on(InviteUsers.self) { request throws(BackendError) in
            try await self.invite(request.userIDs, to: request.channelURL)
        }
        handlers.on(AnswerInvitation.self) { request throws(BackendError) in
            try await self.answerInvitation(to: request.channelURL, accepts: request.accepts)
        }
        handlers.on(JoinChannel.self) { request throws(BackendError) in
            try await self.join(request.channelURL)
        }
        handlers.on(LeaveChannel.self) { request throws(BackendError) in
            try await self.leave(request.channelURL)
        }
        handlers.on(SetFrozen.self) { request throws(BackendError) in
            try await self.setFrozen(request.isFrozen, for: request.channelURL)
        }
        handlers.on(RestrictUser.self) { request throws(BackendError) in
            try await self.restrict(
                request.userID, in: request.channelURL, as: request.restriction,
                until: request.end, reason: request.reason)
        }
        handlers.on(LiftRestriction.self) { request throws(BackendError) in
            try await self.lift(
                request.restriction, of: request.userID, in: request.channelURL)
        }
    }
}
