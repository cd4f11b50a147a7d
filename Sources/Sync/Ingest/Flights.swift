import Models

/// The requests in flight, and the changes that were stored since each was made.
///
/// Events reported since a request take precedence over its answer. An answer is void if it cannot
/// be compared with what was stored since, as after a truncation or a failed write. Of such
/// answers, only those to outbox items are applied, the message of a sent item inside a gap, and of
/// a batch of the feed, the events that no other batch reports.
struct Flights {
    struct Flight: Hashable {
        fileprivate let number: Int
        fileprivate let voiding: Int
        fileprivate let channelVoiding: Int
        let channelURL: ChannelURL?
        let feedHadBegun: Bool
        /// True if the answer may contain messages of any channel.
        fileprivate let isSearch: Bool
    }

    struct Interim {
        /// True if the feed reports all events since the request.
        fileprivate(set) var feedHadBegun = false
        /// The messages that were saved from a trusted source, deleted, or changed by an event.
        fileprivate(set) var touched: Set<MessageID> = []
        /// The messages that were saved, from any source.
        fileprivate(set) var saved: Set<MessageID> = []
        /// The messages that were last saved from an untrusted source.
        fileprivate(set) var unconfirmed: Set<MessageID> = []
        /// The messages that were new, and only saved from an untrusted source: an answer may have
        /// an earlier message with the same ID.
        fileprivate var added: Set<MessageID> = []
        /// The messages that were deleted, and not saved from a trusted source afterwards.
        fileprivate(set) var deleted: Set<MessageID> = []
        fileprivate(set) var channels: Set<ChannelURL> = []
        /// The events that change parts of messages, such as reactions, in the order of their
        /// reports.
        fileprivate(set) var events: [MessageID: [FeedEvent]] = [:]
        fileprivate var searched: [ChannelURL: Interim] = [:]
        /// The channels whose messages in the answer of a search are void.
        fileprivate(set) var voidChannels: Set<ChannelURL> = []

        var changedThreads: Set<MessageID> {
            Set(
                events.filter { entry in
                    entry.value.contains { if case .threadInfo = $0 { true } else { false } }
                }.keys)
        }

        /// Not followed, because the index of a server's search may be older than the feed.
        func ofSearch(in url: ChannelURL) -> Interim { searched[url] ?? Interim() }

        /// Returns whether a stored message may have been deleted: the answer lacks it and no event
        /// has changed it, or it was deleted and a late answer to its send has stored it again.
        func mayBeGone(_ id: MessageID, isInAnswer: Bool) -> Bool {
            deleted.contains(id) || (!isInAnswer && !touched.contains(id))
        }

        func hasChanged(_ id: MessageID) -> Bool { touched.contains(id) || saved.contains(id) }

        /// Returns whether an answer without a message shows that it was deleted.
        func allowsDeletion(of id: MessageID) -> Bool {
            !touched.contains(id) && !added.contains(id)
        }

        fileprivate mutating func add(_ change: RecordedChange) {
            switch change.kind {
            case .touched:
                touched.insert(change.id)
                saved.insert(change.id)
                unconfirmed.remove(change.id)
                added.remove(change.id)
                deleted.remove(change.id)
            case .unconfirmed(let isNew):
                saved.insert(change.id)
                unconfirmed.insert(change.id)
                if isNew { added.insert(change.id) }
            case .deleted:
                touched.insert(change.id)
                unconfirmed.remove(change.id)
                added.remove(change.id)
                deleted.insert(change.id)
                events[change.id] = nil
            case .event(let event):
                touched.insert(change.id)
                events[change.id, default: []].append(event)
            }
        }
    }

    enum MessageChange {
        case touched
        /// The message was saved from an untrusted source.
        ///
        /// An answer with an older copy does not replace it, but an answer without it may mean that
        /// it was deleted, unless the message was not stored before.
        case unconfirmed(isNew: Bool)
        case deleted
        /// An event of the message, whether or not the message is stored.
        case event(FeedEvent)
    }

    fileprivate struct RecordedChange {
        let number: Int
        let id: MessageID
        let kind: MessageChange
    }

    /// The number of recorded changes of a channel above which its requests are void.
    private static let limit = 20_000

    /// The number of the newest request or change.
    private var lastNumber = 0
    private var voidings = 0
    private var open: [ChannelURL: Set<Int>] = [:]
    private var openSearchCount = 0
    private var changes: [ChannelURL: [RecordedChange]] = [:]
    private var channelVoidings: [ChannelURL: Int] = [:]
    private var channelChanges: [ChannelURL: Int] = [:]
    private(set) var inFlightCount = 0

    mutating func begin(
        in channelURL: ChannelURL?, feedHadBegun: Bool, isSearch: Bool = false
    ) -> Flight {
        lastNumber += 1
        inFlightCount += 1
        if isSearch { openSearchCount += 1 }
        if let channelURL { open[channelURL, default: []].insert(lastNumber) }
        return Flight(
            number: lastNumber, voiding: voidings,
            channelVoiding: channelURL.flatMap { channelVoidings[$0] } ?? 0,
            channelURL: channelURL, feedHadBegun: feedHadBegun, isSearch: isSearch)
    }

    mutating func end(_ flight: Flight) -> Interim? {
        inFlightCount -= 1
        var interim = Interim(feedHadBegun: flight.feedHadBegun)
        interim.channels = Set(channelChanges.filter { $0.value > flight.number }.keys)
        if inFlightCount == 0 { channelChanges = [:] }
        let isValid = isValid(flight)
        if flight.isSearch {
            for (url, changes) in changes {
                for change in changes where change.number > flight.number {
                    interim.searched[url, default: Interim()].add(change)
                }
            }
            interim.voidChannels = Set(channelVoidings.filter { $0.value > flight.number }.keys)
            openSearchCount -= 1
            for url in Set(changes.keys).union(channelVoidings.keys) { forgetUnlessOpen(url) }
        } else if let url = flight.channelURL {
            for change in changes[url] ?? [] where change.number > flight.number && isValid {
                interim.add(change)
            }
            open[url]?.remove(flight.number)
            if open[url]?.isEmpty ?? true { open[url] = nil }
            forgetUnlessOpen(url)
        }
        return isValid ? interim : nil
    }

    private mutating func forgetUnlessOpen(_ url: ChannelURL) {
        guard !hasRequests(in: url) else { return }
        changes[url] = nil
        channelVoidings[url] = nil
    }

    func isValid(_ flight: Flight) -> Bool {
        flight.voiding == voidings
            && flight.channelURL.map { channelVoidings[$0] ?? 0 == flight.channelVoiding } ?? true
    }

    /// Returns whether the answer to a request in flight may contain messages of a channel.
    func hasRequests(in url: ChannelURL) -> Bool { openSearchCount > 0 || open[url] != nil }

    mutating func void(_ url: ChannelURL) {
        guard hasRequests(in: url) else { return }
        lastNumber += 1
        channelVoidings[url] = lastNumber
        changes[url] = nil
    }

    mutating func voidAll() {
        voidings += 1
        changes = [:]
    }

    // MARK: Recording

    mutating func recordChannel(_ url: ChannelURL) {
        guard inFlightCount > 0 else { return }
        lastNumber += 1
        channelChanges[url] = lastNumber
    }

    mutating func record(_ kind: MessageChange, of id: MessageID, in url: ChannelURL) {
        guard hasRequests(in: url) else { return }
        if changes[url]?.count == Flights.limit { return void(url) }
        lastNumber += 1
        changes[url, default: []].append(RecordedChange(number: lastNumber, id: id, kind: kind))
    }
}
