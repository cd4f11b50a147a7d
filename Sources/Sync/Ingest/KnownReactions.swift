import Models

/// The messages whose stored reactions are complete, on servers that return reactions separately.
///
/// The reactions of a message are complete once they were fetched, or if the feed has reported it,
/// or this device has sent it, as a new message; the feed then reports each change. They are
/// requested again if an answer contains the message, because the feed may have omitted earlier
/// changes, or if the feed reports an older change that the stored reactions lack.
///
/// This record is in memory: each process requests the reactions of shown messages once.
struct KnownReactions {
    /// The number of messages at which a channel's record is emptied.
    private static let limit = 10_000

    /// A change that is applied after the write that made it: applying it earlier would copy all
    /// IDs.
    enum Change {
        /// The reactions of a message are complete.
        case insert(MessageID, in: ChannelURL)
        /// The reactions of a message may have changed unnoticed.
        case remove(MessageID, in: ChannelURL)
        case request(MessageID, in: ChannelURL)

        var isRemoval: Bool { if case .remove = self { true } else { false } }
    }

    private var ids: [ChannelURL: Set<MessageID>] = [:]
    /// The replies that were returned to callers: a collection may show them.
    private(set) var needed: [ChannelURL: Set<MessageID>] = [:]

    func contains(_ id: MessageID, in url: ChannelURL) -> Bool { ids[url]?.contains(id) ?? false }

    mutating func apply(_ changes: [Change]) {
        for change in changes {
            switch change {
            case .insert(let id, let url): insert(id, in: url)
            case .remove(let id, let url): ids[url]?.remove(id)
            case .request(let id, let url):
                if !contains(id, in: url) { needed[url, default: []].insert(id) }
            }
        }
    }

    private mutating func insert(_ id: MessageID, in url: ChannelURL) {
        if ids[url]?.count == Self.limit { ids[url] = nil }
        ids[url, default: []].insert(id)
        needed[url]?.remove(id)
        if needed[url]?.isEmpty ?? false { needed[url] = nil }
    }
}
