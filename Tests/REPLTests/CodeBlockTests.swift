import Foundation
import Testing

/// Tests that each code block of the pages is compiled, replayed or checked in another way.
@Suite struct CodeBlockTests {
    static let blocks: [CodeBlock] = Project.pages.flatMap { page in
        // An unreadable page has no blocks. Another test detects this.
        (try? CodeBlock.all(on: page)) ?? []
    }

    private static let swift = blocks.filter { $0.language == "swift" }
    private static let code = Project.swift(in: "Tests", "Examples", "Sources/MatrixBackend")
        .mapValues { file in
            file.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        }

    @Test(arguments: Project.pages) func eachPageCanBeRead(page: String) throws {
        let fences = try Project.text(page).components(separatedBy: "\n")
            .count { $0.trimmingCharacters(in: .whitespaces).hasPrefix("```") }
        #expect(try CodeBlock.all(on: page).count * 2 == fences)
    }

    @Test func thereArePagesToLookAt() {
        #expect(Project.pages.count > 20 && Self.swift.count > 25 && Self.blocks.count > 70)
    }

    // MARK: Swift

    @Test(arguments: swift.filter { !$0.isOfManifest })
    func theSwiftOnAPageIsCompiled(block: CodeBlock) {
        let imports = block.lines.filter { $0.hasPrefix("import ") }
        let rest = block.lines.drop { $0.isEmpty || $0.hasPrefix("import ") }
        let place = Self.code.first { _, lines in
            imports.allSatisfy { lines.hasModule(of: $0) } && lines.firstRange(of: rest) != nil
        }
        #expect(
            place != nil,
            "\(block.testDescription) stands in no file of Tests, Examples or MatrixBackend")
    }

    @Test(arguments: swift.filter(\.isOfManifest))
    func aManifestIsThatOfAConsumer(block: CodeBlock) throws {
        let consumer = block.page == "Docs/Backends.md" ? "FirstBackend" : "FirstCollection"
        // The page assumes another location of the package.
        let manifest = try Project.text("Tests/Consumers/\(consumer)/Package.swift")
            .replacing("../../Scrollback", with: "../scrollback")
            .replacing("package: \"Scrollback\"", with: "package: \"scrollback\"")
        var lines = manifest.components(separatedBy: "\n").dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
        if consumer == "FirstCollection" {
            // In the guide, the test target is added in a later step.
            let tests = #".testTarget(name: "AppTests", dependencies: ["App"]),"#
            #expect(try Project.text(block.page).contains("`\(tests)`"))
            #expect(lines.contains(tests))
            lines.removeAll { $0 == tests }
        }
        #expect(lines == block.lines)
    }

    // MARK: The prompt and the shell

    @Test(arguments: blocks.filter { $0.firstCommand != nil })
    func thePromptOnAPageIsReplayed(block: CodeBlock) {
        let isReplayed =
            Transcript(block.text).hasUsers
            ? TranscriptTests.pages.contains(block.page)
            : PageTests.pages.contains(block.page)
                && PageTests.sessions.contains { $0.examples[0].line == block.firstCommand }
        #expect(isReplayed, "\(block.testDescription) is replayed by no test")
    }

    /// Tests commands such as `make test` and `make bench ARGS="--quick"`, in blocks and in text.
    @Test(arguments: Project.pages) func eachRuleOnAPageIsInTheMakefile(page: String) throws {
        let makefile = try Makefile()
        let inline = try Project.text(page).matches(of: /`(make [^`\n]+)`/).map {
            String($0.output.1)
        }
        let shell = Self.blocks.filter { $0.page == page }.flatMap(\.shellCommands)
        for command in (inline + shell).filter({ $0.hasPrefix("make ") }) {
            let words = command.split(separator: "<")[0].replacing(/\w+="[^"]*"/, with: "")
                .split(separator: " ").dropFirst()
            for word in words where !word.contains("=") {
                #expect(makefile.rules.contains(String(word)), "\(page): \(command)")
            }
            for match in command.matches(of: /(\w+)=/) {
                #expect(makefile.text.contains("$(\(match.output.1))"), "\(page): \(command)")
            }
        }
    }

    @Test func eachOptionInABlockIsOneOfAProgram() {
        let programs = Project.swift(in: "Examples/REPL", "Benchmarks/Sources").values
        let commands = Self.blocks.flatMap(\.shellCommands)
        let options = Set(commands.flatMap { $0.matches(of: /--([a-z-]+)/).map(\.output.1) })
        #expect(options.count > 5)
        for option in options {
            // An option is a case in the prompt's parser, or a property of a swift-argument-parser
            // command.
            let forms = ["case \"--\(option)\":", "var \(option) = ", "var \(option): String?"]
            #expect(
                programs.contains { program in forms.contains { program.contains($0) } },
                "nobody reads --\(option)")
        }
    }

    @Test func eachVariableOfTheEnvironmentIsRead() throws {
        let code = Project.swift(in: "Sources", "Tests", "Examples", "Benchmarks/Sources").values
        let pages = try (Project.pages + ["Makefile"]).map(Project.text)
        let names = Set(
            pages.flatMap { $0.matches(of: /SCROLLBACK_[A-Z_]+/).map { String($0.output) } })
        #expect(names.count > 5)
        for name in names {
            #expect(code.contains { $0.contains("\"\(name)\"") }, "nobody reads \(name)")
        }
    }

    // MARK: Other blocks

    @Test func eachOtherBlockIsInTheList() {
        let blocks = Self.blocks.filter {
            $0.language != "swift" && $0.firstCommand == nil && !$0.isOfCommands
        }
        for block in blocks {
            let entries = OtherBlock.all.filter { $0.isAbout(block) }
            #expect(
                entries.count == 1,
                "\(block.testDescription) is in the list \(entries.count) times: \(block.text)")
        }
        for entry in OtherBlock.all {
            let count = blocks.count(where: entry.isAbout)
            #expect(count == 1, "\(entry.page) has \(count) blocks that begin: \(entry.start)")
        }
    }

    @Test func everyListedTestExists() {
        let lines = Set(Self.code.values.joined())
        for case .test(let name) in OtherBlock.all.map(\.look) {
            #expect(lines.contains { $0.contains("func \(name)(") }, "there is no test \(name)")
        }
    }
}

extension CodeBlock {
    fileprivate var text: String { lines.joined(separator: "\n") }

    fileprivate var isOfManifest: Bool { text.contains(".product(name:") }

    /// True if all lines are shell commands.
    fileprivate var isOfCommands: Bool { !lines.isEmpty && shellCommands.count == lines.count }
}

extension [String] {
    /// Returns true if a file with these lines imports the module of an import line, possibly as a
    /// part of `Scrollback`.
    fileprivate func hasModule(of line: String) -> Bool {
        let isInUmbrella = ["Models", "Store", "Sync", "Collections"].contains {
            line == "import \($0)"
        }
        return contains(line) || contains("@testable \(line)")
            || isInUmbrella && contains("import Scrollback")
    }
}

/// The rules of the Makefile, and its text.
private struct Makefile {
    let text: String
    let rules: Set<String>

    init() throws {
        text = try Project.text("Makefile")
        let heads = text.matches(of: /(?m)^([a-z][a-z -]*):/).map(\.output.1)
        let consumers = try FileManager.default.contentsOfDirectory(
            atPath: Project.root.appending(path: "Tests/Consumers").path)
        let fuzzers = text.firstMatch(of: /(?m)^FUZZERS := (.*)$/)?.output.1 ?? ""
        rules = Set(
            (heads + [fuzzers, "Logs"]).flatMap { $0.split(separator: " ").map(String.init) }
                + consumers)
    }
}
