import Models
import ScrollbackStorySupport

@testable import Collections
@testable import Store
@testable import Sync

/// A list of the app, which follows the store.
struct ModelList {
    var window: Window
    let changes: ObservedChanges
    /// The rows according to the reported changes.
    var shown: [MessageItem] = []

    fileprivate mutating func apply(_ edits: WindowEdits, trimming end: Window.End = .oldest) {
        var edits = edits
        let diff = window.apply(&edits, trimming: end)
        shown = CollectionChange(diff, in: window.items).applied(to: shown)
    }
}

extension Device {
    /// Performs a step that concerns a list, or that removes cached messages.
    ///
    /// Returns false if the step is of another kind.
    func changeLists(_ step: Step) throws -> Bool {
        switch step {
        case .openList(let url, let number, let tag, let size, let isReversed):
            // The store cannot be read while its disk fails.
            guard disk == nil else { return true }
            var params = MessageListParams()
            (params.previousResultSize, params.nextResultSize) = (1 + size, size)
            params.isReversed = isReversed
            let url = ChannelURL(url)
            let (snapshot, changes) = try store.observe(.channel(url))
            var list = ModelList(
                window: Window(
                    on: url, params: params, userID: ModelServer.me,
                    capacity: size == 0 ? 3 : .max),
                changes: changes)
            let time = tag.flatMap { server.history.entry($0) }?.position.createdAt
            list.apply(
                try list.window.open(
                    at: time.map { .time($0) } ?? .newest, crossesGaps: !core.connector.isOn,
                    in: snapshot))
            lists[number] = list
            try checkLists()
        case .load(let number, let isOlder, let count, let crossesGaps):
            guard var list = lists[number] else { return true }
            let reader = try store.snapshot()
            let direction: Window.Direction = isOlder ? .older : .newer
            let edits = try list.window.load(
                direction, count, crossesGaps: crossesGaps, in: reader
            ).edits
            list.apply(edits, trimming: direction.opposite)
            lists[number] = list
            try checkLists()
        case .closeList(let number): lists[number] = nil
        case .evict(let url, let count):
            // If pages are in the order of arrival, the engine fetches what is older than the
            // oldest stored message. It does not find an evicted message that arrived later.
            guard !server.hasLateMessages else { return true }
            try remove { (core) throws(SyncError) in
                _ = try core.evict(count, in: ChannelURL(url), from: .beginning)
            }
        case .clearMessages(let url):
            try remove { (core) throws(SyncError) in
                try core.clearCachedMessages(in: [ChannelURL(url)])
            }
        case .clearCache:
            try remove { (core) throws(SyncError) in try core.clearCachedData() }
        case .damageCache:
            // Without a connection, the replacement waits. On a disk, a second one within an hour
            // is refused.
            guard disk == nil, core.session != nil, core.connector.isOn else { return true }
            let rows = try store.view.committed.cache
            _ = rows.recordingDamage(StoreError(.corruption, "a row", path: store.cache.path))
            oracle.allowsReplacement = true
            try process(.changed)
            guard !oracle.allowsReplacement else {
                throw Violation("replaced cache", "the cache was not replaced")
            }
        default: return false
        }
        return true
    }

    /// Removes cached messages, which opens gaps in their place.
    private func remove(_ body: (inout SyncCore) throws(SyncError) -> Void) throws {
        core.time = time
        oracle.allowsEviction = true
        defer { oracle.allowsEviction = false }
        do throws(SyncError) {
            try body(&core)
        } catch {
            guard error.code == .store, disk != nil else { throw Violation("store", "\(error)") }
        }
        try process(.changed)
    }

    /// Applies the store's changes to the lists, and compares each list with the store.
    func checkLists() throws {
        guard !lists.isEmpty else { return }
        let reader = try store.snapshot()
        for number in lists.keys.sorted() {
            guard var list = lists[number] else { continue }
            var unread = list.changes.drain()[...]
            while let change = unread.popFirst() {
                var edits = list.window.record(change)
                if edits.mustReadAgain {
                    // The snapshot already contains the remaining changes.
                    edits = try list.window.readAgain(in: reader, after: edits, Array(unread))
                    unread = []
                }
                list.apply(edits)
            }
            lists[number] = list
            let window = list.window
            // The list keeps the rows of a replaced cache until the server's arrive.
            if window.isReplaced { continue }
            let expected = try reader.naiveItems(
                in: window.channelURL, from: window.lower, to: window.upper,
                params: window.params, userID: window.userID)
            guard window.items.withoutReactionTimes == expected.withoutReactionTimes,
                list.shown == window.items
            else {
                throw Violation(
                    "G1 list equals store",
                    "list \(number) from \(window.lower) to \(window.upper) is "
                        + "\(window.items.picture), reported \(list.shown.picture), instead of "
                        + expected.picture)
            }
        }
    }
}

extension [MessageItem] {
    /// The rows as apps show them: a list is not notified of changed times of reactions.
    fileprivate var withoutReactionTimes: [MessageItem] {
        map { item in item.message.map { .message($0.withoutReactionTimes) } ?? item }
    }

    fileprivate var picture: String {
        map { item in item.message?.text ?? item.gap.map { "~\($0)" } ?? "" }
            .joined(separator: " ")
    }
}
