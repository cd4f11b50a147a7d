import Foundation
import Measuring
import Models
import Protobuf
import SwiftProtobuf

/// The cases that encode messages, decode them, and read decoded ones.
func messageGroups(_ sample: Sample) throws -> [Group] {
    let protos = sample.plain.map { ProtoMessage($0) }
    let written: [[UInt8]] = try protos.map { try $0.serializedBytes() }
    precondition(written == sample.arrays, "The two write different bytes.")
    let size = sample.arrays.map(\.count).reduce(0, +) / Sample.count
    let jsonSize = try sample.plain.map { try JSONEncoder().encode($0).count }.reduce(0, +)
    let note = "One message: \(size) bytes, \(jsonSize / Sample.count) as JSON."
    let name = sample.language.name
    return [
        Group(
            title: "Encode a message, \(name)",
            note: "\(note) The message exists already, as each library represents it.",
            cases: encoding(sample, protos)),
        Group(
            title: "Create a message from values, and encode it, \(name)",
            note: "\(note) The values are in a struct of the app.",
            cases: making(sample)),
        Group(
            title: "Decode a message, \(name)",
            note: "\(note) Text is checked to be UTF-8.",
            cases: try decoding(sample)),
        Group(
            title: "Decode a message and read the fields of a list row, \(name)",
            note: "\(note) Type, id, two times, status, text; the sender's id, name and picture.",
            cases: decodingRows(sample)),
        Group(
            title: "Decode a message and read every field, \(name)",
            note: "\(note) 20 values, 13 of them texts.",
            cases: decodingEverything(sample)),
    ]
}

private func encoding(_ sample: Sample, _ protos: [ProtoMessage]) -> [Case] {
    let target = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 8)
    let json = JSONEncoder()
    let list = PropertyListEncoder()
    list.outputFormat = .binary
    return [
        Case("memcpy, into existing memory", .other, sample.buffers) { bytes in
            target.copyMemory(from: bytes)
        },
        Case("memcpy, into a new array", .other, sample.buffers) { [UInt8]($0) },
        Case("Scrollback, without a copy", .scrollback, sample.messages) { message in
            message.withSerializedBytes { $0.count }
        },
        Case("Scrollback, to an array", .scrollback, sample.messages) { $0.serializedBytes },
        Case("Scrollback, to Data", .scrollback, sample.messages) { $0.serialize() },
        Case("swift-protobuf, to an array", .protobuf, protos) { message in
            try message.serializedBytes() as [UInt8]
        },
        Case("swift-protobuf, to Data", .protobuf, protos) { try $0.serializedData() },
        Case("JSONEncoder, a plain struct", .other, sample.plain) { try json.encode($0) },
        Case("JSONEncoder, Scrollback's Message", .other, sample.messages) { try json.encode($0) },
        Case("PropertyListEncoder, a plain struct", .other, sample.plain) { try list.encode($0) },
    ]
}

private func making(_ sample: Sample) -> [Case] {
    [
        Case("Scrollback, to Data", .scrollback, sample.plain) { Message($0).serialize() },
        Case("swift-protobuf, to Data", .protobuf, sample.plain) {
            try ProtoMessage($0).serializedData()
        },
    ]
}

private func decoding(_ sample: Sample) throws -> [Case] {
    let plainJSON = try sample.plain.map { try JSONEncoder().encode($0) }
    let messageJSON = try sample.messages.map { try JSONEncoder().encode($0) }
    let listEncoder = PropertyListEncoder()
    listEncoder.outputFormat = .binary
    let lists = try sample.plain.map { try listEncoder.encode($0) }
    for (message, json) in zip(sample.messages, messageJSON) {
        let decoded = try JSONDecoder().decode(Message.self, from: json)
        precondition(decoded == message, "JSON says something else.")
    }
    let json = JSONDecoder()
    let list = PropertyListDecoder()
    return [
        Case("memcpy, into a new array", .other, sample.buffers) { [UInt8]($0) },
        Case("Scrollback, from a pointer", .scrollback, sample.buffers) {
            try Message(serialized: $0)
        },
        Case("Scrollback, from an array", .scrollback, sample.arrays) {
            try Message(serialized: $0)
        },
        Case("Scrollback, from Data", .scrollback, sample.data) { try Message(serialized: $0) },
        Case("swift-protobuf, from a pointer", .protobuf, sample.buffers) {
            try ProtoMessage(serializedBytes: $0.bytes)
        },
        Case("swift-protobuf, from Data", .protobuf, sample.data) {
            try ProtoMessage(serializedBytes: $0)
        },
        Case("JSONDecoder, a plain struct", .other, plainJSON) {
            try json.decode(PlainMessage.self, from: $0)
        },
        Case("JSONDecoder, Scrollback's Message", .other, messageJSON) {
            try json.decode(Message.self, from: $0)
        },
        Case("PropertyListDecoder, a plain struct", .other, lists) {
            try list.decode(PlainMessage.self, from: $0)
        },
    ]
}

private func decodingRows(_ sample: Sample) -> [Case] {
    [
        Case("Scrollback, from a pointer", .scrollback, sample.buffers) {
            row(try Message(serialized: $0))
        },
        Case("Scrollback, from Data", .scrollback, sample.data) {
            row(try Message(serialized: $0))
        },
        Case("swift-protobuf, from a pointer", .protobuf, sample.buffers) {
            row(try ProtoMessage(serializedBytes: $0.bytes))
        },
        Case("swift-protobuf, from Data", .protobuf, sample.data) {
            row(try ProtoMessage(serializedBytes: $0))
        },
    ]
}

private func decodingEverything(_ sample: Sample) -> [Case] {
    [
        Case("Scrollback, from a pointer", .scrollback, sample.buffers) {
            everything(try Message(serialized: $0))
        },
        Case("swift-protobuf, from a pointer", .protobuf, sample.buffers) {
            everything(try ProtoMessage(serializedBytes: $0.bytes))
        },
    ]
}
