package import Models

/// An order of a channel list, and its sort keys.
///
/// Sort keys are kept only in memory: on disk, each move of a channel would leave a deleted key,
/// and later reads would have to skip it.
enum ChannelSorting: Hashable, Sendable {
    case group(GroupChannelListOrder, metaDataKey: String?)
    /// By creation time, newest first.
    case open

    init(_ query: GroupChannelListQuery) {
        let order = query.order
        self = .group(
            order,
            metaDataKey: order == .metaDataValueAlphabetical ? query.metaDataOrderKeyFilter : nil)
    }

    var table: Table {
        switch self {
        case .group: .groupChannel
        case .open: .openChannel
        }
    }

    /// Returns `nil` if lists of this order do not contain the channel's type.
    func key(of channel: AnyChannel, _ number: ChannelNumber) -> KeyBytes? {
        switch (self, channel) {
        case (.group, .group(let channel)): key(of: channel, number)
        case (.open, .open(let channel)): ByteWriter.key { $0.commonFields(channel, number) }
        default: nil
        }
    }

    /// Returns the sort key of a group channel, whose byte order matches
    /// `GroupChannelListQuery.precedes`.
    func key(of channel: GroupChannel, _ number: ChannelNumber) -> KeyBytes {
        ByteWriter.key { key in
            if case .group(let order, let metaDataKey) = self {
                switch order {
                case .chronological: break
                case .latestLastMessage:
                    key.optional(channel.lastMessage?.createdAt) { key, time in
                        key.descending { $0.timestamp(time) }
                    }
                case .oldestLastMessage:
                    key.optional(channel.lastMessage?.createdAt) { $0.timestamp($1) }
                case .channelNameAlphabetical: key.terminated(channel.name)
                case .metaDataValueAlphabetical:
                    key.optional(metaDataKey.flatMap { channel.metadata[$0] }) {
                        $0.terminated($1)
                    }
                }
            }
            key.commonFields(channel, number)
        }
    }

    /// Returns the key of a row; `nil` if the row is damaged, because a list omits its channel.
    func key(
        ofRow value: UnsafeRawBufferPointer, _ number: ChannelNumber, in rows: Rows
    ) -> KeyBytes? {
        let channel: AnyChannel? =
            switch self {
            case .group:
                (rows.readableRecord(value) as GroupChannel?).map(AnyChannel.group)
            case .open:
                (rows.readableRecord(value) as OpenChannel?).map(AnyChannel.open)
            }
        return channel.flatMap { key(of: $0, number) }
    }

    static func number(ofKey key: KeyBytes) -> ChannelNumber {
        key.suffix(4).reduce(0) { $0 << 8 | ChannelNumber($1) }
    }

    static func withHighestNumber(_ key: KeyBytes) -> KeyBytes {
        ByteWriter.key {
            $0.raw(KeyBytes(key.dropLast(4)))
            $0.integer(ChannelNumber.max)
        }
    }
}

/// A position in a channel list, which stays when the channel there moves.
package struct ChannelListPosition: Hashable, Sendable {
    let key: KeyBytes

    init(key: KeyBytes) { self.key = key }

    package init(
        of channel: GroupChannel, in query: GroupChannelListQuery,
        labels: ChannelLabels = ChannelLabels()
    ) {
        key = ByteWriter.key {
            labels.writePosition(in: query, to: &$0)
            // The channel number only orders rows with the same URL: there is only one.
            $0.raw(ChannelSorting(query).key(of: channel, .max))
        }
    }
}

extension ChannelListPosition: Comparable {
    package static func < (left: ChannelListPosition, right: ChannelListPosition) -> Bool {
        left.key.precedes(right.key)
    }
}

extension ByteWriter {
    /// Writes a text with a terminator that sorts before any other byte, so that other fields can
    /// follow.
    mutating func terminated(_ text: String) {
        var text = text
        text.withUTF8 { terminated(UnsafeRawBufferPointer($0)) }
    }

    mutating func terminated(_ text: UnsafeRawBufferPointer) {
        if text.contains(0) {
            for byte in text {
                self.byte(byte)
                if byte == 0 { self.byte(0xFF) }
            }
        } else {
            raw(text)
        }
        integer(UInt16(0))
    }

    /// Writes the fields that, in all orders, order channels which are equal by the fields before.
    fileprivate mutating func commonFields(_ channel: some Channel, _ number: ChannelNumber) {
        descending { $0.timestamp(channel.createdAt) }
        terminated(channel.url.rawValue)
        integer(number)
    }

    fileprivate mutating func optional<Value>(
        _ value: Value?, _ write: (inout ByteWriter, Value) -> Void
    ) {
        byte(value == nil ? 1 : 0)
        if let value { write(&self, value) }
    }
}
