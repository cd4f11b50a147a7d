package import Models

/// The first channels of each list, saved when the store is closed or suspended.
///
/// They give the first page of a long list without reading and sorting all channels. The first
/// batch that changes a channel marks them as outdated in the same commit. The orders of outdated
/// lists are kept, so that closing the store saves them again.
struct SavedLists {
    struct Beginning {
        let sorting: ChannelSorting
        /// The channel numbers, in order; `nil` if a channel has changed since the list was saved.
        var numbers: [ChannelNumber]?
    }

    /// The number of channels saved for each list: several pages.
    static let length = 100

    var beginnings: [Beginning] = []

    subscript(sorting: ChannelSorting) -> [ChannelNumber]? {
        beginnings.first { $0.sorting == sorting }?.numbers
    }

    static func beginning(of list: SortedKeys) -> [ChannelNumber] {
        list.keys.prefix(length).map(ChannelSorting.number)
    }
}

// MARK: The row

extension SavedLists {
    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        while !reader.isAtEnd {
            let sorting = try ChannelSorting(&reader)
            let isCurrent = try reader.byte() != 0
            var numbers: [ChannelNumber] = []
            for _ in 0..<(try reader.integer(UInt16.self)) { numbers.append(try reader.integer()) }
            beginnings.append(Beginning(sorting: sorting, numbers: isCurrent ? numbers : nil))
        }
    }

    /// On-disk format, DO NOT CHANGE.
    func write(_ writer: inout ByteWriter) {
        for beginning in beginnings {
            beginning.sorting.write(&writer)
            writer.byte(beginning.numbers == nil ? 0 : 1)
            let numbers = beginning.numbers ?? []
            writer.integer(UInt16(numbers.count))
            for number in numbers { writer.integer(number) }
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
        let orders = GroupChannelListOrder.allCases
        guard orders.indices.contains(Int(mark)) else {
            throw ByteReader.Damage(offset: start, expected: "the number of an order")
        }
        self = .group(orders[Int(mark)], metaDataKey: try reader.optional())
    }

    fileprivate func write(_ writer: inout ByteWriter) {
        switch self {
        case .open: writer.byte(ChannelSorting.openMark)
        case .group(let order, let metaDataKey):
            writer.byte(UInt8(GroupChannelListOrder.allCases.firstIndex(of: order) ?? 0))
            writer.optional(metaDataKey)
        }
    }
}

extension Rows {
    /// Returns the saved lists; an unreadable row counts as missing.
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

extension ChatStore {
    /// Saves the first channels of the requested lists.
    ///
    /// Errors are ignored: lists that are not saved are computed again.
    func saveLists(_ writer: inout Writer) {
        guard directory != nil, !cache.hasFailed, let committed = try? committed(),
            let saved = try? Rows(snapshot: committed.cache).savedLists()
        else { return }
        // Keep lists of which only the saved channels were read.
        let made = committed.derived.withLock { $0.lists.map(\.sorting) }
        let sortings = made + saved.beginnings.map(\.sorting).filter { !made.contains($0) }
        if sortings.allSatisfy({ saved[$0] != nil }) { return }
        var lists = SavedLists()
        for sorting in sortings.prefix(DerivedValues.listLimit) {
            let numbers =
                saved[sorting] ?? (try? committed.sorted(by: sorting)).map(SavedLists.beginning)
            guard let numbers else { return }
            lists.beginnings.append(SavedLists.Beginning(sorting: sorting, numbers: numbers))
        }
        let batch = Overlay()
        batch.put({ $0.schemaKey(.lists) }, lists.write)
        writer.hasSavedLists = true
        try? cache.write(batch, isDurable: false)
    }
}

extension ChatStore {
    /// Sorts each list whose saved beginning is outdated, as after a crash, before the main actor
    /// reads one; reading the list reports errors.
    package func sortOutdatedLists() {
        guard let committed = try? committed(),
            let saved = try? Rows(snapshot: committed.cache).savedLists()
        else { return }
        for list in saved.beginnings where list.numbers == nil {
            // The committed state keeps the sorted list.
            _ = try? committed.sorted(by: list.sorting)
        }
    }
}

extension ChatStore {
    /// Sorts all channels in the order of a query, so that a limited number of visits reads a page.
    package func sortChannels(for query: GroupChannelListQuery) throws(StoreError) {
        // A commit meanwhile would take over the lists without this one.
        try writer.withLock { _ throws(StoreError) in
            _ = try committed().sorted(by: ChannelSorting(query))
        }
    }
}

extension Batch {
    /// Marks the saved lists as outdated if the batch changes a channel, and sets `isSaved` to
    /// `false`.
    func outdateSavedLists(_ isSaved: inout Bool) {
        guard isSaved, !channelChanges.isEmpty || rows.hasClearedAll else { return }
        isSaved = false
        let saved = (try? Rows(snapshot: committed.cache).savedLists()) ?? SavedLists()
        if saved.beginnings.isEmpty { return rows.cache.remove { $0.schemaKey(.lists) } }
        var lists = SavedLists()
        for beginning in saved.beginnings {
            lists.beginnings.append(SavedLists.Beginning(sorting: beginning.sorting))
        }
        rows.cache.put({ $0.schemaKey(.lists) }, lists.write)
    }
}
