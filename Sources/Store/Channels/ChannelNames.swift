import Models

/// A cache of the numbers of channels by URL, in the current commit and in earlier ones.
///
/// The first read of a number caches it. When a channel is cleared or removed, its number changes,
/// and the cache keeps the old number for readers of earlier commits.
final class ChannelNames: Sendable {
    private struct Meaning {
        let since: Int
        let number: ChannelNumber?
    }

    /// The current number of a URL, the first commit with this number, and the earlier numbers.
    private struct Meanings {
        var latest: Meaning
        var older: [Meaning] = []

        /// Returns the cached number in a commit.
        ///
        /// The outer optional is `nil` if the number in that commit is not cached; the inner one is
        /// `nil` if the channel was then unknown.
        func number(asOf commit: Int) -> ChannelNumber?? {
            if latest.since <= commit { return latest.number }
            return older.last { $0.since <= commit }.map(\.number)
        }

        mutating func append(_ meaning: Meaning) {
            older.append(latest)
            latest = meaning
        }
    }

    private let meanings = Locked<[ChannelURL: Meanings]>([:])

    /// Returns the number in a commit; `nil` if the channel is unknown.
    func number(
        of url: ChannelURL, asOf commit: Int, in rows: Rows
    ) throws(StoreError) -> ChannelNumber? {
        if let known = meanings.withLock({ $0[url]?.number(asOf: commit) }) { return known }
        guard let number = try rows.storedNumber(of: url) else { return nil }
        meanings.withLock { meanings in
            // The writer may have recorded a newer number in the meantime, which must stay.
            if meanings[url] == nil {
                meanings[url] = Meanings(latest: Meaning(since: 0, number: number))
            }
        }
        return number
    }

    /// Records the number of a channel after a commit.
    ///
    /// `old` is the number before the commit; `nil` if the channel was unknown.
    func record(
        _ number: ChannelNumber?, of url: ChannelURL, insteadOf old: ChannelNumber?,
        since commit: Int
    ) {
        meanings.withLock { meanings in
            meanings[url, default: Meanings(latest: Meaning(since: 0, number: old))]
                .append(Meaning(since: commit, number: number))
        }
    }
}

extension Rows {
    /// Returns the number in the name row of a channel; `nil` if the row is missing or damaged.
    ///
    /// A damaged row may contain the number of another channel. The channel then counts as unknown,
    /// so that it does not read or write the rows of the other channel.
    func storedNumber(of url: ChannelURL) throws(StoreError) -> ChannelNumber? {
        let number: ChannelNumber? = try read(
            ByteWriter.key { $0.nameKey(url) }, as: "the number of channel \(url)"
        ) { (reader) throws(ByteReader.Damage) in try reader.integer() }
        guard let number, ChannelNumber.given ~= number else { return nil }
        return try isNamed(number, url) ? number : nil
    }

    /// Returns a Boolean value that indicates whether the URL row of a number is missing or
    /// contains this URL.
    private func isNamed(
        _ number: ChannelNumber, _ url: ChannelURL
    ) throws(StoreError) -> Bool {
        try withValue(of: ByteWriter.key { $0.table(.url, number) }) {
            (value) throws(StoreError) in
            value.map { $0.elementsEqual(url.rawValue.utf8) } ?? true
        }
    }
}
