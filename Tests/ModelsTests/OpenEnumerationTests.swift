import Foundation
import Testing

@testable import Models

extension OpenWireEnum {
    /// The values that have a name in this version.
    static var knownValues: [Self] { names.indices.map { Self(rawValue: $0) } }
}

@Suite struct OpenEnumerationTests {
    /// Returns a message whose type is unknown to this version.
    private func message() -> Message {
        var message = Message(id: "1", channelURL: "general", text: "hello", createdAt: 1)
        message.type = MessageType(rawValue: 77)
        return message
    }

    @Test func anUnknownNumberIsKeptInTheBinaryForm() throws {
        let decoded = try Message(serialized: message().serializedBytes)
        #expect(decoded.type.rawValue == 77)
        #expect(decoded.type != .text)
        #expect(decoded == message())
    }

    @Test func anUnknownNumberIsKeptInJSON() throws {
        let json = try JSONEncoder().encode(message())
        #expect(String(decoding: json, as: UTF8.self).contains(#""type":77"#))
        #expect(try JSONDecoder().decode(Message.self, from: json) == message())
    }

    @Test func anUnknownNameIsNotTheFirstValue() throws {
        let json = Data(#"{"role":"moderator"}"#.utf8)
        let sender = try JSONDecoder().decode(Sender.self, from: json)
        #expect(sender.role.rawValue == -1)
        #expect(sender.role != .none)
        #expect(try Sender(serialized: sender.serializedBytes).role.rawValue == -1)
        let again = try JSONDecoder().decode(Sender.self, from: try JSONEncoder().encode(sender))
        #expect(again == sender)
    }

    @Test func aClosedEnumerationReadsAnUnknownNumberAsItsFirstCase() throws {
        let json = Data(#"{"sending_status":77}"#.utf8)
        let message = try JSONDecoder().decode(Message.self, from: json)
        #expect(message.sendingStatus == MessageSendingStatus.none)
    }

    @Test func descriptionIsTheNameOfTheConstant() {
        #expect("\(MessageType.file)" == "file")
        #expect("\(HiddenState.hiddenAllowAutoUnhide)" == "hiddenAllowAutoUnhide")
        #expect("\(MessageType(rawValue: 77))" == "77")
        #expect("\(CollectionEventSource.messageFill)" == "messageFill")
        #expect("\(CollectionEventSource(rawValue: 77))" == "77")
    }

    /// Compares the name of each constant in the sources with its description.
    @Test func everyConstantIsDescribedByItsName() throws {
        let pattern = /public static let `?(\w+)`? = Self\(rawValue: (\d+)\)/
        var types: [String: (Int) -> any OpenEnumeration] = [
            "CollectionEventSource": { CollectionEventSource(rawValue: $0) }
        ]
        for field in recordTypes.flatMap({ $0.schema.fields }) {
            guard let type = field.propertyType as? any OpenWireEnum.Type else { continue }
            types["\(type)"] = { type.init(rawValue: $0) }
        }
        var count = 0
        for file in SourceTests.files {
            for part in file.split(separator: "public struct ").dropFirst() {
                guard let type = types[String(part.prefix { $0 != ":" })] else { continue }
                let end = part.range(of: "\n}")?.lowerBound ?? part.endIndex
                for match in part[..<end].matches(of: pattern) {
                    let value = type(try #require(Int(match.output.2)))
                    #expect(value.description == String(match.output.1))
                    count += 1
                }
            }
        }
        #expect(count == 76)
    }
}
