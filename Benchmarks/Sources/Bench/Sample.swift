import Foundation
import Measuring
import Models

/// The same messages in every form that is measured.
///
/// Several messages are used in turn, so that neither the optimizer nor the branch predictor can
/// adapt to one of them. All of them fit in the processor's fastest cache, as the messages of a
/// page that was just read do.
struct Sample {
    static let count = 32

    let language: Language
    let plain: [PlainMessage]
    let messages: [Message]
    /// Messages that equal ``messages``, but share no memory with them.
    let equals: [Message]
    let buffers: [UnsafeRawBufferPointer]
    let arrays: [[UInt8]]
    let data: [Data]

    init(_ language: Language) {
        self.language = language
        plain = (0..<Sample.count).map { PlainMessage($0, in: language) }
        messages = plain.map { Message($0) }
        arrays = messages.map(\.serializedBytes)
        data = arrays.map { Data($0) }
        buffers = arrays.map(lend)
        equals = plain.map { Message($0) }
    }
}

/// Copies bytes to memory outside of an array, where a database's bytes would be.
///
/// The memory is never freed.
func lend(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
    copy.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(copy)
}
