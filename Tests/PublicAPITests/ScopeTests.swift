import Foundation
import ScrollbackTestSupport
import Testing

/// Tests which declarations are in the scope of an app that imports `Scrollback`.
@Suite struct ScopeTests {
    private static let limit = 1200

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
            // Apps have this method only with the trait Logging.
            exported.contains(String($0.prefix { $0 != "." }))
                && !$0.hasPrefix("ChatClientOptions.setLogger")
        }
        #expect(names.count > 900, "the symbols were not found")
        #expect(names.count <= Self.limit)
        #expect(exported.isDisjoint(with: ["Models", "Store", "Sync", "Collections"]))
    }

    /// An app that follows the advice of the compiler needs no other import.
    @Test func replacementsOfFormerNamesAreInTheScope() throws {
        let file = Repository.root.appending(path: "Sources/Scrollback/FormerNames.swift")
        let text = try String(contentsOf: file, encoding: .utf8)
        let (exported, known) = (try exported(), Set(try PublicSymbols().names))
        var (type, count) = ("", 0)
        for line in text.split(separator: "\n") {
            if let match = line.firstMatch(of: /^extension (\w+) \{/) { type = String(match.1) }
            if line == "}" { type = "" }
            guard let match = line.firstMatch(of: /renamed: "([^"]+)"/) else { continue }
            count += 1
            if type.isEmpty {
                #expect(exported.contains(String(match.1)))
            } else {
                #expect(known.contains("\(type).\(match.1)"))
            }
        }
        #expect(count > 30)
    }

    @Test func everydayNamesAreNotInTheScope() throws {
        #expect(try exported().intersection(Self.everydayNames).sorted() == [])
    }
}
