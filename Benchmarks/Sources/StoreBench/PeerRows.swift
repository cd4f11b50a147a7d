import CPeers
import Models

/// Messages as C structures.
///
/// Their memory does not move.
final class RawMessages {
    let rows: UnsafeMutableBufferPointer<peer_message>
    private let kept = KeptBytes()

    var pointer: UnsafePointer<peer_message> { UnsafePointer(rows.baseAddress!) }
    var count: Int { rows.count }

    init(_ items: [Item], _ payload: (Item) throws -> [UInt8]) rethrows {
        rows = .allocate(capacity: items.count)
        for (index, item) in items.enumerated() {
            let id = kept.keep(Array(item.plain.messageID.utf8))
            let request = kept.keep(Array(item.plain.requestID.utf8))
            let bytes = kept.keep(try payload(item))
            rows.initializeElement(
                at: index,
                to: peer_message(
                    channel: UInt32(item.channel + 1), created_at: item.plain.createdAt,
                    id: id.text, id_size: id.count,
                    request: request.isEmpty ? nil : request.text, request_size: request.count,
                    bytes: bytes.baseAddress!, size: bytes.count))
        }
    }

    convenience init(_ items: [Item]) { self.init(items) { $0.message.serializedBytes } }

    /// Creates outbox items with their request ids.
    convenience init(items: [Item]) {
        self.init(items) { $0.outboxItem.serializedBytes }
        for (index, item) in items.enumerated() {
            let request = kept.keep(Array(item.outboxItem.requestID.rawValue.utf8))
            rows[index].request = request.text
            rows[index].request_size = request.count
        }
    }

    deinit { rows.deallocate() }
}

/// Channels as C structures.
///
/// Their memory does not move.
final class RawChannels {
    let rows: UnsafeMutableBufferPointer<peer_channel>
    private let kept = KeptBytes()

    var pointer: UnsafePointer<peer_channel> { UnsafePointer(rows.baseAddress!) }
    var count: Int { rows.count }

    init(_ items: [ChannelItem]) {
        rows = .allocate(capacity: items.count)
        for (index, item) in items.enumerated() {
            let url = kept.keep(Array(item.channel.url.rawValue.utf8))
            let bytes = kept.keep(item.channel.serializedBytes)
            rows.initializeElement(
                at: index,
                to: peer_channel(
                    number: UInt32(item.number + 1), last_message_at: item.lastMessageAt,
                    old_last_message_at: item.oldLastMessageAt, url: url.text,
                    url_size: url.count, bytes: bytes.baseAddress!, size: bytes.count))
        }
    }

    deinit { rows.deallocate() }
}

/// Copies of bytes.
///
/// Their memory does not move while this object exists.
final class KeptBytes {
    private var copies: [UnsafeMutableRawBufferPointer] = []

    /// Copies bytes.
    ///
    /// - Returns: The copy. Its address is not null, even if it has no bytes.
    func keep(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, bytes.count), alignment: 1)
        copy.copyBytes(from: bytes)
        copies.append(copy)
        return UnsafeMutableRawBufferPointer(rebasing: copy[..<bytes.count])
    }

    deinit { for copy in copies { copy.deallocate() } }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate var text: UnsafePointer<CChar> {
        UnsafePointer(baseAddress!.assumingMemoryBound(to: CChar.self))
    }
}

/// The id of a message for a C function.
struct RawID {
    let characters: [CChar]

    init(_ id: MessageID) { characters = id.rawValue.utf8.map { CChar(bitPattern: $0) } }
}
