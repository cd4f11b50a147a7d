import Models
import Store

/// Decides which messages are evicted from the cache, without access to a store or a clock.
///
/// Messages beyond their retention are evicted first. If the cache is still too large, each
/// channel, in order, loses all messages except the newest ones, so that it can still be shown from
/// the cache. If that is not enough, the channels lose their newest messages, too.
struct EvictionPlan {
    /// A channel, and the limits of its eviction.
    struct Candidate {
        var channel: CachedChannel
        /// The number of its oldest messages beyond their retention.
        var expiredCount = 0
        /// A Boolean value that indicates whether its newest messages are kept, because they would
        /// be fetched again immediately.
        var keepsNewest = false
    }

    /// The channels whose messages can be evicted, in order.
    var candidates: [Candidate]
    /// The number of newest messages that a channel keeps at first.
    var newestCount: Int
    /// The size of the cache in bytes.
    var size: Int
    /// The target size in bytes; `nil` if the cache does not exceed its maximum.
    var target: Int?
    /// The total number of messages, including those that cannot be evicted.
    var messageCount: Int

    /// The messages to evict, with an estimate of the remaining size.
    var eviction: Eviction {
        var eviction = Eviction(sizeBefore: size, sizeAfter: size)
        let bytesPerMessage = messageCount > 0 ? Double(size) / Double(messageCount) : 0
        var left = candidates.map(\.channel.messageCount)
        var wanted = target.map { target in
            bytesPerMessage > 0 ? Int((Double(size - target) / bytesPerMessage).rounded(.up)) : 0
        }
        var removed = 0
        func remove(_ count: Int, _ index: Int, _ reason: Eviction.Reason) {
            guard count > 0 else { return }
            left[index] -= count
            removed += count
            wanted = wanted.map { $0 - count }
            let url = candidates[index].channel.url
            eviction.parts.append(
                Eviction.Part(channelURL: url, messageCount: count, reason: reason))
        }
        for (index, candidate) in candidates.enumerated() {
            remove(min(candidate.expiredCount, left[index]), index, .retention)
        }
        for kept in [newestCount, 0] {
            for (index, candidate) in candidates.enumerated() {
                guard let count = wanted, count > 0 else { break }
                if kept < newestCount && candidate.keepsNewest { continue }
                remove(min(count, left[index] - kept), index, .size)
            }
        }
        eviction.sizeAfter = max(0, size - Int(Double(removed) * bytesPerMessage))
        return eviction
    }
}
