import Models
import Store

/// Chooses what goes out of the cache: no store, no clock.
///
/// First what is kept no longer. Then, if there is too much, in the order of the channels: of each of them
/// all but its newest messages, so that it still opens from the cache; and if that was not enough, those too.
struct EvictionPlan {
    /// A channel, and what may not be taken from it.
    struct Candidate {
        var channel: CachedChannel
        /// How many of its oldest messages are kept no longer.
        var expiredCount = 0
        /// Whether its newest messages stay, since they would be fetched again at once.
        var keepsNewest = false
    }

    /// The channels from which something may go, those first that come first.
    var candidates: [Candidate]
    /// How many of its newest messages a channel keeps at first.
    var newestCount: Int
    /// How many bytes the cache takes.
    var size: Int
    /// How many bytes it should take, if it takes more than it may.
    var target: Int?
    /// How many messages there are in all, also those that may not go.
    var messageCount: Int

    /// What goes, and an estimate of what is left.
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
