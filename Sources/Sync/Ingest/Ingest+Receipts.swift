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
        let ownTime = userID.flatMap { times[$0] }
        try changeChannel(url, channelSource(.eventReadReceiptUpdated)) { channel in
            channel.readReceipts = channel.readReceipts.raised(to: times)
            if let ownTime {
                channel.myLastRead = max(channel.myLastRead ?? .distantPast, ownTime)
            }
        }
    }

    private mutating func recordDelivered(
        _ times: [UserID: Timestamp], in url: ChannelURL
    ) throws(StoreError) {
        guard !times.isEmpty else { return }
        try changeChannel(url, channelSource(.eventDeliveryReceiptUpdated)) { channel in
            channel.deliveryReceipts = channel.deliveryReceipts.raised(to: times)
        }
    }
}

extension [UserID: Timestamp] {
    fileprivate mutating func raise(_ userID: UserID, to time: Timestamp) {
        self[userID] = Swift.max(self[userID] ?? .distantPast, time)
    }

    fileprivate func raised(to times: [UserID: Timestamp]) -> [UserID: Timestamp] {
        merging(times) { Swift.max($0, $1) }
    }
}
