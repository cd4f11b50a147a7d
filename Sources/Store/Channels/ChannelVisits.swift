import Models

/// A limit of the number of channels that a read of a list visits.
///
/// Reads on the main actor have one: the channels may be unsorted, and a filter may match few.
package struct ChannelVisits: Sendable {
    private(set) var remaining: Int

    /// The position at which a read has stopped because of the limit.
    package private(set) var stop: ChannelListPosition?

    /// Whether a read has returned nothing, because it needs ``ChatStore/sortChannels(for:)``.
    package internal(set) var needsSorting = false

    package init(_ count: Int) { remaining = count }

    package static let unlimited = ChannelVisits(.max)

    /// Counts a channel, and returns `false` if the read has to stop there.
    mutating func allowsMore(after key: KeyBytes, in query: GroupChannelListQuery?) -> Bool {
        remaining -= 1
        if remaining > 0 { return true }
        stop = query.map { ChannelListPosition(ofUnlabeledKey: key, in: $0) }
        return false
    }
}
