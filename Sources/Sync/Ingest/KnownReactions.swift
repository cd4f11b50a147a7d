import Models

/// The messages whose stored reactions are complete, on servers that return reactions separately.
///
/// The reactions of a message are complete after they were fetched, and if the feed has reported
/// the message as new. From then on, the feed reports each change. They may be incomplete again if
/// an answer contains the message: the feed may have omitted changes before it.
///
/// The messages are not stored on disk: after each start of the process, the engine requests the
/// reactions of shown messages once.
struct KnownReactions {
    /// The maximum number of messages of a channel.
    ///
    /// If there are more, their reactions are requested again when they are shown.
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
