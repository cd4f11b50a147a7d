import Models

/// Which number stands for a channel's URL, after which commit.
///
/// Remembers what it has read. A number changes only when a channel is cleared or removed, so a
/// reader that looks at an older commit finds the older number here too.
final class ChannelNames: Sendable {
    private struct Meaning {
        let since: Int
        let number: ChannelNumber?
    }

    /// What a URL stands for, and what it stood for before; that is nothing but for few.
    private struct Meanings {
        var latest: Meaning
        var older: [Meaning] = []

        /// `nil` if nothing is known of that commit.
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

    /// The number as of a commit; `nil` if the store does not know the channel.
    func number(
        of url: ChannelURL, asOf commit: Int, in rows: Rows
    ) throws(StoreError) -> ChannelNumber? {
        if let known = meanings.withLock({ $0[url]?.number(asOf: commit) }) { return known }
        guard let number = try rows.storedNumber(of: url) else { return nil }
        meanings.withLock { meanings in
            // Unless the writer was here meanwhile, and knows better.
            if meanings[url] == nil {
                meanings[url] = Meanings(latest: Meaning(since: 0, number: number))
            }
        }
        return number
    }

    /// Takes over what a commit did.
    ///
    /// `old` is what the number was before; `nil` if the channel was not known.
    func note(
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
    func storedNumber(of url: ChannelURL) throws(StoreError) -> ChannelNumber? {
        try read(ByteWriter.key { $0.nameKey(url) }, as: "the number of channel \(url)") {
            (reader) throws(ByteReader.Damage) in try reader.integer()
        }
    }
}
