import Foundation
import Measuring
import Models

/// The same messages in every measured form.
///
/// Several messages are used in turn, so that neither the optimizer nor the branch predictor can
/// adapt to one message. They fit in the processor's fastest cache, like the messages of a page
/// that was just read.
struct Sample {
    static let count = 32

    let language: Language
    let plain: [PlainMessage]
    let messages: [Message]
    /// Equal messages that share no memory with ``messages``.
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

/// Copies bytes to memory that does not belong to an array, as if a database had read them.
///
/// The memory is never freed.
func lend(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
    copy.copyBytes(from: bytes)
    return UnsafeRawBufferPointer(copy)
}
