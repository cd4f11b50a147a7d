import Foundation
import Testing

@testable import Models

@Suite struct ProtoTests {
    static let file = repository.appending(path: "Docs/scrollback.proto")

    /// Returns the definitions in Docs/scrollback.proto in the form that `ProtoText` writes.
    static func definitions() throws -> [String: String] {
        let text = try String(contentsOf: file, encoding: .utf8)
        let words = text.split(separator: "\n")
            .map { $0.prefix(upTo: $0.firstRange(of: "//")?.lowerBound ?? $0.endIndex) }
            .joined(separator: " ").split(separator: " ").joined(separator: " ")
        var definitions: [String: String] = [:]
        for part in words.matches(of: /(message|enum) (\w+) \{[^}]*\}/) {
            definitions[String(part.output.2)] = String(part.output.0)
                .replacing(/\ reserved [^;]*;/, with: "")
        }
        return definitions
    }

    @Test func everyFieldOfTheFileHasAComment() throws {
        let lines = try String(contentsOf: Self.file, encoding: .utf8).split(separator: "\n")
        for (previous, line) in zip(lines, lines.dropFirst()) {
            if line.contains("//") || line.hasPrefix("  reserved ") { continue }
            let isField = line.hasPrefix("  ") && line.hasSuffix(";")
            let isType = line.hasPrefix("message ") || line.hasPrefix("enum ")
            if !(isField || isType) || line.hasSuffix(" extra = 100;") { continue }
            #expect(previous.contains("//"), "\(line)")
        }
    }

    @Test func numbersOfRemovedFieldsAreReserved() throws {
        let text = try String(contentsOf: Self.file, encoding: .utf8)
        #expect(text.contains("message MessageListParams {\n  reserved 9 to 13;"))
        #expect(text.contains("message GroupChannelListQuery {\n  reserved 5, 6;"))
    }

    @Test func protoFileAgreesWithTheSchemas() throws {
        let written = try Self.definitions()
        let coded = ProtoText().definitions
        #expect(Set(written.keys) == Set(coded.keys))
        for (name, definition) in coded { #expect(written[name] == definition) }
    }
}
