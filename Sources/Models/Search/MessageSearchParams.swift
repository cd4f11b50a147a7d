/// The query and the filters of a search in a user's messages.
///
/// ```swift
/// var params = MessageSearchParams("umbrella kitch")
/// params.senderUserIDs = ["alice"]
/// ```
///
/// With an empty text and a filter by sender, type or kind, all messages that pass the filters are
/// found.
public struct MessageSearchParams: Hashable, Sendable {
    /// The query, in the syntax of ``SearchQuery``.
    public var text: String

    /// The channels to search; empty for all.
    public var channelURLs: Set<ChannelURL> = []

    /// The users whose messages are searched; empty for all.
    public var senderUserIDs: Set<UserID> = []

    /// The custom types to search; empty for all.
    public var customTypes: Set<String> = []

    /// The kinds of messages to search; all by default.
    public var messageType = MessageTypeFilter.all

    /// The kinds of messages to search by content, such as pictures; empty for all.
    ///
    /// Here, ``MessageKinds/mention`` includes mentions of any user.
    public var kinds: MessageKinds = []

    /// The inclusive lower bound of the messages' time, or `nil`.
    public var since: Timestamp?

    /// The exclusive upper bound of the messages' time, or `nil`.
    public var until: Timestamp?

    /// The order of the results; newest first by default.
    public var order = Order.newestFirst

    /// An order of results.
    public enum Order: String, CaseIterable, Codable, Sendable {
        /// The newest message first.
        case newestFirst
        /// By the number of the query's words and phrases that the message contains as complete
        /// words, then by the proportion of its text that the hits cover, then newest first.
        ///
        /// Only the newest 1,000 matching messages are returned.
        case relevance
    }

    /// The number of messages that ``Order/relevance`` orders: 1,000.
    package static let rankedCount = 1_000

    /// Creates parameters for a search in all messages.
    public init(_ text: String) { self.text = text }
}

extension MessageSearchParams {
    /// Returns whether a message passes the filters, ignoring the query.
    package func includes(_ message: Message) -> Bool {
        if !channelURLs.isEmpty, !channelURLs.contains(message.channelURL) { return false }
        if let since, message.createdAt < since { return false }
        if let until, message.createdAt >= until { return false }
        if !kinds.isEmpty, message.kinds.isDisjoint(with: kinds) { return false }
        if senderUserIDs.isEmpty, customTypes.isEmpty, messageType == .all { return true }
        var params = MessageListParams()
        params.replyType = .all
        params.messageType = messageType
        params.senderUserIDs = Array(senderUserIDs)
        params.customTypes = Array(customTypes)
        return params.belongsTo(message)
    }
}

extension MessageSearchParams {
    package var listsAll: Bool {
        text.allSatisfy(\.isWhitespace)
            && !(senderUserIDs.isEmpty && customTypes.isEmpty && messageType == .all
                && kinds.isEmpty)
    }

    /// Returns `nil` if the message does not match `query`, the parsed ``text``, or the filters.
    package func hits(in message: Message, of query: SearchQuery) -> [SearchHit]? {
        if query.isEmpty { return listsAll && includes(message) ? [] : nil }
        return query.mayMatch(message) && includes(message) ? query.hits(in: message) : nil
    }
}

extension MessageSearchParams: Codable {
    /// Decodes parameters; missing ones except the text have their defaults.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decode(String.self, forKey: .text))
        channelURLs = try container.decode(.channelURLs, or: channelURLs)
        senderUserIDs = try container.decode(.senderUserIDs, or: senderUserIDs)
        customTypes = try container.decode(.customTypes, or: customTypes)
        messageType = try container.decode(.messageType, or: messageType)
        kinds = try container.decode(.kinds, or: kinds)
        since = try container.decodeIfPresent(Timestamp.self, forKey: .since)
        until = try container.decodeIfPresent(Timestamp.self, forKey: .until)
        order = try container.decode(.order, or: order)
    }
}
