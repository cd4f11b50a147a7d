import Models

extension Migration {
    /// The migration to schema version 2, in which pins are in the outbox, like drafts, so that
    /// clearing the cache keeps them.
    ///
    /// In version 1, the lowest bit of the last byte of a channel's state was 1 if the channel was
    /// pinned.
    static let pins = Migration(to: 2) { (cache, outbox, tell) throws(StoreError) in
        let pinned = try Rows(snapshot: try cache.snapshot()).pinsOfVersion1()
        var done = 0
        while done < pinned.count {
            let part = pinned[done..<min(done + pinsOfABatch, pinned.count)]
            let (pins, states) = (Overlay(), Overlay())
            for row in part {
                if let url = row.url { pins.put({ $0.pinKey(url) }, { _ in }) }
                states.put({ $0.raw(row.key) }, { $0.raw(row.state) })
            }
            // If the process ends between the two writes, the migration runs again and writes the
            // same pins.
            try outbox.write(pins, isDurable: true)
            try cache.write(states, isDurable: true)
            done += part.count
            tell(Double(done) / Double(pinned.count))
        }
    }

    /// The number of pins that one batch moves.
    private static let pinsOfABatch = 100
}

extension Rows {
    /// Returns the states of the pinned channels, in which the pin's bit is cleared, and the URLs
    /// of these channels.
    ///
    /// As in version 1, a state that cannot be decoded counts as not pinned. The URL is `nil` if
    /// the number no longer belongs to a channel.
    fileprivate func pinsOfVersion1() throws(StoreError) -> [(
        key: KeyBytes, state: [UInt8], url: ChannelURL?
    )] {
        var found: [(key: KeyBytes, state: [UInt8], url: ChannelURL?)] = []
        try scan(KeyRange(prefix: [Table.state.rawValue])) { (key, value) throws(StoreError) in
            guard let number = readableNumber(ofKey: key), (try? state(value)) != nil,
                let flags = value.last, flags & 1 != 0
            else { return true }
            let unpinned = Array(value.dropLast()) + [flags & ~1]
            found.append((KeyBytes(key), unpinned, try urls(of: [number]).first))
            return true
        }
        return found
    }
}
