import Foundation
import Testing

/// `Docs/Backends.md` shows the code that is compiled and tested here, and no other.
@Suite struct BackendsPageTests {
    static let blocks: [String] = {
        // A page that is not there has none, which is seen below.
        let page = (try? text("Docs/Backends.md")) ?? ""
        return page.components(separatedBy: "```swift\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
    }()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: repository.appending(path: path), encoding: .utf8)
    }

    @Test(arguments: blocks)
    func theCodeOnThePageIsInTheExample(block: String) throws {
        let files = [
            "TeamChat/TeamChatBackend.swift", "TeamChat/TeamChat+Models.swift",
            "TeamChat/TeamChatSubject.swift", "TeamChatConformanceTests.swift",
        ]
        let code = try files.map { try Self.text("Tests/ScrollbackTestingTests/\($0)") }
        #expect(code.contains { $0.contains(block) }, "\(block)")
    }

    @Test func thePageShowsTheExample() {
        #expect(Self.blocks.count == 14)
    }

    @Test func theExampleIsShort() throws {
        let lines = try Self.text("Tests/ScrollbackTestingTests/TeamChat/TeamChatBackend.swift")
            .split(separator: "\n", omittingEmptySubsequences: true)
        #expect(lines.count { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//") } < 200)
    }
}
