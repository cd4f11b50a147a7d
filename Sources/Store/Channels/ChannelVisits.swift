import Models

/// A limit of the number of channels that a read of a list visits, whether or not the list contains
/// them.
///
/// Reads on the main actor have one: the channels may not be sorted in the order of the list yet,
/// and a filter may match few of them.
package struct ChannelVisits: Sendable {
    private(set) var remaining: Int

    /// The position at which a read has stopped because of the limit; `nil` if no read has reached
    /// it.
    package private(set) var stop: ChannelListPosition?

    /// A Boolean value that indicates whether a read has returned nothing, because
    /// ``ChatStore/sortChannels(for:)`` has to be called first.
    package internal(set) var needsSorting = false

    package init(_ count: Int) { remaining = count }

    package static let unlimited = ChannelVisits(.max)

    /// Counts a visited channel, and returns `false` if the read has to stop there.
    mutating func allowsMore(after key: KeyBytes, in query: GroupChannelListQuery?) -> Bool {
        remaining -= 1
        if remaining > 0 { return true }
        stop = query.map { ChannelListPosition(ofUnlabeledKey: key, in: $0) }
        return false
    }
}
