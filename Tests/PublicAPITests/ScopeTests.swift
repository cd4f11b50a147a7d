import Foundation
import ScrollbackTestSupport
import Testing

/// Tests which declarations are in the scope of an app that imports `Scrollback`.
@Suite struct ScopeTests {
    private static let limit = 1305

    /// Names that apps use for declarations of their own.
    private static let everydayNames = [
        "Record", "Schema", "Person", "Role", "Page", "Position", "Change", "Batch", "Storage",
        "Identifier", "Delivery", "Patch",
    ]

    private func exported() throws -> Set<String> {
        let root = Repository.root
        let file = root.appending(path: "Sources/Scrollback/Scrollback.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        let imports = text.matches(of: /(?m)^@_exported public import (?:\w+ \w+\.)?(\w+)$/)
        return Set(imports.map { String($0.output.1) })
    }

    @Test func appSeesWhatAnAppNeeds() throws {
        let exported = try exported()
        let names = try PublicSymbols().names.filter {
            exported.contains(String($0.prefix { $0 != "." }))
        }
        #expect(names.count > 900, "the symbols were not found")
        #expect(names.count <= Self.limit)
        #expect(exported.isDisjoint(with: ["Models", "Store", "Sync", "Collections"]))
    }

    @Test func everydayNamesAreNotInTheScope() throws {
        #expect(try exported().intersection(Self.everydayNames).sorted() == [])
    }
}
