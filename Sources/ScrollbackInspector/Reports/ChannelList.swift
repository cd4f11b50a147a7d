import Foundation
import Models
@_spi(Measuring) import Store
import Sync

/// The list of all channels, cached between requests.
actor ChannelList {
    struct Request: Sendable {
        enum Key: String { case last, name, messages, bytes, unread }
        enum Filter: String { case all, gaps, stale, unread, unsent, kept }
        var key: Key
        var isDescending: Bool
        var filter: Filter
        var text: String
        var offset: Int
        var limit: Int
    }

    struct Row: Encodable, Sendable {
        var url: String
        var name: String
        var messages: Int
        /// The size of the messages in bytes; an estimate if there are many.
        var bytes: Int
        var isEstimate: Bool
        var unread: Int
        var last: Int64?
        var isKeptInCache: Bool
        var unsent = 0
        var bar: CoverageBar?
        var error: String?
    }

    struct Page: Encodable, Sendable {
        var total: Int
        var matching: Int
        var offset: Int
        var rows: [Row]
    }

    fileprivate static let sampleCount = 50

    private weak var store: ChatStore?
    private var rows: [ChannelURL: Row] = [:]
    private var outdated: Set<ChannelURL> = []
    private var isOutdated = true
    /// `true` if a monitor reports each change; otherwise, each commit invalidates the list.
    private var isFollowed = false
    private var number = -1

    func follow(_ isFollowed: Bool) {
        self.isFollowed = isFollowed
        isOutdated = true
    }

    /// Marks channels as outdated; `nil` for all.
    func invalidate(_ urls: Set<ChannelURL>?) {
        if let urls { outdated.formUnion(urls) } else { isOutdated = true }
    }

    func page(
        _ request: Request, of session: ClientReference.Session, _ mask: TextMask
    ) throws -> Page {
        let snapshot = try session.store.snapshot()
        try update(session.store, snapshot, mask)
        var found = try rows(matching: request, in: snapshot, mask)
        let matching = found.count
        found.sort { request.precedes($0, $1) }
        var page = Array(found.dropFirst(request.offset).prefix(request.limit))
        for index in page.indices {
            let url = ChannelURL(page[index].url)
            do throws(StoreError) {
                page[index].bar = try CoverageBar(of: url, in: snapshot)
                page[index].unsent = try snapshot.outboxItemCount(in: url)
            } catch {
                page[index].error = mask.shown(error)
            }
        }
        return Page(total: rows.count, matching: matching, offset: request.offset, rows: page)
    }

    /// Returns the rows that match a request, with masked names.
    ///
    /// The rows are searched and sorted by the masked names: otherwise, a search would reveal a
    /// name letter by letter.
    private func rows(
        matching request: Request, in snapshot: Snapshot, _ mask: TextMask
    ) throws(StoreError) -> [Row] {
        let rows = rows.mapValues { row in
            var row = row
            row.name = mask.shown(row.name)
            return row
        }
        var candidates: any Collection<Row> = rows.values
        func named(_ urls: some Sequence<ChannelURL>) -> [Row] { Set(urls).compactMap { rows[$0] } }
        switch request.filter {
        case .all: break
        case .gaps: candidates = named(try snapshot.channelURLsWithGaps())
        case .stale: candidates = named(try snapshot.channelURLsWithStaleRanges())
        case .unread: candidates = rows.values.filter { $0.unread > 0 }
        case .unsent: candidates = named(try snapshot.outboxItems().map(\.channelURL))
        case .kept: candidates = rows.values.filter(\.isKeptInCache)
        }
        if request.text.isEmpty { return Array(candidates) }
        return candidates.filter {
            $0.name.localizedCaseInsensitiveContains(request.text)
                || $0.url.localizedCaseInsensitiveContains(request.text)
        }
    }

    // MARK: Reading

    private func update(
        _ store: ChatStore, _ snapshot: Snapshot, _ mask: TextMask
    ) throws(StoreError) {
        if self.store !== store || isOutdated || (!isFollowed && number != snapshot.number) {
            var rows: [ChannelURL: Row] = [:]
            for channel in try snapshot.cachedChannels() {
                rows[channel.url] = Row(channel, in: snapshot, mask)
            }
            self.rows = rows
            (self.store, isOutdated) = (store, false)
        } else {
            for url in outdated { rows[url] = try row(of: url, in: snapshot, mask) }
        }
        (outdated, number) = ([], snapshot.number)
    }

    private func row(
        of url: ChannelURL, in snapshot: Snapshot, _ mask: TextMask
    ) throws(StoreError) -> Row? {
        guard try snapshot.holds(url) else { return nil }
        return Row(
            url, messages: try snapshot.messageCount(in: url),
            isKeptInCache: try snapshot.isKeptInCache(url), in: snapshot, mask)
    }
}

