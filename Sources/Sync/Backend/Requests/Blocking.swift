public import Models

/// Blocks or unblocks another user for the current user; the server decides what a block prevents.
///
/// The server throws `notFound` if there is no such user, and `refused` if it is the current user.
public struct SetBlocked: BackendRequest {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "setBlocked", "Blocks or unblocks another user for the current user.", needs: .blocking,
        promises: [
            BackendPromise(
                "block.listed",
                "Until the block ends, the blocked user is in the current user's list on all devices, "
                    + "and in no other user's list because of it.")
        ])

    /// Whether to block the user.
    public var isBlocked: Bool

    /// The user's ID.
    public var userID: UserID

    /// Creates a request.
    public init(_ isBlocked: Bool, _ userID: UserID) {
        self.isBlocked = isBlocked
        self.userID = userID
    }

    /// The user's ID.
    public var subject: String { userID.rawValue }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> SetBlocked {
        SetBlocked(true, names.userID)
    }
}

/// Returns a page of the users whom the current user has blocked, ordered by their IDs.
public struct ListBlockedUsers: PageOfList {
    /// The result.
    public typealias Answer = Page<User>

    /// The declaration.
    public static let declaration = CallDeclaration(
        "blockedUsers",
        "Returns a page of the users whom the current user has blocked, ordered by their IDs.",
        needs: .blocking, changesServer: false,
        promises: [
            BackendPromise("blocked.all", "The pages together contain each blocked user once.")
        ])

    /// The previous page's cursor.
    public var cursor: PageCursor?

    /// The maximum number of elements.
    public var limit: Int

    /// Creates a request.
    public init(after cursor: PageCursor?, limit: Int) {
        self.cursor = cursor
        self.limit = limit
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> ListBlockedUsers {
        ListBlockedUsers(after: nil, limit: 100)
    }
}

/// Reports a message, a user or a channel to the moderators of the service.
public struct ReportAbuse: MessageRequest {
    /// Nothing.
    public typealias Answer = Void

    /// The declaration.
    public static let declaration = CallDeclaration(
        "report", "Reports a message, a user or a channel to the moderators of the service.",
        needs: .reporting,
        promises: [
            BackendPromise(
                "report.missing",
                "A report of a message, user or channel that does not exist, or that the user cannot "
                    + "see, throws `notFound` or `refused`.")
        ])

    /// The subject, the category and a comment.
    public var report: ModerationReport

    /// The epoch of the message, if the subject is a message.
    public var epoch: ServerEpoch?

    /// Creates a request.
    public init(_ report: ModerationReport, epoch: ServerEpoch? = nil) {
        self.report = report
        self.epoch = epoch
    }

    /// The named message.
    public var message: (id: MessageID, channelURL: ChannelURL)? {
        if case .message(let id, let url) = report.subject { (id, url) } else { nil }
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> ReportAbuse {
        ReportAbuse(
            ModerationReport(.message(names.messageID, in: names.channelURL), as: .spam))
    }
}
