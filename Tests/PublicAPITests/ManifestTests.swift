import Foundation
import ScrollbackTestSupport
import Testing

/// Tests the two forms of the manifest: on a Mac, SwiftPM builds LevelDB; elsewhere, the system has
/// it.
///
/// SwiftPM evaluates a copy of the manifest in which the condition is replaced. It resolves no
/// dependency.
@Suite struct ManifestTests {
    @Test func formsDifferOnlyInTheOriginOfLevelDB() throws {
        let mac = try Manifest(onMac: true)
        let other = try Manifest(onMac: false)
        #expect(mac.dependencies.subtracting(other.dependencies) == ["leveldb from 1.22.2"])
        #expect(
            mac.targets(dependingOnPackage: "leveldb")
                == ["CScrollbackLevelDB", "CScrollbackFaultEnvironment"])
        #expect(other.targets(dependingOnPackage: "leveldb") == [])
        #expect(mac.targets(linking: "leveldb") == [])
        #expect(other.targets(linking: "leveldb") == ["CScrollbackLevelDB"])
        #expect(mac.withoutLevelDB.text == other.withoutLevelDB.text)
        #expect(mac.text.contains("StoreTests"))
        // A package that depends on this one would be rejected.
        for manifest in [mac, other] { #expect(!manifest.text.contains("unsafeFlags")) }
    }
}

/// A manifest as SwiftPM describes it in JSON.
private struct Manifest {
    private var root: [String: Any]

    init(onMac: Bool) throws {
        let source = Repository.root
            .appending(path: "Package.swift")
        let text = try String(contentsOf: source, encoding: .utf8)
        let condition = "#if os(macOS)"
        try #require(text.components(separatedBy: condition).count == 2)
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        try text.replacingOccurrences(of: condition, with: "#if \(onMac)")
            .write(
                to: directory.url.appending(path: "Package.swift"), atomically: true,
                encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swift", "package", "--package-path", directory.path, "dump-package"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        root = try #require(json)
        // The location of the manifest, which differs.
        root["packageKind"] = nil
        // SwiftPM prints the traits in any order.
        root["traits"] = list(root["traits"]).sorted {
            "\($0["name"] ?? "")" < "\($1["name"] ?? "")"
        }
    }

    var text: String {
        let data = try? JSONSerialization.data(withJSONObject: root, options: .sortedKeys)
        return data.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func list(_ value: Any?) -> [[String: Any]] { value as? [[String: Any]] ?? [] }

    private var targets: [[String: Any]] { list(root["targets"]) }

    /// The dependencies with their lowest versions.
    var dependencies: Set<String> {
        let packages = list(root["dependencies"]).flatMap { list($0["sourceControl"]) }
        return Set(
            packages.compactMap { package in
                let versions = package["requirement"] as? [String: Any]
                guard let name = package["identity"] as? String,
                    let lowest = list(versions?["range"]).first?["lowerBound"] as? String
                else { return nil }
                return "\(name) from \(lowest)"
            })
    }

    func targets(dependingOnPackage package: String) -> Set<String> {
        names { list($0["dependencies"]).contains { isProduct(of: package, $0) } }
    }

    func targets(linking library: String) -> Set<String> {
        names { list($0["settings"]).contains { isLink(to: library, $0) } }
    }

    private func names(where condition: ([String: Any]) -> Bool) -> Set<String> {
        Set(targets.filter(condition).compactMap { $0["name"] as? String })
    }

    private func isProduct(of package: String, _ dependency: [String: Any]) -> Bool {
        (dependency["product"] as? [Any])?.contains { $0 as? String == package } ?? false
    }

    private func isLink(to library: String, _ setting: [String: Any]) -> Bool {
        let kind = setting["kind"] as? [String: Any]
        return (kind?["linkedLibrary"] as? [String: Any])?["_0"] as? String == library
    }

    /// The manifest without the package, the product and the library `leveldb`.
    var withoutLevelDB: Manifest {
        var manifest = self
        manifest.root["dependencies"] = list(root["dependencies"]).filter {
            list($0["sourceControl"]).first?["identity"] as? String != "leveldb"
        }
        manifest.root["targets"] = targets.map { target in
            var target = target
            target["dependencies"] = list(target["dependencies"]).filter {
                !isProduct(of: "leveldb", $0)
            }
            target["settings"] = list(target["settings"]).filter { !isLink(to: "leveldb", $0) }
            return target
        }
        return manifest
    }
}
