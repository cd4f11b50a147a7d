public import Models
public import Store
import Sync

// What is shown beside what comes by itself: pages from the cache, and from the server where it is not known.
extension MessageCollection {
    enum Direction { case older, newer }

    /// How many pages are asked for, one after the other, where few messages are what the list shows.
    private static let pageLimit = 5

    /// Shows older messages: from the cache as far as it is complete, from the server beyond.
    ///
    /// Where the server cannot be asked, what is held behind a gap is shown too, with the gap between.
    ///
    /// - Returns: The messages, the oldest first; fewer than `previousResultSize` where a list shows few
    ///   of a history, or there are no more. ``hasPrevious`` tells whether to go on.
    /// - Throws: ``CollectionError`` with code `queryInProgress` if older messages are being loaded already;
    ///   `notStarted`, `disposed`; `notConnected` or `refused` if nothing more could be shown; `store`,
    ///   `canceled`.
    @discardableResult
    public func loadPrevious() async throws(CollectionError) -> [Message] {
        try await load(.older, params.previousResultSize)
    }

    /// Shows newer messages, as ``loadPrevious()`` does older ones.
    ///
    /// - Returns: The messages, the oldest first; ``hasNext`` tells whether to go on.
    /// - Throws: ``CollectionError``, as ``loadPrevious()`` does.
    @discardableResult
    public func loadNext() async throws(CollectionError) -> [Message] {
        try await load(.newer, params.nextResultSize)
    }

    private func load(
        _ direction: Direction, _ count: Int
    ) async throws(CollectionError) -> [Message] {
        try checkIsStarted()
        guard loading.insert(direction).inserted else {
            throw CollectionError(.queryInProgress, "the \(direction) messages are being loaded")
        }
        defer { loading.remove(direction) }
        hasLoadedMore = true
        // At the newest end what is fetched comes as what happens does, since that is shown.
        let isFollowing = direction == .newer && shownWindow.upper == .end
        let before = isFollowing ? Set(shownWindow.items.map(\.id)) : []
        var shown = try await extend(direction, max(1, count))
        if isFollowing {
            shown = messages.filter { $0.messageID != nil && !before.contains($0.itemID) }
        }
        // Those of a page are in the order of the list, and those of several pages are not.
        return shown.filter { $0.messageID != nil }.sorted {
            guard let left = $0.position, let right = $1.position else { return false }
            return left < right
        }
    }

    /// Shows more in a direction, and asks the server where that is not known.
    @discardableResult
    private func extend(
        _ direction: Direction, _ count: Int
    ) async throws(CollectionError) -> [Message] {
        var left = count
        var cursor: PageCursor?
        var all: [Message] = []
        var page = 0
        while true {
            let ((found, gap), shown) = try show(direction, left, crossesGaps: false)
            all += shown
            left -= found
            guard left > 0, let gap, page < MessageCollection.pageLimit else { return all }
            page += 1
            do throws(CollectionError) {
                cursor = try await fetch(direction, left, at: gap, cursor)
            } catch {
                try checkIsStarted()
                guard error.code == .notConnected else { throw error }
                let (crossed, shown) = try show(direction, left, crossesGaps: true)
                if left == count && crossed.found == 0 { throw error }
                return all + shown
            }
            try checkIsStarted()
        }
    }

    private func show(
        _ direction: Direction, _ count: Int, crossesGaps: Bool
    ) throws(CollectionError) -> (value: (found: Int, gap: Gap?), shown: [Message]) {
        switch direction {
        case .older:
            try load(trimming: .newest) { (window, reader) throws(StoreError) in
                let (edits, found, gap) = try window.loadOlder(
                    count, crossesGaps: crossesGaps, in: reader)
                return (edits, (found, gap))
            }
        case .newer:
            try load(trimming: .oldest) { (window, reader) throws(StoreError) in
                let (edits, found, gap) = try window.loadNewer(
                    count, crossesGaps: crossesGaps, in: reader)
                return (edits, (found, gap))
            }
        }
    }

    /// Asks the server for what comes next to what is shown.
    ///
    /// - Parameters:
    ///   - direction: On which side of what is shown.
    ///   - count: How many messages.
    ///   - gap: What is missing there.
    ///   - cursor: Where the page before ended, if it was asked for and had nothing.
    /// - Returns: Where the page ended, if it had nothing.
    /// - Throws: What the engine throws.
    private func fetch(
        _ direction: Direction, _ count: Int, at gap: Gap, _ cursor: PageCursor?
    ) async throws(CollectionError) -> PageCursor? {
        let window = shownWindow
        let page: MessagePage
        switch direction {
        case .older:
            if gap.upper <= window.olderEdge {
                let anchor = gap.walkCursor.map { .cursor($0) } ?? gap.upper.anchorIncludingIt
                page = try await fetch(
                    anchor, older: count, edge: anchor == .newest ? nil : gap.upper,
                    .messageLoadPrevious)
            } else {
                // Within the gap, where nothing is known on either side.
                page = try await fetch(
                    window.lower.anchorIncludingIt, older: count, edge: nil, .messageLoadPrevious)
            }
            return nil
        case .newer:
            let isAtEdge = gap.lower >= window.upper || window.upper == .end
            let edge = isAtEdge ? gap.lower : window.upper
            page = try await fetch(
                cursor.map { .cursor($0) } ?? edge.anchorForNewer, newer: count + 1,
                edge: isAtEdge ? gap.lower : nil, .messageLoadNext)
            return page.messages.isEmpty ? page.newer : nil
        }
    }

