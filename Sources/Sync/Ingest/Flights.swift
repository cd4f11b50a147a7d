import Models

/// The requests that are on their way, and what became known since each was made.
///
/// An answer says what the server held at some moment after it was asked. What the feed told
/// meanwhile may be newer or older than that, so an answer gives way where something was told since,
/// and is void where so much was lost or replaced that nobody can say.
struct Flights {
    /// A request on its way.
    struct Flight: Hashable {
        fileprivate let number: Int
        fileprivate let loss: Int
        fileprivate let channelLoss: Int
        let channelURL: ChannelURL?
        /// Whether everything that happens after the request is told by the feed.
        let isFollowed: Bool
    }

    /// What became known of a channel's messages since a request was made.
    struct News {
        /// Whether everything that happened after the request is told by the feed.
        fileprivate(set) var isFollowed = false
        /// The messages that something was told of.
        fileprivate(set) var touched: Set<MessageID> = []
        /// The messages that were saved anew, by whatever told them.
        fileprivate(set) var saved: Set<MessageID> = []
        /// The messages that were deleted.
        fileprivate(set) var deleted: Set<MessageID> = []
        /// The channels that something was told of, other than messages.
        fileprivate(set) var channels: Set<ChannelURL> = []
        /// What was told of messages beside what they say, in this order.
        fileprivate(set) var events: [MessageID: [FeedEvent]] = [:]
    }

    private struct Note {
        enum What {
            case touched
            case deleted
            case told(FeedEvent)
        }
        let number: Int
        let id: MessageID
        let what: What
    }

    /// How many notes are kept of a channel; with more, its requests are void.
    private static let limit = 20_000

    private var count = 0
    private var losses = 0
    private var open: [ChannelURL: Set<Int>] = [:]
    private var notes: [ChannelURL: [Note]] = [:]
    private var channelLosses: [ChannelURL: Int] = [:]
    /// When something was last told of a channel, while requests are on their way.
    private var channelNotes: [ChannelURL: Int] = [:]
    private(set) var openCount = 0

    /// Notes that a request is being made.
    mutating func begin(in channelURL: ChannelURL?, isFollowed: Bool) -> Flight {
        count += 1
        openCount += 1
        if let channelURL { open[channelURL, default: []].insert(count) }
        return Flight(
            number: count, loss: losses, channelLoss: channelURL.flatMap { channelLosses[$0] } ?? 0,
            channelURL: channelURL, isFollowed: isFollowed)
    }

    /// Notes that a request has its answer, or will have none.
    ///
    /// - Returns: What became known since; `nil` if the answer is void.
    mutating func end(_ flight: Flight) -> News? {
        openCount -= 1
        var news = News(isFollowed: flight.isFollowed)
        news.channels = Set(channelNotes.filter { $0.value > flight.number }.keys)
        if openCount == 0 { channelNotes = [:] }
        guard let url = flight.channelURL else { return flight.loss == losses ? news : nil }
        let isValid = isValid(flight)
        for note in notes[url] ?? [] where note.number > flight.number && isValid {
            news.touched.insert(note.id)
            switch note.what {
            case .touched:
                news.saved.insert(note.id)
                news.deleted.remove(note.id)
            case .deleted:
                news.deleted.insert(note.id)
                news.events[note.id] = nil
            case .told(let event): news.events[note.id, default: []].append(event)
            }
        }
        open[url]?.remove(flight.number)
        if open[url]?.isEmpty ?? true {
            open[url] = nil
            notes[url] = nil
            channelLosses[url] = nil
        }
        return isValid ? news : nil
    }

    /// Whether the answer of a request is of any use.
    private func isValid(_ flight: Flight) -> Bool {
        flight.loss == losses
            && flight.channelURL.map { channelLosses[$0] ?? 0 == flight.channelLoss } ?? true
    }

    /// Whether any request about a channel is on its way.
    func isAsking(about url: ChannelURL) -> Bool { open[url] != nil }

    /// Makes what is asked about a channel void.
    mutating func void(_ url: ChannelURL) {
        guard open[url] != nil else { return }
        count += 1
        channelLosses[url] = count
        notes[url] = nil
    }

    /// Makes all that is asked void.
    mutating func voidAll() {
        losses += 1
        notes = [:]
    }

    // MARK: Noting

    /// Notes that a message was saved.
    mutating func noteTouched(_ id: MessageID, in url: ChannelURL) { note(id, url, .touched) }

    /// Notes that a message was deleted.
    mutating func noteDeleted(_ id: MessageID, in url: ChannelURL) { note(id, url, .deleted) }

    /// Notes what was told of a message, held or not.
    mutating func note(_ event: FeedEvent, of id: MessageID, in url: ChannelURL) {
        note(id, url, .told(event))
    }

    /// Notes that a channel was saved or removed.
    mutating func noteChannel(_ url: ChannelURL) {
        guard openCount > 0 else { return }
        count += 1
        channelNotes[url] = count
    }

    private mutating func note(_ id: MessageID, _ url: ChannelURL, _ what: Note.What) {
        guard open[url] != nil else { return }
        if notes[url]?.count == Flights.limit { return void(url) }
        count += 1
        notes[url, default: []].append(Note(number: count, id: id, what: what))
    }
}
