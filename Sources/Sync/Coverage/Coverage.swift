public import Models
public import Store

/// What is known of a channel's history, and what is not, from its beginning to its end.
public struct Coverage: Hashable, Sendable {
    /// The channel.
    public let channelURL: ChannelURL

    /// The stretches, the oldest first.
    ///
    /// Each begins where the one before ends. Two that follow each other are of different kinds, or a
    /// single message between them is known.
    public let stretches: [Stretch]

    /// A part of a history of which one thing can be said.
    public struct Stretch: Hashable, Sendable {
        /// What is known of it.
        public let kind: Kind

        /// Where it begins.
        ///
        /// A message there belongs to the stretch only if that is known.
        public let lower: Gap.Bound

        /// Where it ends.
        ///
        /// A message there belongs to the stretch only if that is known.
        public let upper: Gap.Bound

        /// How many messages are held strictly between its bounds.
        ///
        /// In a gap they are some that came without the others.
        public let messageCount: Int
    }

    /// What is known of a part of a history.
    public enum Kind: Hashable, Sendable, CaseIterable {
        /// All of its messages are held, as they are on the server as far as the feed has told.
        case known
        /// All of its messages were held once, and may have changed since.
        case stale
        /// What is in it is not known.
        case missing
    }

    /// Whether all of the history is known.
    public var isComplete: Bool { stretches.allSatisfy { $0.kind == .known } }
}

extension Coverage {
    init(of url: ChannelURL, in reader: some StoreReader) throws(StoreError) {
        let gaps = try reader.gaps(in: url)
        let stale = try reader.staleRanges(in: url)
        let bounds = Set(gaps.flatMap { [$0.lower, $0.upper] })
            .union(stale.flatMap { [$0.lower, $0.upper] })
            .union([.beginning, .end]).sorted()
        var stretches: [Stretch] = []
        for (lower, upper) in zip(bounds, bounds.dropFirst()) {
            let kind: Kind =
                if gaps.contains(where: { $0.lower < upper && lower < $0.upper }) {
                    .missing
                } else if stale.contains(where: { $0.lower < upper && lower < $0.upper }) {
                    .stale
                } else {
                    .known
                }
            // What lies at a bound is known, even between two gaps.
            let from =
                stretches.last.map { $0.kind == kind && kind != .missing } ?? false
                ? stretches.removeLast().lower : lower
            stretches.append(
                Stretch(
                    kind: kind, lower: from, upper: upper,
                    messageCount: try reader.messageCount(in: url, from: from, to: upper)))
        }
        self.init(channelURL: url, stretches: stretches)
    }
}

extension StoreReader {
    /// Returns what is known of a channel's history, and what is not.
    ///
    /// Of a channel that is not held, all is missing; that is no error.
    ///
    /// - Throws: ``/Store/StoreError`` with code `corruption` if a gap or a stale range cannot be decoded.
    /// - Complexity: O(*n*) in the messages that are held; decodes none.
    public func coverage(of url: ChannelURL) throws(StoreError) -> Coverage {
        try Coverage(of: url, in: self)
    }
}

extension Coverage: CustomStringConvertible {
    /// The stretches in one line, such as "~ 1700000000000/42 [3] 1700000002000/45 ? +∞": `~` for what
    /// is missing, `?` for what is stale, the number of messages in brackets for what is known.
    public var description: String {
        stretches.map { stretch in
            let mark =
                switch stretch.kind {
                case .known: "[\(stretch.messageCount)]"
                case .stale: "?"
                case .missing: "~"
                }
            return "\(mark) \(stretch.upper)"
        }.joined(separator: " ")
    }
}
