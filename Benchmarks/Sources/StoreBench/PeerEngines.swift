import CAllocations
import CPeers
import Foundation
import Measuring
import Models

/// Messages as C takes them, in memory that stays where it is.
final class RawMessages {
    let rows: UnsafeMutableBufferPointer<peer_message>
    private var memory: [UnsafeMutableRawBufferPointer] = []

    var pointer: UnsafePointer<peer_message> { UnsafePointer(rows.baseAddress!) }
    var count: Int { rows.count }

    init(_ items: [Item], _ payload: (Item) throws -> [UInt8]) rethrows {
        rows = .allocate(capacity: items.count)
        for (index, item) in items.enumerated() {
            let id = keep(Array(item.plain.messageID.utf8))
            let request = keep(Array(item.plain.requestID.utf8))
            let bytes = keep(try payload(item))
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

    /// Drafts, each under its request.
    convenience init(drafts items: [Item]) {
        self.init(items) { $0.draft.serializedBytes }
        for (index, item) in items.enumerated() {
            let request = keep(Array(item.draft.requestID.rawValue.utf8))
            rows[index].request = request.text
            rows[index].request_size = request.count
        }
    }

    deinit {
        rows.deallocate()
        for part in memory { part.deallocate() }
    }

    private func keep(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(1, bytes.count), alignment: 1)
        copy.copyBytes(from: bytes)
        memory.append(copy)
        return UnsafeMutableRawBufferPointer(rebasing: copy[..<bytes.count])
    }
}

/// Channels as C takes them.
final class RawChannels {
    let rows: UnsafeMutableBufferPointer<peer_channel>
    private var memory: [UnsafeMutableRawBufferPointer] = []

    var pointer: UnsafePointer<peer_channel> { UnsafePointer(rows.baseAddress!) }
    var count: Int { rows.count }

    init(_ items: [ChannelItem]) {
        rows = .allocate(capacity: items.count)
        for (index, item) in items.enumerated() {
            let url = keep(Array(item.channel.url.rawValue.utf8))
            let bytes = keep(item.channel.serializedBytes)
            rows.initializeElement(
                at: index,
                to: peer_channel(
                    number: UInt32(item.number + 1), last_message_at: item.lastMessageAt,
                    old_last_message_at: item.oldLastMessageAt, url: url.text,
                    url_size: url.count, bytes: bytes.baseAddress!, size: bytes.count))
        }
    }

    deinit {
        rows.deallocate()
        for part in memory { part.deallocate() }
    }

    private func keep(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        memory.append(copy)
        return copy
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate var text: UnsafePointer<CChar> {
        UnsafePointer(baseAddress!.assumingMemoryBound(to: CChar.self))
    }
}

// MARK: Readers

/// Has the bytes of a row looked at, as far as the optimizer can know.
@inline(__always)
func keepBytes(_ bytes: UnsafeRawBufferPointer) {
    if let address = bytes.baseAddress { keep_pointer(address) }
}

/// Calls a function of C with where a value is, for its reader.
@inline(__always)
func withPointer<Value, Result>(
    to value: inout Value, _ body: (UnsafeMutableRawPointer) -> Result
) -> Result {
    withUnsafeMutablePointer(to: &value) { body(UnsafeMutableRawPointer($0)) }
}

/// Takes the bytes as they are.
let readRaw: peer_reader = { _, bytes, _ in keep_pointer(bytes) }

/// Collects the messages of a page.
let readMessages: peer_reader = { context, bytes, size in
    let messages = context!.assumingMemoryBound(to: [Message].self)
    let row = UnsafeRawBufferPointer(start: bytes, count: size)
    messages.pointee.append(decoded { try Message(serialized: row) })
}

/// Decodes each message, and lets go of it.
let readEachMessage: peer_reader = { _, bytes, size in
    let row = UnsafeRawBufferPointer(start: bytes, count: size)
    keep(decoded { try Message(serialized: row) })
}

/// Collects channels.
let readChannels: peer_reader = { context, bytes, size in
    let channels = context!.assumingMemoryBound(to: [GroupChannel].self)
    let row = UnsafeRawBufferPointer(start: bytes, count: size)
    channels.pointee.append(decoded { try GroupChannel(serialized: row) })
}

/// Collects messages that were written as JSON.
let readJSON: peer_reader = { context, bytes, size in
    let messages = context!.assumingMemoryBound(to: [PlainMessage].self)
    let data = Data(bytes: bytes, count: size)
    messages.pointee.append(decoded { try JSONDecoder().decode(PlainMessage.self, from: data) })
}

private func decoded<Value>(_ decode: () throws -> Value) -> Value {
    do {
        return try decode()
    } catch {
        fatalError("A row cannot be decoded: \(error)")
    }
}

/// The id of a message as C takes it.
struct RawID {
    let characters: [CChar]

    init(_ id: MessageID) { characters = id.rawValue.utf8.map { CChar(bitPattern: $0) } }
}
