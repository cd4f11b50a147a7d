public import Models

/// The local labels of a channel, such as "pinned", "archived" or the name of a folder, and its
/// local sort key.
///
/// Labels are stored on this device only, with the outbox. The server never changes them, and they
/// stay when the channel or the cache is removed. A ``/Models/GroupChannelListQuery`` filters by
/// labels, and can list the channels with a label first.
public struct ChannelLabels: Codable, Hashable, Sendable {
    /// The labels.
    public var labels: Set<String>

    /// The text that orders the channels with the label
    /// ``/Models/GroupChannelListQuery/labelListedFirst``, by its bytes; channels without one
    /// follow.
    public var sortKey: String?

    /// Creates labels.
    public init(_ labels: Set<String> = [], sortKey: String? = nil) {
        (self.labels, self.sortKey) = (labels, sortKey)
    }

    /// Whether there are neither labels nor a sort key.
    public var isEmpty: Bool { labels.isEmpty && sortKey == nil }

    /// On-disk format, do not change: the table of the labels, with a row for each channel that has
    /// any.
    package static let table = StoreTable<ChannelURL, ChannelLabels>("scrollback.labels")

    private enum CodingKeys: String, CodingKey { case labels, sortKey }

    /// Decodes labels.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        labels = Set(try values.decode([String].self, forKey: .labels))
        sortKey = try values.decodeIfPresent(String.self, forKey: .sortKey)
    }

    /// Encodes labels, in the order of their bytes.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(labels.sorted { $0.precedesByBytes($1) }, forKey: .labels)
        try values.encodeIfPresent(sortKey, forKey: .sortKey)
    }
}

extension StoreReader {
    /// Returns the local labels of a channel; empty if it has none.
    ///
    /// - Throws: `unreadableValue` if the labels cannot be decoded.
    public func labels(of url: ChannelURL) throws(StoreError) -> ChannelLabels {
        try value(for: url, in: ChannelLabels.table) ?? ChannelLabels()
    }

    /// Returns the labels of all channels that have any, except undecodable ones.
    public func channelLabels() throws(StoreError) -> [ChannelURL: ChannelLabels] {
        Dictionary(
            try values(in: ChannelLabels.table).map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }
        )
    }
}

extension Batch {
    /// Durably sets the local labels of a channel, which need not be stored.
    ///
    /// - Throws: `invalid` if the URL is empty, or if the URL or the labels are too long.
    public func setLabels(_ labels: ChannelLabels, of url: ChannelURL) throws(StoreError) {
        guard !url.rawValue.isEmpty else {
            throw StoreError(.invalid, "the labels to save have no channel", path: outbox.path)
        }
        if labels.isEmpty {
            try removeValue(for: url, in: ChannelLabels.table)
        } else {
            try put(labels, for: url, in: ChannelLabels.table)
        }
    }

    func recordLabels(_ key: KeyBytes, _ value: [UInt8]?) throws(StoreError) {
        guard let url = key.withBytes({ ChannelLabels.table.key(ofRow: $0) }) else { return }
        let labels = value?.withBytes { bytes in
            // Reading the labels reports the error.
            try? ChannelLabels.table.value(bytes, of: url, path: outbox.path)
        }
        let number = try number(of: url)
        let channel: GroupChannel? =
            if let number {
                try cache.readableRecord(ByteWriter.key { $0.table(.groupChannel, number) })
            } else { nil }
        record(.savedLabels(labels ?? ChannelLabels(), of: url, channel), .localLabelsUpdated)
    }
}

// MARK: Lists

extension ChannelLabels {
    /// Returns whether these labels pass the query's filters.
    package func belong(to query: GroupChannelListQuery) -> Bool {
        let (included, excluded) = (query.labelsFilter, query.excludedLabelsFilter)
        return (included.isEmpty || included.contains(where: labels.contains))
            && !excluded.contains(where: labels.contains)
    }

    fileprivate func areFirst(in query: GroupChannelListQuery) -> Bool {
        query.labelListedFirst.map(labels.contains) ?? false
    }

    /// Writes the beginning of a channel's position: channels with the label of the query come
    /// first, in the order of their sort keys; all others have the same beginning.
    func writePosition(in query: GroupChannelListQuery, to key: inout ByteWriter) {
        guard query.labelListedFirst != nil else { return }
        guard areFirst(in: query) else { return key.byte(1) }
        key.byte(0)
        key.byte(sortKey == nil ? 1 : 0)
        if let sortKey { key.terminated(sortKey) }
    }
}

extension ChannelListPosition {
    /// Creates the position of a channel that the query does not list first because of a label.
    init(ofUnlabeledKey key: KeyBytes, in query: GroupChannelListQuery) {
        self.init(
            key: ByteWriter.key {
                ChannelLabels().writePosition(in: query, to: &$0)
                $0.raw(ChannelSorting.withHighestNumber(key))
            })
    }

    /// The sort key after which the channels without the label of the query follow this position;
    /// `nil` if all of them do.
    fileprivate func sortKeyWithoutLabel(of query: GroupChannelListQuery) -> KeyBytes? {
        guard query.labelListedFirst != nil else { return key }
        return key.first == 1 ? KeyBytes(key.dropFirst()) : nil
    }
}

extension StoreReader {
    /// Returns a list that depends on labels.
    ///
    /// The store keeps no such list, so labels and lists cannot contradict each other. The channels
    /// with a label of the query are read one by one and sorted. The others follow in the order of
    /// the query.
    func labeledChannels(
        matching query: GroupChannelListQuery, after position: ChannelListPosition?, limit: Int?,
        currentUserID: UserID?, visiting visits: inout ChannelVisits
    ) throws(StoreError) -> [GroupChannel] {
        let view = try view
        let all = try OneCommit(view: view).channelLabels()
        let hasOnlyLabeled = !query.labelsFilter.isEmpty
        func labels(_ url: ChannelURL) -> ChannelLabels { all[url] ?? ChannelLabels() }
        func isListed(_ channel: GroupChannel) -> Bool {
            labels(channel.url).belong(to: query)
                && query.belongsTo(channel, currentUserID: currentUserID)
        }

        var sorted: [(position: ChannelListPosition, channel: GroupChannel)] = []
        for (url, labels) in all where hasOnlyLabeled || labels.areFirst(in: query) {
            guard let number = try view.number(of: url),
                let channel: GroupChannel = try view.channel(number, in: .groupChannel, isListed)
            else { continue }
            let found = ChannelListPosition(of: channel, in: query, labels: labels)
            if position.map({ $0 < found }) ?? true { sorted.append((found, channel)) }
        }
        sorted.sort { $0.position < $1.position }
        let channels = sorted.prefix(limit ?? .max).map(\.channel)
        if hasOnlyLabeled { return channels }
        return try channels
            + view.channels(
                ChannelSorting(query), of: query,
                after: position?.sortKeyWithoutLabel(of: query),
                limit: limit.map { $0 - channels.count }, visiting: &visits
            ) { (channel: GroupChannel) in
                isListed(channel) && !labels(channel.url).areFirst(in: query)
            }
    }
}
