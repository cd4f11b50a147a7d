import Foundation
import ScrollbackTestSupport
import ScrollbackTesting
import Sync
import Testing

/// Tests that `Docs/Backends.md` shows only code that is compiled and tested in this target or in
/// the package `FirstBackend`.
@Suite struct BackendsPageTests {
    static let blocks: [String] = {
        // If the page is missing, it has no blocks, and the last test fails.
        let page = (try? text("Docs/Backends.md")) ?? ""
        return page.components(separatedBy: "```swift\n").dropFirst()
            .map { $0.components(separatedBy: "```")[0] }
    }()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
    }

    @Test(arguments: blocks)
    func codeOnThePageIsInTheExample(block: String) throws {
        let files = [
            "ScrollbackTestingTests/FirstBackend/MyBackend.swift",
            "Consumers/FirstBackend/Tests/MyBackendTests/MyBackendTests.swift",
            "ScrollbackTestingTests/TeamChat/TeamChatBackend.swift",
            "ScrollbackTestingTests/TeamChat/TeamChat+Models.swift",
            "ScrollbackTestingTests/TeamChat/TeamChatSubject.swift",
            "ScrollbackTestingTests/ServerRequestTests.swift",
        ]
        var code = try files.map { try Self.text("Tests/\($0)") }
        code.append(try Self.text("Sources/MatrixBackend/Client/MatrixBackend+Requests.swift"))
        // The page assumes another location of the package.
        code.append(
            try Self.text("Tests/Consumers/FirstBackend/Package.swift")
                .replacing("../../Scrollback", with: "../scrollback")
                .replacing("package: \"Scrollback\"", with: "package: \"scrollback\""))
        #expect(code.contains { $0.contains(block) }, "\(block)")
    }

    @Test func thePageShowsTheExample() {
        #expect(Self.blocks.count == 22)
    }

    @Test func thePageShowsTheFirstReport() async throws {
        var subject = BareSubject()
        subject.backend = { MyBackend() }
        let report = await BackendConformance.run(on: subject) { $0.promise.id == "connect.user" }
        #expect(try Self.text("Docs/Backends.md").contains("\n```\n\(report)\n```\n"))
    }

    @Test func thePageShowsTheReport() async throws {
        let memory = Memory()
        let mistake = try #require(
            Mistake.all.first { $0.description == "reports messages to nonmembers" })
        var subject = TeamChatSubject()
        subject.wrap = { mistake.make($0, memory) }
        let report = "\(await BackendConformance.run(on: subject))"
        let page = try Self.text("Docs/Backends.md")
        let block = try #require(
            page.components(separatedBy: "```\n").first { $0.hasPrefix("1 of ") })
        // In place of the calls that it leaves out, the page has a line `…`.
        #expect(report.hasPrefix(block.components(separatedBy: "\n")[0] + "\n"))
        var rest = report[...]
        for part in block.components(separatedBy: "        …\n") {
            let range = try #require(rest.range(of: part), "\(part) is not in \(report)")
            rest = rest[range.upperBound...]
        }
    }

    @Test func theExampleIsShort() throws {
        let lines = try Self.text("Tests/ScrollbackTestingTests/TeamChat/TeamChatBackend.swift")
            .split(separator: "\n", omittingEmptySubsequences: true)
        #expect(lines.count { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//") } < 200)
    }
}
