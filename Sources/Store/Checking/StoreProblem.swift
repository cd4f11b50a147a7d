public import Models

/// Rows with the same kind of problem, which ``ChatStore/check()`` finds.
public struct StoreProblem: Hashable, Sendable {
    /// The kind of problem.
    public let kind: Kind

    /// The channel of the rows; `nil` if they, or the number in their keys, belong to none.
    public let channelURL: ChannelURL?

    /// The number of rows.
    public internal(set) var count: Int

    /// A kind of problem.
    public enum Kind: String, CaseIterable, Sendable {
        /// A row cannot be decoded.
        case unreadable
        /// The rows that map a channel's URL to its number, and the number to the URL, contradict
        /// each other, or one is missing.
        case channelNumber
        /// The stored number for the next new channel or item is already in use.
        case nextNumber
        /// The key of a row contradicts its content.
        case key
        /// A message is stored under two keys.
        case duplicateMessage
        /// An index of messages or outbox items lacks a row, or has one for a missing message or
        /// item.
        case index
        /// The message count of a channel differs from the number of its messages.
        case messageCount
        /// Two gaps, or two stale ranges, overlap.
        case overlap
        /// The number in the keys of rows belongs to no channel.
        case unnamed
        /// A row of the search index is missing, cannot be decoded, or belongs to no segment.
        case searchIndex
        /// A saved list of channels differs from the beginning of the list computed from the rows.
        case savedList
    }
}

extension StoreProblem: CustomStringConvertible {
    /// The problem in words, such as "general: 2 rows of an index are missing, or refer to a
    /// missing row".
    public var description: String {
        let what =
            switch kind {
            case .unreadable: "cannot be decoded"
            case .channelNumber: "contradict the channel's number, or are missing"
            case .nextNumber: "would be assigned a second time"
            case .key: "have a key that contradicts their content"
            case .duplicateMessage: "contain a message that is also stored under another key"
            case .index: "of an index are missing, or refer to a missing row"
            case .messageCount: "contain a wrong number of messages"
            case .overlap: "overlap the previous gap or stale range"
            case .unnamed: "have a number that belongs to no channel"
            case .searchIndex: "of the search index are missing, damaged, or belong to no segment"
            case .savedList: "contain a saved list that differs from the channels"
            }
        let noun = kind == .nextNumber ? "number" : "row"
        return (channelURL.map { "\($0): " } ?? "")
            + "\(count) \(noun)\(count == 1 ? "" : "s") \(what)"
    }
}

extension ChatStore {
    /// Finds rows that cannot be decoded, and rows that contradict each other; none in a consistent
    /// store.
    ///
    /// The problems are sorted by channel. An engine replaces a cache in which this call or a read
    /// finds such a row.
    ///
    /// - Throws: `closed`, `suspended`, `io`, or `corruption` if a block of a file is damaged.
    /// - Complexity: O(*n*) in the rows, with some lookups for each message.
    public func check() throws(StoreError) -> [StoreProblem] {
        let view = try view
        var search = ProblemSearch()
        try search.search(view.cache)
        try search.searchIndex(of: view.cache, view.committed.cache.cursor())
        try search.searchAppTables(view.rows(of: .cached))
        if let problem = search.problems.first {
            // `CacheReplacement.Kind` recognizes damaged rows by their cause.
            let cause = ByteReader.Damage(offset: 0, expected: "rows that agree")
            _ = view.cache.snapshot.recordingDamage(
                StoreError(
                    .corruption, problem.description, path: view.cache.path, cause: cause))
        }
        try search.searchOutbox(view.outbox)
        try search.searchAppTables(view.rows(of: .kept))
        return search.problems
    }
}

struct ProblemSearch {
    private struct Place: Hashable {
        let kind: StoreProblem.Kind
        let url: ChannelURL?
    }

    private var counts: [Place: Int] = [:]

    var problems: [StoreProblem] {
        counts.map { StoreProblem(kind: $0.key.kind, channelURL: $0.key.url, count: $0.value) }
            .sorted {
                ($0.channelURL?.rawValue ?? "", $0.kind.rawValue)
                    < ($1.channelURL?.rawValue ?? "", $1.kind.rawValue)
            }
    }

    mutating func add(_ kind: StoreProblem.Kind, in url: ChannelURL? = nil, count: Int = 1) {
        if count > 0 { counts[Place(kind: kind, url: url), default: 0] += count }
    }
}
