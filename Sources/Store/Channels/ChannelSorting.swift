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
        let key = ByteWriter.key { writeKey(of: channel, number, to: &$0) }
        return key.isEmpty ? nil : key
    }

    /// Writes the key of a channel's row; nothing if its kind is not in lists of this order.
    func writeKey(of channel: AnyChannel, _ number: ChannelNumber, to key: inout ByteWriter) {
        switch (self, channel) {
        case (.group, .group(let channel)): channel.lend { write($0, number, to: &key) }
        case (.open, .open(let channel)): channel.lend { key.placeAmongEquals($0, number) }
        default: break
        }
    }

    /// A key that sorts as `GroupChannelListQuery.precedes` does.
    func key(of channel: GroupChannel, _ number: ChannelNumber) -> KeyBytes {
        ByteWriter.key { writeKey(of: .group(channel), number, to: &$0) }
    }

    /// The key of a channel's row as it lies on disk; `nil` if it cannot be decoded.
    func key(ofRow value: UnsafeRawBufferPointer, _ number: ChannelNumber) -> KeyBytes? {
        var isDecoded = false
        let key = ByteWriter.key { isDecoded = writeKey(ofRow: value, number, to: &$0) }
        return isDecoded ? key : nil
    }

    /// Writes the key of a channel's row as it lies on disk.
    ///
    /// Returns false, and has written nothing, if the row cannot be decoded.
    func writeKey(
        ofRow value: UnsafeRawBufferPointer, _ number: ChannelNumber, to key: inout ByteWriter
    ) -> Bool {
        // One damaged row must not hide all others; who asks for that channel gets the error.
        do {
            switch self {
            case .group:
                try LentRecord<GroupChannel>.read(value) { write($0, number, to: &key) }
            case .open:
                try LentRecord<OpenChannel>.read(value) { key.placeAmongEquals($0, number) }
            }
            return true
        } catch {
            return false
        }
    }

    private func write(
        _ channel: LentRecord<GroupChannel>, _ number: ChannelNumber, to key: inout ByteWriter
    ) {
        if case .group(let order, let metaDataKey) = self {
            switch order {
            case .chronological: break
            case .latestLastMessage:
                key.optional(channel.lastMessageAt) { key, time in
                    key.descending { $0.timestamp(time) }
                }
            case .channelNameAlphabetical: key.terminated(channel.name)
            case .metaDataValueAlphabetical:
                key.optional(metaDataKey.flatMap { channel.record.metadata[$0] }) {
                    $0.terminated($1)
                }
            }
        }
        key.placeAmongEquals(channel, number)
    }

    static func number(ofKey key: UnsafeRawBufferPointer) -> ChannelNumber {
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
    /// A text with an end that comes before any other byte, so that something may follow it.
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

    /// What all orders end with.
    fileprivate mutating func placeAmongEquals<Kind: Channel>(
        _ channel: LentRecord<Kind>, _ number: ChannelNumber
    ) {
        descending { $0.timestamp(channel.createdAt) }
        terminated(channel.url)
        integer(number)
    }

    /// What is missing comes last.
    fileprivate mutating func optional<Value>(
        _ value: Value?, _ write: (inout ByteWriter, Value) -> Void
    ) {
        byte(value == nil ? 1 : 0)
        if let value { write(&self, value) }
    }
}
