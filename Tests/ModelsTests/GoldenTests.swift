import Foundation
import ScrollbackTestSupport
import Testing

@testable import Models

/// Compares the bytes and the JSON of every type with files that each version of the schema has
/// written.
///
/// The files of a released version never change, because apps have such bytes on disk. For a new
/// field, add the number of a new version to `versions`, and write the version's files with
/// `SCROLLBACK_WRITE_GOLDEN=1 swift test --filter GoldenTests`, which writes missing files. The
/// files of an unreleased version may be deleted and written again.
@Suite struct GoldenTests {
    static let directory = Repository.root.appending(path: "Tests/ModelsTests/Golden")
    static let versions = [1]
    static let newest: URL = {
        let newest = directory.appending(path: "\(versions.count)")
        if ProcessInfo.processInfo.environment["SCROLLBACK_WRITE_GOLDEN"] != nil {
            do { try writeMissing(newest) } catch { Issue.record(error) }
        }
        return newest
    }()

    private static func writeMissing(_ directory: URL) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for type in RecordTests.types {
            let bytes = directory.appending(path: "\(type.schema.name).bin")
            if FileManager.default.fileExists(atPath: bytes.path) { continue }
            let sample = Sample.bytes(type.schema, depth: 1)
            try Data(sample).write(to: bytes)
            try type.json(sample).write(to: directory.appending(path: "\(type.schema.name).json"))
        }
    }

    @Test(arguments: versions, RecordTests.types)
    func recordsOfEachVersionKeepTheirBytes(_ version: Int, _ type: TypeOfRecord) throws {
        let directory = Self.newest.deletingLastPathComponent().appending(path: "\(version)")
        let bytes = directory.appending(path: "\(type.schema.name).bin")
        let json = directory.appending(path: "\(type.schema.name).json")
        let golden = try [UInt8](Data(contentsOf: bytes))
        #expect(try type.decodeAndEncode(golden) == golden)
        #expect(try type.json(golden) == Data(contentsOf: json))
        #expect(try type.bytes(fromJSON: Data(contentsOf: json)) == golden)
    }

    @Test(arguments: RecordTests.types)
    func theNewestVersionShowsEveryField(_ type: TypeOfRecord) throws {
        let bytes = try Data(contentsOf: Self.newest.appending(path: "\(type.schema.name).bin"))
        let record = try type.root.init(serialized: bytes)
        #expect(
            record.customMirror.children.map(\.label) == type.schema.fields.map(\.name),
            "See the comment of GoldenTests for how to write golden files.")
    }

    @Test func everyGoldenFileHasAType() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.newest.path)
        let names = Set(files.map { $0.prefix { $0 != "." } })
        #expect(names == Set(RecordTests.types.map { Substring($0.schema.name) }))
    }
}

extension TypeOfRecord {
    /// Returns the JSON of a record in a normalized form.
    func json(_ bytes: [UInt8]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let record: any Encodable = try root.init(serialized: bytes)
        return try encoder.encode(record) + Data("\n".utf8)
    }

    func bytes(fromJSON json: Data) throws -> [UInt8] {
        func decode<Root: Record>(_: Root.Type) throws -> [UInt8] {
            try JSONDecoder().decode(Root.self, from: json).serializedBytes
        }
        return try decode(root)
    }
}
