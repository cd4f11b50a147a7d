import Foundation
import ScrollbackTestSupport
import Testing

@testable import Models

/// Checks that every type and every property in the source code is in a schema.
@Suite struct SourceTests {
    static let files: [String] = {
        let directory = Repository.root.appending(path: "Sources/Models")
        let paths = FileManager.default.enumerator(atPath: directory.path)?.allObjects ?? []
        return paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.compactMap {
            try? String(contentsOf: directory.appending(path: $0), encoding: .utf8)
        }
    }()

    @Test func recordTypesListsEveryType() {
        let declared = Self.files.flatMap { file in
            file.matches(
                of:
                    /public struct (\w+): (?:Record|Person|Channel|Message(?:Create|Update|Selection)Params) \{/
            )
            .map { String($0.output.1) }
        }
        #expect(declared.count > 30)
        #expect(Set(declared) == Set(recordTypes.map { $0.schema.name }))
    }

    /// A property that reads field 7 needs a line `Field(7, "…", \Type.property)` in a schema of
    /// its file.
    ///
    /// Otherwise JSON and Docs/scrollback.proto would lack the field.
    @Test func everyPropertyThatReadsAFieldIsInASchema() {
        var count = 0
        for file in Self.files {
            let schemas = Set(
                file.matches(of: /Field\(\s*(\d+),\s*"[^"]+",\s*\\\w+\.(\w+)/)
                    .map { "\($0.output.2) reads \($0.output.1)" }
                    .filter { $0 != "extra reads 100" })
            let properties =
                file.matches(
                    of:
                        /(?:public|package) var `?(\w+)`?: [^{]+\{\s+(?:@\w+\([^)]*\)\s+)?get \{ self\[(\d+)[,\]]/
                )
                .map { "\($0.output.1) reads \($0.output.2)" }
                .filter { $0 != "extra reads 100" }
            #expect(schemas == Set(properties))
            count += properties.count
        }
        #expect(count > 260)
    }

    @Test func everyEnumerationHasANameForEachCase() {
        func check<Value: WireEnum>(_: Value.Type) {
            let values = Value.names.indices.map { Value(number: $0) }
            #expect(!values.contains(nil), "\(Value.self)")
            #expect(Value(number: values.count) == nil || Value.self is any OpenWireEnum.Type)
            #expect(Set(Value.names).count == Value.names.count)
        }
        for field in recordTypes.flatMap({ $0.schema.fields }) {
            if let type = field.propertyType as? any WireEnum.Type { check(type) }
        }
    }

    /// Of all types, only JSON values may be nested without a limit in the schema.
    ///
    /// All other records end after a few levels, because protobuf readers accept at most a hundred
    /// levels.
    @Test func recordsNestInEachOtherOnlyAFewLevelsDeep() {
        func depth(_ schema: Schema, _ path: [String]) -> Int {
            #expect(!path.contains(schema.name), "\(schema.name) holds itself: \(path)")
            guard !path.contains(schema.name) else { return 0 }
            let nested = schema.fields.map { field -> Int in
                guard case .record(let name, _) = field.kind.element else { return 0 }
                let entry = field.kind.label == .map ? 1 : 0
                guard let type = recordTypes.first(where: { $0.schema.name == name }) else {
                    // Each level of JSON adds three: an array or object, its entry, and the value.
                    return entry + 3 * JSONValue.maximumDepth
                }
                return entry + depth(type.schema, path + [schema.name])
            }
            return 1 + (nested.max() ?? 0)
        }
        for type in recordTypes { #expect(depth(type.schema, []) < 100) }
    }
}
