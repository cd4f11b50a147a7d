import Foundation
import ScrollbackTestSupport
import Testing

@testable import Models

/// Tests the .proto files, which `make schema` writes from the schemas in the code.
@Suite struct ProtoTests {
    static let file = Repository.root.appending(path: "Docs/scrollback.proto")
    private static let comparedFile = Repository.root.appending(path: "Benchmarks/compared.proto")

    private static let header = """
        // The binary form of Scrollback's models: the output of serialize() and the input of
        // init(serialized:). `make schema` writes this file from the schemas in the code.
        //
        // Writers may use any valid protobuf encoding; serialize() always writes the canonical form: fields
        // in ascending order, no zeros except in fields marked `optional`, packed integers, maps ordered by
        // key. Times are milliseconds since 1970-01-01 UTC. In a field that is not marked `optional`, 0 or
        // an empty text means "none" or "never" where the comment allows such a value. Field 100 holds JSON
        // values under keys that are not fields of the type.
        """

    private static let comparedHeader = """
        // The types that the benchmark of the binary form compares with generated code. `make schema`
        // writes this file from the schemas in the code; Package.swift says how to generate the code.
        """

    @Test func filesAreTheOutputOfTheSchemas() throws {
        let all = ProtoText(recordTypes, header: Self.header)
        let compared = ProtoText(
            [Message.self, GroupChannel.self], header: Self.comparedHeader)
        #expect(all.uncommented == [])
        let records = ProcessInfo.processInfo.environment["SCROLLBACK_RECORD"] != nil
        for (file, text) in [(Self.file, all.text), (Self.comparedFile, compared.text)] {
            if records { try text.write(to: file, atomically: true, encoding: .utf8) }
            let written = try? String(contentsOf: file, encoding: .utf8)
            #expect(written == text, "\(file.lastPathComponent) is out of date: run `make schema`")
        }
    }
}
