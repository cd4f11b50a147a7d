import Foundation
import ScrollbackTestSupport
import Testing

/// Checks that CI and the tools use fixed versions of what they download.
@Suite struct SupplyChainTests {
    private static let root = Repository.root

    private func text(_ path: String) throws -> String {
        try String(contentsOf: SupplyChainTests.root.appending(path: path), encoding: .utf8)
    }

    @Test(arguments: ["ci", "nightly"])
    func actionsAreCommitsAndContainersAreFullVersions(workflow: String) throws {
        let lines = try text(".github/workflows/\(workflow).yml")
            .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let actions = lines.filter { $0.contains("uses:") }
        #expect(!actions.isEmpty)
        for line in actions {
            // A tag can be moved to another commit.
            let commit = /- uses: [\w\/-]+@[0-9a-f]{40} # v[\d.]+/
            #expect(line.wholeMatch(of: commit) != nil, "\(line)")
        }
        #expect(lines.count { $0 == "persist-credentials: false" } == actions.count)
        for line in lines where line.hasPrefix("container:") {
            let version = /container: swift:(\d+\.\d+\.\d+-\w+|\S+@sha256:[0-9a-f]{64})/
            #expect(line.wholeMatch(of: version) != nil, "\(line)")
        }
    }

    @Test func pythonPackagesAreInstalledOnlyByTheirHashes() throws {
        let tools = SupplyChainTests.root.appending(path: "Tests/Tools").path
        var installing = ["Makefile", ".ci/run", ".ci/lanes"]
        installing += try FileManager.default.contentsOfDirectory(atPath: tools).map {
            "Tests/Tools/\($0)"
        }
        let lines = try installing.flatMap { try text($0).split(separator: "\n") }
            .filter { $0.contains(/pip\b.* install\b/) }
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(#"install "${options[@]}""#) }, "\(lines)")
        #expect(try text("Tests/Tools/python-environment").contains("--require-hashes --no-deps"))
    }

    @Test(arguments: [("synapse", "matrix-synapse"), ("matrix-nio", "matrix-nio")])
    func eachPythonPackageHasHashes(file: String, name: String) throws {
        let text = try text("Tests/Tools/\(file).txt").replacing("\\\n", with: "")
        let packages = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(packages.contains { $0.hasPrefix("\(name)==") })
        for package in packages {
            let line = /[\w.-]+==[\w.]+( +--hash=sha256:[0-9a-f]{64})+/
            #expect(package.wholeMatch(of: line) != nil, "\(package)")
        }
    }

    @Test func packagesBeforeVersion1MayOnlyChangeTheirPatch() throws {
        let manifest = try text("Package.swift")
        #expect(manifest.firstMatch(of: /\.package\(url: "[^"]+", from: "0\./) == nil)
    }
}
