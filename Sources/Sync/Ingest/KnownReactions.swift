import Models

/// The messages whose stored reactions are complete, on servers that return reactions separately.
///
/// The reactions of a message are complete once they were fetched, or if the message is new: the feed
/// has reported it, or this device has sent it. From then on, the feed reports each change. If a page,
/// a lookup or a changelog returns the message, the engine requests its reactions again, because the
/// feed may have omitted earlier changes.
///
/// This record is only in memory: after each start of the process, the engine requests the reactions
/// of shown messages once.
struct KnownReactions {
    /// The maximum number of recorded messages of a channel.
    ///
    /// When it is reached, the channel's record is emptied. The reactions of its messages are then
    /// requested again when the messages are shown.
    private static let limit = 10_000

    private var ids: [ChannelURL: Set<MessageID>] = [:]
    /// The replies that were returned to callers, and whose reactions have to be requested.
    ///
    /// The engine does not know which replies a collection shows, so all of them count as shown.
    private(set) var wanted: [ChannelURL: [MessageID]] = [:]

    func contains(_ id: MessageID, in url: ChannelURL) -> Bool { ids[url]?.contains(id) ?? false }

    mutating func insert(_ id: MessageID, in url: ChannelURL) {
        if ids[url]?.count == Self.limit { ids[url] = nil }
        ids[url, default: []].insert(id)
        guard wanted[url] != nil else { return }
        wanted[url]?.removeAll { $0 == id }
        if wanted[url]?.isEmpty ?? true { wanted[url] = nil }
    }

    /// Records that replies were returned to a caller.
    mutating func want(_ replies: [MessageID], in url: ChannelURL) {
        wanted[url, default: []] += replies.filter { !contains($0, in: url) }
    }

    mutating func remove(_ id: MessageID, in url: ChannelURL) { ids[url]?.remove(id) }
}
