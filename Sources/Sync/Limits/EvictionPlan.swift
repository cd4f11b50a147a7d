import Models
import Store

/// Decides which messages are evicted from the cache, in this order.
///
/// 1. Messages beyond their retention time.
/// 2. While the cache is too large, all messages of each channel in turn, except the newest ones,
///    with which it can still be shown.
/// 3. If the cache is still too large, the newest messages of the channels in turn.
struct EvictionPlan {
    struct Candidate {
        var channel: CachedChannel
        var expiredCount = 0
        /// True if the engine would immediately fetch the newest messages again.
        var keepsNewest = false
    }

    var candidates: [Candidate]
    /// The number of newest messages that a channel keeps in the second step.
    var newestCount: Int
    var size: Int
    /// The size in bytes to reach; `nil` if the cache does not exceed its maximum.
    var target: Int?
    var messageCount: Int

    var eviction: Eviction {
        var eviction = Eviction(sizeBefore: size, sizeAfter: size)
        let bytesPerMessage = messageCount > 0 ? Double(size) / Double(messageCount) : 0
        var left = candidates.map(\.channel.messageCount)
        var wanted = target.map { target in
            bytesPerMessage > 0
                ? Int(clamping: (Double(size - target) / bytesPerMessage).rounded(.up)) : 0
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
        eviction.sizeAfter = max(0, size - Int(clamping: Double(removed) * bytesPerMessage))
        return eviction
    }
}

extension Int {
    /// The size of a sparse file, and thus of the cache, may be any number.
    fileprivate init(clamping value: Double) {
        self = Int(exactly: value.rounded(.towardZero)) ?? (value < 0 ? .min : .max)
    }
}
