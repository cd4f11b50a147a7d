public import Models

/// A message that a search has found.
public struct FoundMessage: Hashable, Sendable {
    /// The message.
    public let message: Message

    /// The ranges of the words in the message's texts, in order.
    public let hits: [SearchHit]

    /// The location among the results, after which the next page begins.
    public let cursor: SearchCursor

    package init(message: Message, hits: [SearchHit], cursor: SearchCursor) {
        self.message = message
        self.hits = hits
        self.cursor = cursor
    }
}

extension FoundMessage: Identifiable {
    /// The identity of the message.
    public var id: Message.ID { message.id }
}

/// A location among the results of a search.
///
/// Changes between two pages cause no other message to be repeated or omitted.
public struct SearchCursor: Hashable, Sendable {
    package let position: Position
    package let channelURL: ChannelURL
    package let rank: Int
    /// The position of the newest ranked message in the order of relevance; otherwise of the
    /// cursor's message.
    ///
    /// Later pages do not rank newer messages.
    package let newest: Position

    package init(
        position: Position, channelURL: ChannelURL, rank: Int = 0, newest: Position? = nil
    ) {
        self.position = position
        self.channelURL = channelURL
        self.rank = rank
        self.newest = newest ?? position
    }
}

extension SearchCursor: Comparable {
    /// Orders by rank, highest first, then by position, newest first, and then by channel URL.
    public static func < (left: SearchCursor, right: SearchCursor) -> Bool {
        if left.rank != right.rank { return left.rank > right.rank }
        if left.position != right.position { return left.position > right.position }
        return left.channelURL.rawValue.utf8
            .lexicographicallyPrecedes(right.channelURL.rawValue.utf8)
    }
}

extension StoreReader {
    /// Returns the stored messages that match a search.
    ///
    /// The search index (``StoreOptions/isSearchIndexed``) only makes the search faster: the
    /// results never contain removed messages or earlier texts of edited ones.
    ///
    /// - Parameters:
    ///   - params: The words, and the messages to search. Without a word to find, there are no
    ///     results, unless the text is empty and a filter other than those of channels and times is
    ///     set: the results are then all messages that pass.
    ///   - cursor: The cursor of the last message of the previous page; `nil` for the first page.
    ///   - limit: The maximum number of messages; less than 1 returns none.
    /// - Returns: The messages; fewer than `limit` only if no other message matches, or in the
    ///   order of relevance, which ranks only the newest `MessageSearchParams.rankedCount` matches.
    /// - Throws: `corruption` if a message or a channel's URL cannot be decoded.
    /// - Complexity: With a complete search index, some lookups for each segment that may contain
    ///   the words, and O(*n*) in the messages with the words that are not older than the last
    ///   result. The first search after opening also reads the unsegmented messages. Otherwise, and
    ///   in a ``Batch``, O(*n*) in all messages of the searched channels.
    public func searchMessages(
        _ params: MessageSearchParams, after cursor: SearchCursor? = nil, limit: Int
    ) throws(StoreError) -> [FoundMessage] {
        var params = params
        if params.order == .relevance, let newest = cursor?.newest.createdAt.milliseconds,
            newest < .max
        {
            // Messages that arrived after the first page are not ranked.
            params.until = min(
                params.until ?? Timestamp(milliseconds: .max),
                Timestamp(milliseconds: newest + 1))
        }
        let search = StoredSearch(params, in: try view)
        guard limit > 0, !search.query.isEmpty || params.listsAll,
            search.span.lower <= search.span.upper
        else { return [] }
        switch params.order {
        case .newestFirst: return try search.newest(after: cursor, limit)
        case .relevance:
            var found = try search.newest(after: nil, MessageSearchParams.rankedCount)
            if let newest = cursor?.newest { found.removeAll { $0.cursor.position > newest } }
            guard let newest = cursor?.newest ?? found.first?.cursor.position else { return [] }
            return found.map { $0.ranked(search.query.rank(of: $0.hits, in: $0.message), newest) }
                .filter { result in cursor.map { $0 < result.cursor } ?? true }
                .sorted { $0.cursor < $1.cursor }
                .prefix(limit).map { $0 }
        }
    }
}

extension FoundMessage {
    fileprivate func ranked(_ rank: Int, _ newest: Position) -> FoundMessage {
        let cursor = SearchCursor(
            position: cursor.position, channelURL: cursor.channelURL, rank: rank, newest: newest)
        return FoundMessage(message: message, hits: hits, cursor: cursor)
    }
}

private struct StoredSearch {
    let params: MessageSearchParams
    let query: SearchQuery
    let view: StoreView
    /// The times of the messages to search, inclusive.
    let span: (lower: Timestamp, upper: Timestamp)

    init(_ params: MessageSearchParams, in view: StoreView) {
        self.params = params
        self.view = view
        query = SearchQuery(params.text)
        let lower = params.since ?? Timestamp(milliseconds: .min)
        let upper = params.until?.milliseconds ?? .max
        span =
            params.until != nil && upper == .min
            ? (lower: Timestamp(milliseconds: .max), upper: Timestamp(milliseconds: .min))
            : (
                lower: lower,
                upper: Timestamp(milliseconds: params.until == nil ? upper : upper - 1)
            )
    }

    func newest(after cursor: SearchCursor?, _ limit: Int) throws(StoreError) -> [FoundMessage] {
        if params.listsAll { return try listed(after: cursor, limit) }
        guard view.batch == nil else { return try scanned(after: cursor, limit) }
        do throws(StoreError) {
            if let found = try indexed(after: cursor, limit) { return found }
        } catch {
            // The index is damaged: search the messages until the engine replaces the cache. A
            // damaged message has another cause.
            guard error.cause is ByteReader.Damage else { throw error }
            _ = view.cache.snapshot.recordingDamage(error)
        }
        return try scanned(after: cursor, limit)
    }

