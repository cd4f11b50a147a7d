import Foundation
import ScrollbackTestSupport
import Testing

@testable import Models

/// The example of a new field in CONTRIBUTING.md, in the form in which a channel would declare it.
private struct Room: Record {
    var fields = RecordFields<Room>()

    static let schema = Schema("Room", [Field(58, "is_invite_only", \Room.isInviteOnly)])

    /// A Boolean value that indicates whether only invited users may join.
    public var isInviteOnly: Bool {
        get { self[58] }
        set { self[58] = newValue }
    }
}

@Suite struct ContributingPageTests {
    @Test func aNewFieldIsAPropertyAndALineOfTheSchema() throws {
        var room = Room()
        #expect(room.serializedBytes == [] && !room.isInviteOnly)
        room.isInviteOnly = true
        #expect(try Room(serialized: room.serialize()) == room)
        let json = String(decoding: try JSONEncoder().encode(room), as: UTF8.self)
        #expect(json == #"{"is_invite_only":true}"#)
        #expect(try JSONDecoder().decode(Room.self, from: Data(json.utf8)) == room)
    }

    @Test func fieldNumberInTheExampleIsTheNextFreeOne() throws {
        // Field 100 and higher fields have no name in this version.
        let numbers = GroupChannel.schema.fields.map(\.number).filter { $0 < 100 }
        #expect(numbers.max() == 57)
        let page = try String(
            contentsOf: Repository.root.appending(path: "CONTRIBUTING.md"), encoding: .utf8)
        #expect(page.contains(#"`Field(58, "is_invite_only", \GroupChannel.isInviteOnly)`"#))
    }

    /// `make mutants` compiles the result, and runs the check that the patch adds.
    @Test func aNewRequestIsAPatchOfAtMostFourNamedFiles() throws {
        let patch = Repository.root.appending(path: "Tests/Mutants/new-request.patch")
        let paths = try String(contentsOf: patch, encoding: .utf8).matches(of: #/\+\+\+ b/(.+)/#)
            .map { String($0.output.1) }
        #expect((1...4).contains(paths.count))
        let sections = try Repository.text(of: "CONTRIBUTING.md").components(separatedBy: "\n## ")
        let steps = try #require(sections.first { $0.hasPrefix("Adding a call to a server") })
        let copy = try ScratchDirectory.made()
        for path in paths {
            let file = Repository.root.appending(path: path)
            let target = copy.url.appending(path: path)
            let directory = path.prefix(upTo: try #require(path.lastIndex(of: "/")))
            #expect(
                steps.contains("`\(path)`") || steps.contains("a file of `\(directory)`"),
                "no step names \(path)")
            try FileManager.default.createDirectory(
                at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            guard FileManager.default.fileExists(atPath: file.path) else { continue }
            try FileManager.default.copyItem(at: file, to: target)
        }
        let git = Process()
        git.executableURL = URL(filePath: "/usr/bin/env")
        git.arguments = ["git", "apply", patch.path]
        git.currentDirectoryURL = copy.url
        try git.run()
        git.waitUntilExit()
        #expect(git.terminationStatus == 0, "repeat the steps, and write the patch again")
    }
}
