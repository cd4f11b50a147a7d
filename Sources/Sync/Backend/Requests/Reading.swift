public import Models

/// Counts the messages in a range of creation times.
public struct CountMessages: BackendRequest, ChannelCall {
    /// The result.
    public typealias Answer = Int

    /// The declaration.
    public static let declaration = CallDeclaration(
        "countMessages", "Counts the messages in a range of creation times.", needs: .counts,
        changesServer: false,
        promises: [
            BackendPromise(
                "count.exact",
                "The count equals the number of messages on the pages of that range.")
        ])

    /// The channel's URL.
    public var channelURL: ChannelURL

    /// The lower bound, inclusive; `nil` for the start of the history.
    public var lower: Timestamp?

    /// The upper bound, exclusive; `nil` for the end of the history.
    public var upper: Timestamp?

    /// Creates a request.
    public init(in channelURL: ChannelURL, from lower: Timestamp?, to upper: Timestamp?) {
        self.channelURL = channelURL
        self.lower = lower
        self.upper = upper
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> CountMessages {
        CountMessages(in: names.channelURL, from: nil, to: nil)
    }
}

/// Returns a page of the messages that match a search, in all channels that the user can read.
///
/// The server searches by its own rules, because the engine ignores the messages that do not match
/// by those of ``/Models/SearchQuery``. It may ignore everything except the words to find: quotes,
/// excluded words, the channels, and the other filters. It need not find the beginnings of words,
/// nor words in the names of files. It throws `expired` if it no longer knows the cursor.
/// the cursor.
public struct SearchMessages: PageOfList {
    /// The result.
    public typealias Answer = Page<Message>

    /// The declaration.
    public static let declaration = CallDeclaration(
        "searchMessages",
        "Returns a page of the messages that match a search, in all channels that the user can read.",
        needs: .messageSearch, changesServer: false,
        promises: [
            BackendPromise(
                "search.words",
                "The pages together contain every message whose text has all words to find, and no "
                    + "message that lacks one of them. The server may treat the forms of a word as "
                    + "equal."),
            BackendPromise(
                "search.order",
                "The newest message comes first. An edited message is sorted by the time of its "
                    + "creation or of its last edit."),
            BackendPromise(
                "search.pages",
                "The pages contain no message twice, and miss none, even if messages are sent or "
                    + "deleted between two pages."),
            BackendPromise(
                "search.current",
                "Deleted messages are not found, and edited ones only by their new text."),
            BackendPromise("search.private", "Only messages that the user can read are found."),
        ])

    /// The text as the user has typed it, and the filters; the order is not used.
    public var params: MessageSearchParams

    /// The previous page's cursor.
    public var cursor: PageCursor?

    /// The maximum number of elements.
    public var limit: Int

    /// Creates a request.
    public init(matching params: MessageSearchParams, after cursor: PageCursor?, limit: Int) {
        self.params = params
        self.cursor = cursor
        self.limit = limit
    }

    /// Returns an example.
    public static func example(_ names: ExampleNames) -> SearchMessages {
        SearchMessages(matching: MessageSearchParams("hello"), after: nil, limit: 20)
    }
}

/// Returns a page of the messages that mention the user, in the channels that the user has joined.
///
/// ``/Models/Message/kinds(for:)`` decides which messages mention the user, and the engine ignores
/// others. The backend throws `expired` if it no longer knows the cursor.
public struct ListMentions: PageOfList {
    /// The result.
    public typealias Answer = Page<Message>

    /// The declaration.
    public static let declaration = CallDeclaration(
        "listMentions",
        "Returns a page of the messages that mention the user, in the channels that the user has joined.",
        needs: .mentionList, changesServer: false,
        promises: [
            BackendPromise(
                "mentions.pages",
                "The pages together contain each message that mentions the user, or all users of a "
                    + "channel, once and in its current version, the newest first.")
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
    public static func example(_ names: ExampleNames) -> ListMentions {
        ListMentions(after: nil, limit: 20)
    }
}
