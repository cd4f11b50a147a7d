/// The query and the filters of a search in a user's messages.
///
/// ```swift
/// var params = MessageSearchParams("umbrella kitch")
/// params.senderUserIDs = ["alice"]
/// ```
public struct MessageSearchParams: Hashable, Sendable {
    /// The query, in the syntax of ``SearchQuery``.
    public var text: String

    /// The channels to search; empty for all.
    public var channelURLs: Set<ChannelURL> = []

    /// The users whose messages are searched; empty for all.
    public var senderUserIDs: Set<UserID> = []

    /// The custom types to search; empty for all.
    public var customTypes: Set<String> = []

    /// The kinds of messages to search.
    ///
    /// The default is all kinds.
    public var messageType = MessageTypeFilter.all

    /// The inclusive lower bound of the messages' time; `nil`, the default, for no bound.
    public var since: Timestamp?

    /// The exclusive upper bound of the messages' time; `nil`, the default, for no bound.
    public var until: Timestamp?

    /// The order of the results.
    ///
    /// The default is the newest first.
    public var order = Order.newestFirst

    /// An order of results.
    public enum Order: String, CaseIterable, Codable, Sendable {
        /// The newest message first.
        case newestFirst
        /// By relevance: first by the number of the query's words and phrases that occur as
        /// complete words in the message, then by the proportion of the message's text that the
        /// hits cover, then newest first.
        ///
        /// Only the newest ``MessageSearchParams/rankedCount`` matching messages are ordered and
        /// returned.
        case relevance
    }

    /// The number of messages that ``Order/relevance`` orders: 1,000.
    public static let rankedCount = 1_000

    /// The default number of results in a page: 20.
    public static let defaultPageSize = 20

    /// Creates parameters for a search in all messages.
    public init(_ text: String) { self.text = text }
}

extension MessageSearchParams {
    /// Returns a Boolean value that indicates whether a message passes the filters.
    ///
    /// The query is ignored.
    public func includes(_ message: Message) -> Bool {
        if !channelURLs.isEmpty, !channelURLs.contains(message.channelURL) { return false }
        if let since, message.createdAt < since { return false }
        if let until, message.createdAt >= until { return false }
        if senderUserIDs.isEmpty, customTypes.isEmpty, messageType == .all { return true }
        var params = MessageListParams()
        params.replyType = .all
        params.messageType = messageType
        params.senderUserIDs = Array(senderUserIDs)
        params.customTypes = Array(customTypes)
        return params.belongsTo(message)
    }
}

extension MessageSearchParams: Codable {
    /// Decodes parameters.
    ///
    /// Missing properties except the text have their default values.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(try container.decode(String.self, forKey: .text))
        channelURLs = try container.decode(.channelURLs, or: channelURLs)
        senderUserIDs = try container.decode(.senderUserIDs, or: senderUserIDs)
        customTypes = try container.decode(.customTypes, or: customTypes)
        messageType = try container.decode(.messageType, or: messageType)
        since = try container.decodeIfPresent(Timestamp.self, forKey: .since)
        until = try container.decodeIfPresent(Timestamp.self, forKey: .until)
        order = try container.decode(.order, or: order)
    }
}
