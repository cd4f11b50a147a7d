import Models
import Store

/// The receipts of consecutive events of the feed, by channel.
///
/// Another server can send receipts of any number of users, and saving a channel takes memory in
/// proportion to all its receipts.
struct PendingReceipts {
    private(set) var channels: [ChannelURL] = []
    private(set) var read: [ChannelURL: [UserID: Timestamp]] = [:]
    private(set) var delivered: [ChannelURL: [UserID: Timestamp]] = [:]

    /// Adds the receipt of an event, and returns whether the event is one.
    mutating func add(_ event: FeedEvent) -> Bool {
        switch event {
        case .read(let userID, let url, let time):
            record(url)
            read[url, default: [:]].raise(userID, to: time)
        case .delivered(let userID, let url, let time):
            record(url)
            delivered[url, default: [:]].raise(userID, to: time)
        default: return false
        }
        return true
    }

    private mutating func record(_ url: ChannelURL) {
        if read[url] == nil && delivered[url] == nil { channels.append(url) }
    }
}

extension Ingest {
    /// Applies receipts, and saves each channel at most once for each kind.
    mutating func apply(_ receipts: PendingReceipts) throws(StoreError) {
        for url in receipts.channels {
            do throws(StoreError) {
                try recordRead(receipts.read[url] ?? [:], in: url)
                try recordDelivered(receipts.delivered[url] ?? [:], in: url)
            } catch {
                // Otherwise, the feed's cursor could never be stored.
                guard error.code == .invalid else { throw error }
            }
        }
    }

    private mutating func recordRead(
        _ times: [UserID: Timestamp], in url: ChannelURL
    ) throws(StoreError) {
        guard !times.isEmpty else { return }
        let me = userID
        let ownTime = me.flatMap { times[$0] }
        try changeChannel(url, channelSource(.eventReadReceiptUpdated)) { channel in
            channel.readReceipts = channel.readReceipts.raised(to: times, of: me)
            if let ownTime {
                channel.myLastRead = max(channel.myLastRead ?? .distantPast, ownTime)
            }
        }
    }

    private mutating func recordDelivered(
        _ times: [UserID: Timestamp], in url: ChannelURL
    ) throws(StoreError) {
        guard !times.isEmpty else { return }
        let me = userID
        try changeChannel(url, channelSource(.eventDeliveryReceiptUpdated)) { channel in
            channel.deliveryReceipts = channel.deliveryReceipts.raised(to: times, of: me)
        }
    }
}

extension [UserID: Timestamp] {
    fileprivate mutating func raise(_ userID: UserID, to time: Timestamp) {
        self[userID] = Swift.max(self[userID] ?? .distantPast, time)
    }

    /// A server may report receipts of any number of users.
    private static let limit = 5_000

    /// Returns the later of both times of each user.
    ///
    /// New users are added up to a limit, the latest first, and `me` in any case.
    fileprivate func raised(to times: [UserID: Timestamp], of me: UserID?) -> [UserID: Timestamp] {
        var result = self
        var new: [(user: UserID, time: Timestamp)] = []
        for (user, time) in times {
            if self[user] != nil || user == me {
                result.raise(user, to: time)
            } else {
                new.append((user, time))
            }
        }
        let room = Swift.max(0, Self.limit - result.count)
        if new.count > room { new.sort { ($1.time, $1.user) < ($0.time, $0.user) } }
        for (user, time) in new.prefix(room) { result[user] = time }
        return result
    }
}
