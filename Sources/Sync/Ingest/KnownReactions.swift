import Models

/// The messages whose stored reactions are complete, on servers that return reactions separately.
///
/// The reactions of a message are complete once they were fetched, or if the message is new: the
/// feed has reported it, or this device has sent it. From then on, the feed reports each change. If
/// a page, a lookup or a changelog returns the message, the engine requests its reactions again,
/// because the feed may have omitted earlier changes. The same is true if the feed reports a change
/// that is older than the stored reactions, but not part of them.
///
/// This record is only in memory: after each start of the process, the engine requests the
/// reactions of shown messages once.
struct KnownReactions {
    /// The maximum number of recorded messages of a channel.
    ///
    /// When it is reached, the channel's record is emptied. The reactions of its messages are then
    /// requested again when the messages are shown.
    private static let limit = 10_000

    /// A change of the record.
    ///
    /// A write collects its changes, and they are applied when it has succeeded. If a write changed
    /// a copy of the record instead, it would copy all IDs of a channel.
    enum Change {
        /// The reactions of a message are complete.
        case insert(MessageID, in: ChannelURL)
        /// The reactions of a message may have changed unnoticed.
        case remove(MessageID, in: ChannelURL)
        /// A reply was returned to a caller, so its reactions have to be requested.
        case request(MessageID, in: ChannelURL)

        var isRemoval: Bool { if case .remove = self { true } else { false } }
    }

    private var ids: [ChannelURL: Set<MessageID>] = [:]
    /// The replies that were returned to callers, and whose reactions have to be requested.
    ///
    /// The engine does not know which replies a collection shows, so all of them count as shown.
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
