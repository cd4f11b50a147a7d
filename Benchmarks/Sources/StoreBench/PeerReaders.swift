import CAllocations
import CPeers
import Foundation
import Measuring
import Models

/// Prevents the optimizer from removing the read of a row.
@inline(__always)
func keepBytes(_ bytes: UnsafeRawBufferPointer) {
    if let address = bytes.baseAddress { keep_pointer(address) }
}

/// Passes a pointer to a value to a closure, which passes it on as the context of a reader.
@inline(__always)
func withPointer<Value, Result>(
    to value: inout Value, _ body: (UnsafeMutableRawPointer) -> Result
) -> Result {
    withUnsafeMutablePointer(to: &value) { body(UnsafeMutableRawPointer($0)) }
}

/// Reads a row without decoding it.
let readRaw: peer_reader = { _, bytes, _ in keep_pointer(bytes) }

/// Collects the messages of a page.
let readMessages: peer_reader = { context, bytes, size in
    let messages = context!.assumingMemoryBound(to: [Message].self)
    let row = UnsafeRawBufferPointer(start: bytes, count: size)
    messages.pointee.append(decoded { try Message(serialized: row) })
}

extension [Message] {
    /// Reserves memory for a page, in the same way as Scrollback's store.
    ///
    /// A greater limit does not mean that the page has as many messages.
    mutating func reserveForPage(_ limit: Int) {
        if limit < 1_000 { reserveCapacity(limit) }
    }
}

/// Decodes each message and discards it.
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

/// Collects messages that are stored as JSON.
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
