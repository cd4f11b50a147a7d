public import Models

/// Creates a poll; a message that is sent with the poll's ID shows the poll.
///
/// The server throws `refused` if the title or the options are missing.
public struct CreatePoll: BackendRequest {
    /// The result.
    public typealias Answer = Poll

    /// The declaration.
    public static let declaration = CallDeclaration(
        "createPoll", "Creates a poll; a message that is sent with the poll's ID shows the poll.",
        needs: .polls,
        promises: [
            BackendPromise(
                "poll.options",
                "The poll and each of its options have IDs, and a message that is sent with the "
                    + "poll's ID contains the poll.")
        ])

    /// The title, the texts of the options, and whether a user may vote for several options.
    public var poll: Poll

    /// Creates a request.
    public init(_ poll: Poll) { self.poll = poll }

    /// The poll's title.
    public var subject: String { poll.title }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> CreatePoll {
        var poll = Poll()
        poll.title = "Lunch?"
        poll.options = ["Yes", "No"].map { text in
            var option = PollOption()
            option.text = text
            return option
        }
        return CreatePoll(poll)
    }
}

/// Votes in the poll of a message, and returns the message.
///
/// The server throws `notFound` if the message is gone or has no poll, and `refused` if the poll is
/// closed or has no such option.
public struct VoteInPoll: MessageRequest, ChannelCall {
    /// The result.
    public typealias Answer = Message

    /// The declaration.
    public static let declaration = CallDeclaration(
        "vote", "Votes in the poll of a message.", needs: .polls,
        promises: [
            BackendPromise(
                "vote.reported",
                "A vote replaces the earlier vote of the user; a vote for no option withdraws it. The "
                    + "feed reports the message to the members, with the new counts and a later time "
                    + "of the poll's last change. Each user receives their own `votedOptionIDs`.")
        ])

    /// The IDs of the options; several only if the poll allows it.
    public var optionIDs: [Int64]

    /// The message's ID.
    public var messageID: MessageID

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// The message's epoch.
    public var epoch: ServerEpoch?

    /// Creates a request.
    public init(
        for optionIDs: [Int64], inPollOf messageID: MessageID, in channelURL: ChannelURL,
        epoch: ServerEpoch? = nil
    ) {
        self.optionIDs = optionIDs
        self.messageID = messageID
        self.channelURL = channelURL
        self.epoch = epoch
    }

    /// The named message.
    public var message: (id: MessageID, channelURL: ChannelURL)? { (messageID, channelURL) }

    /// Stores the message.
    public func effect(of answer: Message) -> CacheEffect { .message(answer, .eventPollVoted) }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> VoteInPoll {
        VoteInPoll(for: [1], inPollOf: names.messageID, in: names.channelURL)
    }
}
