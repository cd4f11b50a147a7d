import Foundation
import Measuring
import Models
import Protobuf
import SwiftProtobuf

/// The cases that use a group channel with twenty members and a last message.
func channelGroups(_ sample: Sample) throws -> [Group] {
    let channels = sample.messages.indices.map { channel($0, last: sample.messages[$0]) }
    let arrays = channels.map(\.serializedBytes)
    let buffers = arrays.map(lend)
    let protos = try arrays.map { try ProtoChannel(serializedBytes: $0) }
    let written: [[UInt8]] = try protos.map { try $0.serializedBytes() }
    precondition(written == arrays, "The two write different bytes.")
    let json = try channels.map { try JSONEncoder().encode($0) }
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    let note = "One channel: \(arrays[0].count) bytes, \(json[0].count) as JSON."
    return [
        Group(
            title: "Encode a channel of twenty members",
            note: note,
            cases: [
                Case("memcpy, into a new array", .other, buffers) { [UInt8]($0) },
                Case("Scrollback, to Data", .scrollback, channels) { $0.serialize() },
                Case("swift-protobuf, to Data", .protobuf, protos) { try $0.serializedData() },
                Case("JSONEncoder, Scrollback's GroupChannel", .other, channels) {
                    try encoder.encode($0)
                },
            ]),
        Group(
            title: "Decode a channel of twenty members",
            note: note,
            cases: [
                Case("memcpy, into a new array", .other, buffers) { [UInt8]($0) },
                Case("Scrollback, from a pointer", .scrollback, buffers) {
                    try GroupChannel(serialized: $0)
                },
                Case("swift-protobuf, from a pointer", .protobuf, buffers) {
                    try ProtoChannel(serializedBytes: $0.bytes)
                },
                Case("JSONDecoder, Scrollback's GroupChannel", .other, json) {
                    try decoder.decode(GroupChannel.self, from: $0)
                },
            ]),
        Group(
            title: "Decode a channel and read the fields of a list row",
            note: "\(note) Name, URL, unread count, the text of the last message.",
            cases: [
                Case("Scrollback, from a pointer", .scrollback, buffers) {
                    row(try GroupChannel(serialized: $0))
                },
                Case("swift-protobuf, from a pointer", .protobuf, buffers) {
                    row(try ProtoChannel(serializedBytes: $0.bytes))
                },
            ]),
    ]
}

private func channel(_ index: Int, last: Message) -> GroupChannel {
    var channel = GroupChannel(
        url: last.channelURL, name: "Plans for week \(10 + index)", createdAt: 1_700_000_000_000)
    channel.coverURL = "https://cdn.example.com/c/\(10 + index).png"
    channel.members = (0..<20).map { number in
        let plain = PlainMessage(number, in: number % 2 == 0 ? .english : .mixed).sender
        var member = Member(
            User(
                id: UserID("user-\(number)"), nickname: plain.nickname,
                profileURL: plain.profileURL))
        member.joinedAt = Timestamp(milliseconds: 1_700_000_000_000 + Int64(number))
        member.readAt = last.createdAt
        return member
    }
    channel.memberCount = 20
    channel.joinedMemberCount = 20
    channel.unreadMessageCount = index % 100
    channel.lastMessage = last
    return channel
}
