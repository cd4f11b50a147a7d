public import Models

/// Mutes or bans a user.
///
/// The feed need not report that a restriction has ended. The server throws `refused` if the caller
/// is not an operator of the channel.
public struct RestrictUser: BackendRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "restrict", "Mutes or bans a user.",
        promises: [
            BackendPromise(
                "mute.refuses",
                "Messages of a muted user are refused with `mutedInChannel`."),
            BackendPromise(
                "ban.loses",
                "A banned user loses the channel and cannot join again during the ban."),
            BackendPromise(
                "restrict.self",
                "A user cannot mute or ban themselves: this is refused and has no effect."),
        ])

    /// The user's ID.
    public var userID: UserID

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// The kind of restriction.
    public var restriction: RestrictionType

    /// The end; `nil` if the restriction has no limit.
    public var end: Timestamp?

    /// The reason, for display.
    public var reason: String

    /// Creates a request.
    public init(
        _ userID: UserID, in channelURL: ChannelURL, as restriction: RestrictionType,
        until end: Timestamp? = nil, reason: String = ""
    ) {
        self.userID = userID
        self.channelURL = channelURL
        self.restriction = restriction
        self.end = end
        self.reason = reason
    }

    /// The capabilities for the kind of restriction.
    public var neededCapabilities: BackendCapabilities {
        restriction.capability.union(end == nil ? [] : .temporaryRestrictions)
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> RestrictUser {
        RestrictUser(names.userID, in: names.channelURL, as: .muted)
    }
}

/// Ends a mute or a ban.
public struct LiftRestriction: BackendRequest, ChannelCall {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "lift", "Ends a mute or a ban.")

    /// The kind of restriction.
    public var restriction: RestrictionType

    /// The user's ID.
    public var userID: UserID

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// Creates a request.
    public init(_ restriction: RestrictionType, of userID: UserID, in channelURL: ChannelURL) {
        self.restriction = restriction
        self.userID = userID
        self.channelURL = channelURL
    }

    /// The capabilities for the kind of restriction.
    public var neededCapabilities: BackendCapabilities { restriction.capability }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> LiftRestriction {
        LiftRestriction(.muted, of: names.userID, in: names.channelURL)
    }
}

/// Returns a page of the muted or banned users of a channel, ordered by their IDs.
///
/// The server throws `refused` if the caller is not an operator of the channel.
public struct ListRestrictedUsers: PageOfList, ChannelCall {
    /// The result.
    public typealias Answer = Page<RestrictedUser>

    /// The declaration.
    public static let declaration = CallDeclaration(
        "restrictedUsers",
        "Returns a page of the muted or banned users of a channel, ordered by their IDs.",
        needs: .restrictionLists, changesServer: false,
        promises: [
            BackendPromise(
                "restricted.all",
                "The pages together contain each user whose restriction has not ended once, with the "
                    + "reason and the end of the restriction.")
        ])

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// The kind of restriction.
    public var restriction: RestrictionType

    /// The previous page's cursor.
    public var cursor: PageCursor?

    /// The maximum number of elements.
    public var limit: Int

    /// Creates a request.
    public init(
        of channelURL: ChannelURL, as restriction: RestrictionType, after cursor: PageCursor?,
        limit: Int
    ) {
        self.channelURL = channelURL
        self.restriction = restriction
        self.cursor = cursor
        self.limit = limit
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> ListRestrictedUsers {
        ListRestrictedUsers(of: names.channelURL, as: .muted, after: nil, limit: 100)
    }
}
