import Models

/// How lists of channels begin, as they did when the store was closed.
///
/// So that the first page of a list of thousands is there before anybody has read them all to sort them. One
/// row, which the first batch removes that changes a channel: as long as it is there, it is right.
struct SavedLists {
    /// The beginning of a list.
    struct Beginning {
        let sorting: ChannelSorting
        var keys: [KeyBytes] = []
        /// Whether these are all channels there are.
        var isWhole = true
    }

    /// How many channels of each list are saved: some pages.
    static let length = 100
    /// The most bytes of them; texts that lists are sorted by may be long.
    private static let size = 64 << 10

    private(set) var beginnings: [Beginning] = []

    /// Whether all of some orders are there.
    func has(_ sortings: [ChannelSorting]) -> Bool {
        sortings.allSatisfy { sorting in beginnings.contains { $0.sorting == sorting } }
    }

    /// Takes in how a list begins.
    mutating func add(_ list: SortedKeys, by sorting: ChannelSorting) {
        var beginning = Beginning(sorting: sorting)
        var size = 0
        // swift-format-ignore: ReplaceForEachWithForLoop
        list.forEach { key in
            size += key.count
            beginning.isWhole =
                beginning.keys.count < SavedLists.length && size <= SavedLists.size
            if beginning.isWhole { beginning.keys.append(KeyBytes(key)) }
            return beginning.isWhole
        }
        beginnings.append(beginning)
    }
}

// MARK: The row

extension SavedLists {
    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        while !reader.isAtEnd {
            var beginning = Beginning(sorting: try ChannelSorting(&reader))
            beginning.isWhole = try reader.byte() != 0
            for _ in 0..<(try reader.integer(UInt16.self)) {
                let count = Int(try reader.integer(UInt32.self))
                beginning.keys.append(try reader.raw(count))
            }
            beginnings.append(beginning)
        }
    }

    /// DO NOT CHANGE: on people's disks.
    func write(_ writer: inout ByteWriter) {
        for beginning in beginnings {
            beginning.sorting.write(&writer)
            writer.byte(beginning.isWhole ? 1 : 0)
            writer.integer(UInt16(beginning.keys.count))
            for key in beginning.keys {
                writer.integer(UInt32(key.count))
                writer.raw(key)
            }
        }
    }
}

extension ChannelSorting {
    private static let openMark: UInt8 = 0xFF

    fileprivate init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        let start = reader.offset
        let mark = try reader.byte()
        if mark == ChannelSorting.openMark {
            self = .open
            return
        }
        guard let order = GroupChannelListOrder(rawValue: Int(mark)) else {
            throw ByteReader.Damage(offset: start, expected: "an order")
        }
        self = .group(order, metaDataKey: try reader.optional())
    }

    fileprivate func write(_ writer: inout ByteWriter) {
        switch self {
        case .open: writer.byte(ChannelSorting.openMark)
        case .group(let order, let metaDataKey):
            writer.byte(UInt8(order.rawValue))
            writer.optional(metaDataKey)
        }
    }
}

extension Rows {
    /// How lists begin; none where that was not saved, or a channel has changed since.
    func savedLists() throws(StoreError) -> SavedLists {
        let key = ByteWriter.key { $0.schemaKey(.lists) }
        return try withValue(of: key) { (bytes) throws(StoreError) in
            guard let bytes else { return SavedLists() }
            var reader = ByteReader(bytes)
            // What cannot be read is made anew.
            return (try? SavedLists(&reader)) ?? SavedLists()
        }
    }
}

// MARK: Saving them

extension ChatStore {
    /// Saves how the lists begin that were asked for; who holds the writer's lock calls it before the files
    /// are let go of.
    ///
    /// Best effort: what is not saved is made anew.
    func saveLists() {
        guard directory != nil, !cache.hasFailed, let version = try? version() else { return }
        let sortings = version.latest.askedSortings
        guard !sortings.isEmpty,
            let saved = try? Rows(snapshot: version.cache).savedLists(), !saved.has(sortings)
        else { return }
        var lists = SavedLists()
        for sorting in sortings {
            guard let list = try? version.sorted(by: sorting) else { return }
            lists.add(list, by: sorting)
        }
        let batch = Overlay()
        batch.put({ $0.schemaKey(.lists) }, lists.write)
        try? cache.write(batch, isDurable: false)
    }
}

extension Batch {
    /// Removes how lists begin, where the batch changes a channel.
    ///
    /// - Parameter isSaved: Whether that may be there; not afterwards.
    /// - Throws: What the disk says.
    func removeSavedLists(_ isSaved: inout Bool) throws(StoreError) {
        let changesChannels = !channelChanges.isEmpty || hasReplacedUnreadable || hasCleared
        guard isSaved, changesChannels else { return }
        // They are to be saved again.
        for beginning in try Rows(snapshot: version.cache).savedLists().beginnings {
            version.latest.noteAsked(beginning.sorting)
        }
        rows.cache.remove { $0.schemaKey(.lists) }
        isSaved = false
    }
}
