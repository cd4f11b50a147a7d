/// The requests that this package declares.
public enum StandardRequests {
    /// The types of all requests, in the order of their promises.
    public static let types: [any BackendRequest.Type] = [
        ListMembers.self, CountMessages.self, SearchMessages.self, ListMentions.self,
        CreatePoll.self, VoteInPoll.self, MarkAsRead.self, MarkAsUnread.self, MarkAsDelivered.self,
        SetTyping.self, CreateChannel.self, UpdateChannel.self, DeleteChannel.self,
        InviteUsers.self, AnswerInvitation.self, JoinChannel.self, LeaveChannel.self,
        HideChannel.self, ResetMyHistory.self, SetPinned.self, SetRole.self, SetFrozen.self,
        RestrictUser.self, LiftRestriction.self, ListRestrictedUsers.self, SetBlocked.self,
        ListBlockedUsers.self, ReportAbuse.self, ListOpenChannels.self, FetchOpenChannel.self,
        CreateOpenChannel.self, EnterOpenChannel.self, ExitOpenChannel.self,
    ]
}
