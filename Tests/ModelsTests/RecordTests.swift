import Dispatch
import Foundation
import ScrollbackTestSupport
import Testing

@testable import Models

/// Tests all properties that belong to a field, for every field of every type of record.
///
/// New fields are included automatically.
@Suite struct RecordTests {
    static let types = recordTypes.map { TypeOfRecord(root: $0) }

    @Test(arguments: types)
    func everyPropertyReadsAndWritesTheFieldItsSchemaNames(_ type: TypeOfRecord) throws {
        for field in type.schema.fields {
            for seed in 0..<8 {
                var generated = GeneratedRecord(seed: seed)
                let bytes = generated.bytes(type.schema, only: [field.number])
                let copy = try type.copyThroughProperty(field, bytes)
                #expect(copy == bytes, "\(type).\(field.name)")
            }
        }
    }

    @Test(arguments: types)
    func aPropertyThatIsSetToItsDefaultIsNotWritten(_ type: TypeOfRecord) throws {
        for field in type.schema.fields {
            #expect(try type.copyThroughProperty(field, []) == [], "\(type).\(field.name)")
        }
    }

    /// All empty arrays share their storage, so the thread sanitizer reports a race if removing the
    /// last field writes to it.
    @Test func threadsMakeEmptyRecordsAtTheSameTime() {
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<1000 {
                var message = Message()
                message.text = "a"
                message.text = ""
                #expect(message == Message())
            }
        }
    }

    @Test(arguments: types)
    func recordsSurviveTheirBinaryForm(_ type: TypeOfRecord) throws {
        for seed in Seeds.few {
            var generated = GeneratedRecord(seed: seed)
            let bytes = generated.bytes(type.schema)
            #expect(try type.decodeAndEncode(bytes) == bytes)
        }
    }

    @Test(arguments: types)
    func recordsSurviveJSON(_ type: TypeOfRecord) throws {
        for field in type.schema.fields {
            var generated = GeneratedRecord(seed: field.number)
            try type.expectToSurviveJSON(generated.bytes(type.schema, only: [field.number]))
        }
        for seed in Seeds.few {
            var generated = GeneratedRecord(seed: seed)
            try type.expectToSurviveJSON(generated.bytes(type.schema))
        }
    }

    @Test(arguments: types)
    func unknownFieldsSurviveChanges(_ type: TypeOfRecord) throws {
        // Unknown fields: 90 is a varint, 95 a text, and 120 a fixed64.
        let unknown: [[UInt8]] = [
            [0xd0, 0x05, 0x2a], [0xfa, 0x05, 0x02, 0x68, 0x69],
            [0xc1, 0x07, 1, 2, 3, 4, 5, 6, 7, 8],
        ]
        for field in type.schema.fields {
            var generated = GeneratedRecord(seed: field.number)
            let known = generated.bytes(type.schema, only: [field.number])
            let before = Array(unknown.joined())
            let parts =
                field.number < 90
                ? [known] + unknown : [unknown[0], unknown[1], known, unknown[2]]
            let expected = Array(parts.joined())
            #expect(try type.copyThroughProperty(field, known, onto: before) == expected)
            #expect(try type.copyThroughProperty(field, [], onto: expected) == before)
        }
    }

    /// Other users may choose the numbers of a pushed message, so the time must be linear.
    @Test func missingUnknownFieldsAreCopiedInOrder() throws {
        func fields(_ numbers: some Sequence<Int>, _ value: (Int) -> UInt8) -> [UInt8] {
            var bytes: [UInt8] = []
            for number in numbers {
                // The tag of a varint.
                var tag = number << 3
                while tag >= 0x80 {
                    bytes.append(UInt8(truncatingIfNeeded: tag) | 0x80)
                    tag >>= 7
                }
                bytes += [UInt8(tag), value(number)]
            }
            return bytes
        }
        var known = Message()
        known.text = "a"
        let (start, all) = (known.serializedBytes, 200...300_000)
        let even = all.filter { $0.isMultiple(of: 2) }
        var message = try Message(serialized: start + fields(even) { _ in 1 })
        let other = try Message(serialized: start + fields(all) { _ in 2 })
        message.copyUnknownFields(from: other)
        #expect(
            message.serializedBytes == start + fields(all) { $0.isMultiple(of: 2) ? 1 : 2 })
        message.removeUnknownFields()
        #expect(message == known)
    }

    @Test(arguments: types)
    func descriptionAndMirrorContainEveryField(_ type: TypeOfRecord) throws {
        for field in type.schema.fields {
            var generated = GeneratedRecord(seed: field.number)
            let bytes = generated.bytes(type.schema, only: [field.number])
            let (description, labels) = try type.describe(bytes)
            #expect(description.hasPrefix("\(type.schema.name)(\(field.name): "))
            #expect(labels == [field.name])
        }
    }
}

/// A type of record as the argument of a test.
struct TypeOfRecord: Sendable, CustomTestStringConvertible {
    let root: any Record.Type

    var schema: Schema { root.schema }
    var testDescription: String { schema.name }

    func decodeAndEncode(_ bytes: [UInt8]) throws -> [UInt8] {
        try root.init(serialized: bytes).serializedBytes
    }

    /// Reads the property of a field in the record `source`, and sets it in the record `target`.
    func copyThroughProperty(
        _ field: Field, _ source: [UInt8], onto target: [UInt8] = []
    ) throws -> [UInt8] {
        func copy<Root: Record, Value>(_: Root.Type, _: Value.Type) throws -> [UInt8] {
            // Every type has `extra`, but no schema contains its key path.
            let property =
                field.number == Field.extra.number ? \Root.extra as AnyKeyPath : field.keyPath
            let keyPath = try #require(property as? WritableKeyPath<Root, Value>)
            let source = try Root(serialized: source)
            var target = try Root(serialized: target)
            target[keyPath: keyPath] = source[keyPath: keyPath]
            return target.serializedBytes
        }
        func openValue<Root: Record>(_ root: Root.Type) throws -> [UInt8] {
            func open<Value: FieldValue>(_ value: Value.Type) throws -> [UInt8] {
                try copy(root, value)
            }
            return try open(field.propertyType)
        }
        return try openValue(root)
    }

    func expectToSurviveJSON(_ bytes: [UInt8]) throws {
        func expect<Root: Record>(_: Root.Type) throws {
            let record = try Root(serialized: bytes)
            let json = try JSONEncoder().encode(record)
            var again = try JSONDecoder().decode(Root.self, from: json)
            if Set(record.fields.bytes.numbers) == [2], var message = again as? Message {
                // Decoding JSON adds a status to a message that has only an id: see
                // `Message.rules`.
                message.sendingStatus = .none
                again = message as? Root ?? again
            }
            #expect(again == record, "\(String(decoding: json, as: UTF8.self))")
        }
        try expect(root)
    }

    func describe(_ bytes: [UInt8]) throws -> (String, [String?]) {
        let record = try root.init(serialized: bytes)
        return (record.description, record.customMirror.children.map(\.label))
    }
}