extension ChannelList.Request {
    init(_ query: Query) throws {
        key = query["sort"].flatMap(Key.init) ?? .last
        isDescending = query["order"] != "ascending"
        filter = query["filter"].flatMap(Filter.init) ?? .all
        text = query["text"] ?? ""
        offset = try query.integer("offset", default: 0, in: 0...Int.max)
        limit = try query.integer("limit", default: 100, in: 1...500)
    }

    /// Returns `true` if the left row precedes the right one, by URL if the keys are equal.
    fileprivate func precedes(_ left: ChannelList.Row, _ right: ChannelList.Row) -> Bool {
        func ordered<Value: Comparable>(_ left: Value, _ right: Value) -> Bool? {
            left == right ? nil : (left < right) != isDescending
        }
        let isBefore: Bool? =
            switch key {
            case .last: ordered(left.last ?? .min, right.last ?? .min)
            case .name: ordered(left.sortedName, right.sortedName)
            case .messages: ordered(left.messages, right.messages)
            case .bytes: ordered(left.bytes, right.bytes)
            case .unread: ordered(left.unread, right.unread)
            }
        return isBefore ?? (left.url < right.url)
    }
}

extension ChannelList.Row {
    /// The beginning of the name, for sorting: comparing long names with many marks takes quadratic
    /// time.
    fileprivate var sortedName: String {
        String(decoding: name.utf8.prefix(128), as: UTF8.self).lowercased()
    }

    init(_ channel: CachedChannel, in snapshot: Snapshot, _ mask: TextMask) {
        self.init(
            channel.url, messages: channel.messageCount, isKeptInCache: channel.isKeptInCache,
            in: snapshot, mask)
    }

    /// Reads a row, or the error if the channel is damaged.
    init(
        _ url: ChannelURL, messages: Int, isKeptInCache: Bool, in snapshot: Snapshot,
        _ mask: TextMask
    ) {
        self.init(
            url: url.rawValue, name: "", messages: messages, bytes: 0, isEstimate: false, unread: 0,
            isKeptInCache: isKeptInCache)
        do throws(StoreError) {
            var read = (count: 0, bytes: 0)
            try snapshot.forEachSerializedMessage(in: url) { bytes in
                read.count += 1
                read.bytes += bytes.count
                return read.count < ChannelList.sampleCount
            }
            isEstimate = read.count < messages
            let average = Double(read.bytes) / Double(max(read.count, 1))
            bytes = Int(exactly: (average * Double(messages)).rounded()) ?? .max
            last = try snapshot.newestPosition(in: url)?.createdAt.milliseconds
            if let channel = try snapshot.groupChannel(url) {
                (name, unread) = (channel.name, channel.unreadMessageCount)
                last = last ?? channel.createdAt.milliseconds
            } else if let channel = try snapshot.openChannel(url) {
                name = channel.name
            }
        } catch {
            self.error = mask.shown(error)
        }
    }
}

extension Snapshot {
    fileprivate func holds(_ url: ChannelURL) throws(StoreError) -> Bool {
        if try messageCount(in: url) > 0 { return true }
        if try groupChannel(url) != nil { return true }
        return try openChannel(url) != nil
    }
}
