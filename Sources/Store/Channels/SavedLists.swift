import Models

/// The first channels of each list, saved when the store is closed or suspended.
///
/// They make the first page of a long list available before all channels have been read and sorted.
/// All lists are in one row. The first write batch that changes a channel removes the row, so the
/// row is valid as long as it exists.
struct SavedLists {
    /// The first channels of a list.
    struct Beginning {
        let sorting: ChannelSorting
        /// The channel numbers, in order.
        var numbers: [ChannelNumber] = []
        /// A Boolean value that indicates whether `numbers` contains all channels of the list.
        var isWhole = true
    }

    /// The maximum number of channels saved for each list, enough for several pages.
    static let length = 100

    private(set) var beginnings: [Beginning] = []

    subscript(sorting: ChannelSorting) -> Beginning? {
        beginnings.first { $0.sorting == sorting }
    }

    mutating func add(_ beginning: Beginning) { beginnings.append(beginning) }
}

extension SavedLists.Beginning {
    /// Creates the first channels of a list.
    init(of list: SortedKeys, by sorting: ChannelSorting) {
        self.init(sorting: sorting)
        // swift-format-ignore: ReplaceForEachWithForLoop
        list.forEach { key in
            isWhole = numbers.count < SavedLists.length
            if isWhole { numbers.append(ChannelSorting.number(ofKey: key)) }
            return isWhole
        }
    }
}

// MARK: The row

extension SavedLists {
    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        while !reader.isAtEnd {
            var beginning = Beginning(sorting: try ChannelSorting(&reader))
            beginning.isWhole = try reader.byte() != 0
            for _ in 0..<(try reader.integer(UInt16.self)) {
                beginning.numbers.append(try reader.integer())
            }
            beginnings.append(beginning)
        }
    }

    /// On-disk format, DO NOT CHANGE.
    func write(_ writer: inout ByteWriter) {
        for beginning in beginnings {
            beginning.sorting.write(&writer)
            writer.byte(beginning.isWhole ? 1 : 0)
            writer.integer(UInt16(beginning.numbers.count))
            for number in beginning.numbers { writer.integer(number) }
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
            throw ByteReader.Damage(offset: start, expected: "the number of an order")
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
    /// Returns the saved lists, which are empty if none were saved or a channel has changed since.
    ///
    /// - Throws: Errors of the disk other than corruption. An unreadable row counts as missing.
    func savedLists() throws(StoreError) -> SavedLists {
        let key = ByteWriter.key { $0.schemaKey(.lists) }
        do throws(StoreError) {
            return try withValue(of: key) { (bytes) throws(StoreError) in
                guard let bytes else { return SavedLists() }
                var reader = ByteReader(bytes)
                return (try? SavedLists(&reader)) ?? SavedLists()
            }
        } catch {
            guard error.code == .corruption else { throw error }
            return SavedLists()
        }
    }
}

extension LevelDB {
    /// Removes the saved lists.
    func removeSavedLists() throws(StoreError) {
        let batch = Overlay()
        batch.remove { $0.schemaKey(.lists) }
        try write(batch, isDurable: true)
    }
}

// MARK: Saving them

extension ChatStore {
    /// Saves the first channels of the lists that were requested, before the files are closed.
    ///
    /// Errors are ignored: lists that were not saved are computed again.
    ///
    /// - Parameter writer: The writer. Its next write that changes a channel must remove the row.
    func saveLists(_ writer: inout Writer) {
        guard directory != nil, !cache.hasFailed, let version = try? version(),
            let saved = try? Rows(snapshot: version.cache).savedLists()
        else { return }
        let asked = version.latest.askedSortings
        if asked.allSatisfy({ saved[$0] != nil }) { return }
        var lists = SavedLists()
        let others = saved.beginnings.filter { !asked.contains($0.sorting) }
        for beginning in others.suffix(RecentLists.limit - asked.count) { lists.add(beginning) }
        for sorting in asked {
            if let beginning = saved[sorting] {
                lists.add(beginning)
            } else {
                guard let list = try? version.sorted(by: sorting) else { return }
                lists.add(SavedLists.Beginning(of: list, by: sorting))
            }
        }
        let batch = Overlay()
        batch.put({ $0.schemaKey(.lists) }, lists.write)
        writer.hasSavedLists = true
        try? cache.write(batch, isDurable: false)
    }
}

extension Batch {
    /// Removes the saved lists if the batch changes a channel.
    ///
    /// - Parameter isSaved: A Boolean value that indicates whether saved lists may exist. Set to
    ///   `false` if they are removed.
    func removeSavedLists(_ isSaved: inout Bool) {
        guard isSaved, !channelChanges.isEmpty || hasReplacedUnreadable else { return }
        rows.cache.remove { $0.schemaKey(.lists) }
        isSaved = false
        // Remember these lists, so that they are saved again on closing even if no reader requests
        // them.
        guard let saved = try? Rows(snapshot: version.cache).savedLists() else { return }
        version.latest.recordSaved(saved.beginnings.map(\.sorting))
    }
}
