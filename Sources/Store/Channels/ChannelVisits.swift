import Models

/// A limit of the number of channels that a read of a list visits, whether or not the list contains
/// them.
///
/// Reading on the main actor has such a limit: the channels may not be sorted in the order of the
/// list yet, and a filter may match few of many channels.
package struct ChannelVisits: Sendable {
    /// The number of channels that may still be visited.
    private(set) var remaining: Int

    /// The position up to which a read has visited the list before it stopped because of the limit;
    /// `nil` if no read has reached the limit.
    package private(set) var stop: ChannelListPosition?

    /// A Boolean value that indicates whether a read has returned nothing because sorting the
    /// channels would have exceeded the limit.
    ///
    /// ``ChatStore/sortChannels(for:)`` sorts them, without a limit.
    package internal(set) var needsSorting = false

    /// Creates a limit of `count` channels.
    package init(_ count: Int) { remaining = count }

    /// No limit.
    package static let unlimited = ChannelVisits(.max)

    /// Counts a visited channel, and returns `false` if the read has to stop there.
    mutating func allowsMore(after key: KeyBytes, in query: GroupChannelListQuery?) -> Bool {
        remaining -= 1
        if remaining > 0 { return true }
        stop = query.map { ChannelListPosition(ofUnlabeledKey: key, in: $0) }
        return false
    }
}
