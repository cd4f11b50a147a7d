import Models
import Store

/// Decides which messages are evicted from the cache, without access to a store or a clock.
///
/// 1. Messages beyond their retention time are evicted.
/// 2. While the cache is too large, each channel in turn loses all messages except the newest ones,
///    with which it can still be shown.
/// 3. If the cache is still too large, the channels in turn also lose their newest messages.
struct EvictionPlan {
    struct Candidate {
        var channel: CachedChannel
        var expiredCount = 0
        /// True if the engine would immediately fetch the newest messages again.
        var keepsNewest = false
    }

    /// The channels whose messages can be evicted, in the order of eviction.
    var candidates: [Candidate]
    /// The number of newest messages that a channel keeps in the second step.
    var newestCount: Int
    var size: Int
    /// The size in bytes to reduce the cache to; `nil` if the cache does not exceed its maximum.
    var target: Int?
    /// The total number of messages, including those that cannot be evicted.
    var messageCount: Int

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
