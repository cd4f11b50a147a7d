public import Models

/// Returns a page of the members of a group channel, ordered by their IDs.
public struct ListMembers: PageOfList, ChannelCall {
    /// The result.
    public typealias Answer = Page<Member>

    /// The declaration.
    public static let declaration = CallDeclaration(
        "members", "Returns a page of the members of a group channel, ordered by their IDs.",
        changesServer: false,
        promises: [
            BackendPromise(
                "members.all",
                "The pages together contain each joined and each invited member once.")
        ])

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// The previous page's cursor.
    public var cursor: PageCursor?

    /// The maximum number of elements.
    public var limit: Int

    /// Creates a request.
    public init(of channelURL: ChannelURL, after cursor: PageCursor?, limit: Int) {
        self.channelURL = channelURL
        self.cursor = cursor
        self.limit = limit
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> ListMembers {
        ListMembers(of: names.channelURL, after: nil, limit: 100)
    }
}

/// Invites users to a group channel.
public struct InviteUsers: BackendRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "invite", "Invites users to a group channel.", needs: .inviting,
        promises: [
            BackendPromise(
                "invite.reported",
                "Each invited user is a joined or an invited member of the channel.")
        ])

    /// The users' IDs.
    public var userIDs: [UserID]

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Creates a request.
    public init(_ userIDs: [UserID], to channelURL: ChannelURL) {
        self.userIDs = userIDs
        self.channelURL = channelURL
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> InviteUsers {
        InviteUsers([names.userID], to: names.channelURL)
    }
}

/// Accepts or declines an invitation to a group channel.
public struct AnswerInvitation: BackendRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "answerInvitation", "Accepts or declines an invitation to a group channel.",
        needs: .invitations,
        promises: [
            BackendPromise(
                "invitation.answer",
                "A user who accepts has joined. A user who declines loses the channel."),
            BackendPromise(
                "invitation.none",
                "An answer of a user who has no invitation is refused, even if the user is a member."
            ),
        ])

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Whether the user accepts.
    public var accepts: Bool

    /// Creates a request.
    public init(to channelURL: ChannelURL, accepts: Bool) {
        self.channelURL = channelURL
        self.accepts = accepts
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> AnswerInvitation {
        AnswerInvitation(to: names.channelURL, accepts: true)
    }
}

/// Joins a public group channel.
public struct JoinChannel: BackendRequest, ChannelCall {
    /// The result.
    public typealias Answer = GroupChannel

    /// The declaration.
    public static let declaration = CallDeclaration(
        "join", "Joins a public group channel.", needs: .joining)

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Creates a request.
    public init(_ channelURL: ChannelURL) { self.channelURL = channelURL }

    /// Stores the channel.
    public func effect(of answer: GroupChannel) -> CacheEffect { .channel(answer) }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> JoinChannel {
        JoinChannel(names.channelURL)
    }
}

/// Leaves a group channel.
public struct LeaveChannel: BackendRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "leave", "Leaves a group channel.", needs: .leaving,
        promises: [
            BackendPromise(
                "leave.loses",
                "The user loses the channel, and the number of its members decreases by one.")
        ])

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Creates a request.
    public init(_ channelURL: ChannelURL) { self.channelURL = channelURL }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> LeaveChannel {
        LeaveChannel(names.channelURL)
    }
}

/// Sets the role of members of a channel: operator or ordinary member.
///
/// The server throws `refused` if the caller is not an operator of the channel, and `notFound`,
/// without an effect, if one of the users is not a member.
public struct SetRole: BackendRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "setRole", "Sets the role of members of a channel: operator or ordinary member.",
        needs: .roleManagement,
        promises: [
            BackendPromise(
                "role.reported",
                "The list of members and the channel's state show the users with the role, and the "
                    + "feed reports the change to the members.")
        ])

    /// The new role.
    public var role: Role

    /// The users' IDs.
    public var userIDs: [UserID]

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Creates a request.
    public init(_ role: Role, of userIDs: [UserID], in channelURL: ChannelURL) {
        self.role = role
        self.userIDs = userIDs
        self.channelURL = channelURL
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> SetRole {
        SetRole(.operator, of: [names.userID], in: names.channelURL)
    }
}
