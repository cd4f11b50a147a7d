package import Models

/// An order that a list of channels can have, and the keys that sort by it.
///
/// Such keys live in memory: on disk, a channel that moves to the top leaves a deleted key behind
/// that each later reader steps over.
enum ChannelSorting: Hashable, Sendable {
    case group(GroupChannelListOrder, metaDataKey: String?)
    /// By creation time, the newest first.
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

    /// The key of a channel's row, or `nil` if its kind is not in lists of this order.
    func key(of channel: AnyChannel, _ number: ChannelNumber) -> KeyBytes? {
        switch (self, channel) {
        case (.group, .group(let channel)): key(of: channel, number)
        case (.open, .open(let channel)):
            ByteWriter.key { $0.creationOrder(channel.createdAt, channel.url, number) }
        default: nil
        }
    }

    /// The key of a channel's row as it lies on disk; `nil` if it cannot be decoded.
    func key(ofRow value: UnsafeRawBufferPointer, _ number: ChannelNumber) -> KeyBytes? {
        // One damaged row must not hide all others; who asks for that channel gets the error.
        switch self {
        case .group: (try? GroupChannel(serialized: value)).map { key(of: $0, number) }
        case .open:
            (try? OpenChannel(serialized: value)).flatMap { key(of: .open($0), number) }
        }
    }

    /// A key that sorts as `GroupChannelListQuery.precedes` does.
    func key(of channel: GroupChannel, _ number: ChannelNumber) -> KeyBytes {
        ByteWriter.key { key in
            if case .group(let order, let metaDataKey) = self {
                switch order {
                case .chronological: break
                case .latestLastMessage:
                    key.optional(channel.lastMessage?.createdAt) { key, time in
                        key.descending { $0.timestamp(time) }
                    }
                case .channelNameAlphabetical: key.terminated(channel.name)
                case .metaDataValueAlphabetical:
                    key.optional(metaDataKey.flatMap { channel.metadata[$0] }) {
                        $0.terminated($1)
                    }
                }
            }
            key.creationOrder(channel.createdAt, channel.url, number)
        }
    }

    static func number(ofKey key: KeyBytes) -> ChannelNumber {
        key.suffix(4).reduce(0) { $0 << 8 | ChannelNumber($1) }
    }
}

/// Where a channel belongs in a list, as it was when somebody looked: a value that does not move with it.
package struct ChannelPlace: Hashable, Sendable {
    let key: KeyBytes

    /// The place of a channel in the list of a query.
    package init(of channel: GroupChannel, in query: GroupChannelListQuery) {
        // The number decides only between rows of one URL, of which there is one.
        key = ChannelSorting(query).key(of: channel, .max)
    }
}

extension ChannelPlace: Comparable {
    package static func < (left: ChannelPlace, right: ChannelPlace) -> Bool {
        left.key.precedes(right.key)
    }
}

extension ByteWriter {
    fileprivate mutating func creationOrder(
        _ createdAt: Timestamp, _ url: ChannelURL, _ number: ChannelNumber
    ) {
        descending { $0.timestamp(createdAt) }
        terminated(url.rawValue)
        integer(number)
    }

    /// A text with an end that comes before any other byte, so that something may follow it.
    mutating func terminated(_ text: String) {
        for byte in text.utf8 {
            self.byte(byte)
            if byte == 0 { self.byte(0xFF) }
        }
        byte(0)
        byte(0)
    }

    /// What is missing comes last.
    fileprivate mutating func optional<Value>(
        _ value: Value?, _ write: (inout ByteWriter, Value) -> Void
    ) {
        byte(value == nil ? 1 : 0)
        if let value { write(&self, value) }
    }
}