    /// Returns `nil` if the message does not match.
    private func result(
        _ value: UnsafeRawBufferPointer, _ cursor: SearchCursor, _ key: UnsafeRawBufferPointer
    ) throws(StoreError) -> FoundMessage? {
        let message: Message = try view.cache.record(value, as: Rows.messageName(key))
        guard let hits = params.hits(in: message, of: query) else { return nil }
        return FoundMessage(message: message, hits: hits, cursor: cursor)
    }
}

// MARK: Without words

extension StoredSearch {
    private func listed(
        after cursor: SearchCursor?, _ limit: Int
    ) throws(StoreError) -> [FoundMessage] {
        let kinds = params.kinds.isEmpty && params.messageType == .file ? .files : params.kinds
        // The rows of mentions are those of single users.
        if kinds.isEmpty || kinds.contains(.mention) { return try scanned(after: cursor, limit) }
        let url = params.channelURLs.count == 1 ? params.channelURLs.first : nil
        let messages = try view.messages(
            of: kinds, in: url, after: cursor.map { ($0.position, $0.channelURL) }, limit: limit
        ) { params.includes($0) }
        return messages.compactMap { message in
            message.position.map {
                let cursor = SearchCursor(position: $0, channelURL: message.channelURL)
                return FoundMessage(message: message, hits: [], cursor: cursor)
            }
        }
    }
}

// MARK: With the index

extension StoredSearch {
    /// Returns `nil` if the index is incomplete.
    private func indexed(
        after cursor: SearchCursor?, _ limit: Int
    ) throws(StoreError) -> [FoundMessage]? {
        let rows = view.cache
        guard let index = try view.committed.readIndex(), index.part.last == nil else { return nil }
        var channels: Set<ChannelNumber>?
        if !params.channelURLs.isEmpty {
            channels = []
            for url in params.channelURLs {
                if let number = try view.number(of: url) { channels?.insert(number) }
            }
        }
        let upper = min(span.upper, cursor?.position.createdAt ?? span.upper)
        guard span.lower <= upper else { return [] }
        let reader = view.committed.cache.cursor()
        var candidates = CandidateMerge(
            query.required.map(SearchTermList.init).sorted { $0.byteCount > $1.byteCount },
            in: channels, from: span.lower, through: upper, index, reader)
        var found: [FoundMessage] = []
        var urls: [ChannelNumber: ChannelURL?] = [:]
        while found.count < limit {
            let documents = try candidates.next()
            if documents.isEmpty { break }
            let missing = limit - found.count
            var simultaneous: [FoundMessage] = []
            for document in documents {
                let stored: ChannelURL?
                if let known = urls[document.channel] {
                    stored = known
                } else {
                    stored = try view.url(of: document.channel)
                    urls[document.channel] = .some(stored)
                }
                guard let url = stored else { continue }
                var matches = 0
                try reader.scanMessages(of: document) { (key, value) throws(StoreError) in
                    let place = SearchCursor(
                        position: try rows.position(ofMessageKey: key), channelURL: url)
                    if let cursor, cursor >= place { return true }
                    if let result = try result(value, place, key) {
                        simultaneous.append(result)
                        matches += 1
                    }
                    return matches < missing
                }
            }
            simultaneous.sort { $0.cursor < $1.cursor }
            found += simultaneous.prefix(missing)
        }
        return found
    }
}

extension StoreView {
    /// Returns `nil` if the channel was cleared.
    func url(of number: ChannelNumber) throws(StoreError) -> ChannelURL? {
        guard let url = try cache.url(of: number), try self.number(of: url) == number else {
            return nil
        }
        return url
    }
}

// MARK: Without the index

extension StoredSearch {
    private func scanned(
        after cursor: SearchCursor?, _ limit: Int
    ) throws(StoreError) -> [FoundMessage] {
        var found: [FoundMessage] = []
        let channels =
            params.channelURLs.isEmpty
            ? try OneCommit(view: view).channelURLs() : Array(params.channelURLs)
        for url in channels {
            guard let number = try view.number(of: url) else { continue }
            // Messages older than the last one of a full page need not be read.
            let last = found.count == limit ? found.last?.cursor : nil
            let newer = try scanned(url, number, after: cursor, before: last, limit)
            if newer.isEmpty { continue }
            found = Array((found + newer).sorted { $0.cursor < $1.cursor }.prefix(limit))
        }
        return found
    }

    private func scanned(
        _ url: ChannelURL, _ number: ChannelNumber, after first: SearchCursor?,
        before last: SearchCursor?, _ limit: Int
    ) throws(StoreError) -> [FoundMessage] {
        let upper = min(span.upper, first?.position.createdAt ?? span.upper)
        guard span.lower <= upper else { return [] }
        func prefix(_ time: Timestamp) -> KeyBytes {
            ByteWriter.key {
                $0.table(.message, number)
                $0.descending { $0.timestamp(time) }
            }
        }
        // The keys of all messages with the same time begin with the time's bytes.
        let range = KeyRange(prefix(upper), prefix(span.lower).successorOfPrefix)
        var found: [FoundMessage] = []
        let rows = view.cache
        try view.scanMessages(range, of: number) { (key, value) throws(StoreError) in
            let cursor = SearchCursor(
                position: try rows.position(ofMessageKey: key), channelURL: url)
            if let first, first >= cursor { return true }
            if let last, cursor >= last { return false }
            if let result = try result(value, cursor, key) { found.append(result) }
            return found.count < limit
        }
        return found
    }
}
