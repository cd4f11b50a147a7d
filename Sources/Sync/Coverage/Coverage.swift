public import Models
public import Store

/// The known, stale and missing ranges of a channel's history.
public struct Coverage: Hashable, Sendable {
    /// The channel's URL.
    public let channelURL: ChannelURL

    /// The ranges of the whole history, contiguous and oldest first.
    ///
    /// Adjacent ranges have different kinds, unless a single known message separates them.
    public let parts: [Part]

    /// A range of the history with one kind of coverage.
    public struct Part: Hashable, Sendable {
        /// The kind of coverage.
        public let kind: Kind

        /// The lower bound, at which a message belongs to the range only if the range is known.
        public let lower: Gap.Bound

        /// The upper bound, at which the same rule applies.
        public let upper: Gap.Bound

        /// The number of stored messages between the bounds, excluding those at the bounds.
        ///
        /// In a missing range, these messages arrived alone, for example by a push.
        public let messageCount: Int
    }

    /// A kind of coverage.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// All messages of the range are stored, with all changes that the feed has reported.
        case known
        /// All messages of the range were stored at some time, and may have changed since.
        case stale
        /// The messages of the range are unknown.
        case missing
    }

    /// True if the whole history is known.
    public var isComplete: Bool { parts.allSatisfy { $0.kind == .known } }
}

extension StoreReader {
    /// Returns the coverage of a channel's history, all of which is missing if the channel is not
    /// stored.
    ///
    /// - Throws: ``/Store/StoreError`` with code `corruption` if a gap or a stale range cannot be
    ///   decoded.
    /// - Complexity: O(*n*) in the number of stored messages, none of which are decoded.
    public func coverage(of url: ChannelURL) throws(StoreError) -> Coverage {
        let gaps = try gaps(in: url)
        let stale = try staleRanges(in: url)
        let bounds = Set(gaps.flatMap { [$0.lower, $0.upper] })
            .union(stale.flatMap { [$0.lower, $0.upper] })
            .union([.beginning, .end]).sorted()
        var parts: [Coverage.Part] = []
        for (lower, upper) in zip(bounds, bounds.dropFirst()) {
            let kind: Coverage.Kind =
                if gaps.contains(where: { $0.lower < upper && lower < $0.upper }) {
                    .missing
                } else if stale.contains(where: { $0.lower < upper && lower < $0.upper }) {
                    .stale
                } else {
                    .known
                }
            // A message at a bound is known, even if there is a gap on both sides of it.
            let from =
                parts.last.map { $0.kind == kind && kind != .missing } ?? false
                ? parts.removeLast().lower : lower
            parts.append(
                Coverage.Part(
                    kind: kind, lower: from, upper: upper,
                    messageCount: try messageCount(in: url, from: from, to: upper)))
        }
        return Coverage(channelURL: url, parts: parts)
    }
}

extension Coverage: CustomStringConvertible {
    /// The ranges in one line, such as "~ 1700000000000/42 [3] 1700000002000/45 ? +∞": `~` is a
    /// missing range, `?` a stale one, and `[3]` a known one with three messages.
    public var description: String {
        parts.map { part in
            let mark =
                switch part.kind {
                case .known: "[\(part.messageCount)]"
                case .stale: "?"
                case .missing: "~"
                }
            return "\(mark) \(part.upper)"
        }.joined(separator: " ")
    }
}