    private func fetch(
        _ anchor: MessageAnchor, older: Int = 0, newer: Int = 0, edge: Gap.Bound?,
        _ source: CollectionEventSource
    ) async throws(CollectionError) -> MessagePage {
        try await fetch(
            PageRequest(at: anchor, older: older, newer: newer, edge: edge, source: source))
    }

    @discardableResult
    func fetch(_ request: PageRequest) async throws(CollectionError) -> MessagePage {
        do throws(CollectionError) {
            return try await tasks.ask { [engine, channelURL] () throws(SyncError) in
                try await request.page(of: channelURL, by: engine)
            }
        } catch {
            // The end cancels what is under way.
            try checkIsStarted()
            throw error
        }
    }

    /// Fetches what is missing in a gap, from its newer end: a page of it.
    ///
    /// - Parameter gap: One of ``items``.
    /// - Returns: What is still missing there; `nil` if the gap is closed.
    /// - Throws: ``CollectionError``, as ``loadPrevious()`` does.
    @discardableResult
    public func fill(_ gap: Gap) async throws(CollectionError) -> Gap? {
        try checkIsStarted()
        func left() throws(CollectionError) -> Gap? {
            try stored { (reader) throws(StoreError) in
                try reader.gaps(in: channelURL, from: gap.lower, to: gap.upper).last
            }
        }
        guard let held = try left() else { return nil }
        let isWhole = held.upper == gap.upper || gap.upper == .end
        let cursor = isWhole ? held.walkCursor : nil
        let anchor = cursor.map { .cursor($0) } ?? (isWhole ? held : gap).upper.anchorIncludingIt
        _ = try await fetch(
            anchor, older: max(1, params.previousResultSize),
            edge: isWhole && anchor != .newest ? held.upper : nil, .messageFill)
        try checkIsStarted()
        catchUp()
        return try left()
    }

    // MARK: Beginning

    /// Finds out what the server is to be asked for at the starting point.
    ///
    /// - Parameter state: How far the engine is, once no connection is being made.
    /// - Returns: The page; `nil` if the server could say nothing new.
    /// - Throws: ``CollectionError`` with code `store`, `disposed` or `notStarted`.
    func firstPage(_ state: SyncState) throws(CollectionError) -> PageRequest? {
        try checkIsStarted()
        let start = start
        if state.isLive {
            let isKnown = try stored { (reader) throws(StoreError) in
                try shownWindow.isKnown(at: start, in: reader)
            }
            if isKnown { return nil }
        }
        switch start {
        case .newest:
            return PageRequest(
                at: .newest, older: max(1, params.previousResultSize), source: .messageInitialize)
        case .time(let time):
            return PageRequest(
                at: .time(time), older: params.previousResultSize, newer: params.nextResultSize,
                source: .messageInitialize)
        }
    }

    /// Shows what the server has at the starting point, after ``firstPage(_:)`` was fetched.
    func showServer() async throws(CollectionError) -> [Message] {
        try checkIsStarted()
        if hasLoadedMore {
            // What the user has loaded meanwhile stays.
            catchUp()
            return messages
        }
        try place(crossesGaps: false)
        try await extendToSize()
        return messages
    }

    /// Goes on where a page had few messages of those that the list shows.
    private func extendToSize() async throws(CollectionError) {
        let count = succeededMessages.count
        guard count < params.previousResultSize, shownWindow.hasPrevious else { return }
        guard loading.insert(.older).inserted else { return }
        defer { loading.remove(.older) }
        try await extend(.older, params.previousResultSize - count)
    }
}

extension Gap.Bound {
    /// Where pages begin that go from here to what is newer, with what lies here.
    fileprivate var anchorForNewer: MessageAnchor {
        switch self {
        case .beginning: .time(Timestamp(milliseconds: .min))
        case .position(let position): .time(position.createdAt)
        case .end: .newest
        }
    }
}

/// A page of a channel that the server is asked for.
struct PageRequest: Hashable, Sendable {
    let anchor: MessageAnchor
    let older: Int
    let newer: Int
    /// Where the anchor is, if nothing lies between it and what is known there.
    let edge: Gap.Bound?
    let source: CollectionEventSource

    init(
        at anchor: MessageAnchor, older: Int = 0, newer: Int = 0, edge: Gap.Bound? = nil,
        source: CollectionEventSource
    ) {
        self.anchor = anchor
        self.older = older
        self.newer = newer
        self.edge = edge
        self.source = source
    }

    /// Has it stored.
    func page(
        of channelURL: ChannelURL, by engine: SyncEngine
    ) async throws(SyncError) -> MessagePage {
        try await engine.fetchMessages(
            in: channelURL, at: anchor, older: older, newer: newer, edge: edge, source: source
        ).page
    }
}
