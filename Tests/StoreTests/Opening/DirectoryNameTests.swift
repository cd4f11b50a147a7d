import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Testing

@testable import Store

/// Tests the directory of an app's user: see `ChatStore.directory(in:applicationID:userID:)`.
@Suite struct DirectoryNameTests {
    private let directory = ScratchDirectory()

    private func name(_ id: UserID) -> String {
        ChatStore.directory(in: URL(filePath: "/root"), applicationID: "app", userID: id).path
    }

    @Test(arguments: [
        ("alice", "/root/_app/_alice"), ("a-b_9", "/root/_app/_a-b_9"),
        ("Alice", "/root/_app/_%41lice"), ("", "/root/_app/_"), (".", "/root/_app/_%2e"),
        ("..", "/root/_app/_%2e%2e"), ("/", "/root/_app/_%2f"), ("../x", "/root/_app/_%2e%2e%2fx"),
        ("a\0b", "/root/_app/_a%00b"), ("%41", "/root/_app/_%2541"),
        ("\u{e9}", "/root/_app/_%c3%a9"), ("e\u{301}", "/root/_app/_e%cc%81"),
        (
            String(repeating: "a", count: 99),
            "/root/_app/_" + String(repeating: "a", count: 99)
        ),
        (
            String(repeating: "a", count: 100),
            "/root/_app/%2816597888e4a0d3a36b82b83316ab32680eb8f00f8cd3b904d681246d285a0e"
        ),
    ])
    func directoryNameOfAUserNeverChanges(id: String, path: String) {
        // Do not change these names: apps have such directories.
        #expect(name(UserID(id)) == path)
    }

    @Test func directoryNamesDifferAndStayInsideTheRoot() {
        var ids: [String] = [
            "", ".", "..", "/", "\\", "~", "%", "%2e", "_", "-", "a", "A", "\u{e9}", "e\u{301}",
            "\u{c9}", "i", "I", "\u{131}", "ß", "ss", "nul", "con.txt", "\0", "a\0", "\u{1f600}",
        ]
        for count in [98, 99, 100, 101, 300, 70_000] {
            ids.append(String(repeating: "a", count: count))
            ids.append(String(repeating: "A", count: count))
            ids.append(String(repeating: "/..", count: count))
        }
        var random = SeededRandom(seed: 2)
        for _ in 0..<500 {
            let scalars = (0..<1 + random.number(below: 45)).map { _ in
                Unicode.Scalar(UInt8(random.number(below: 128)))
            }
            ids.append(String(String.UnicodeScalarView(scalars)))
        }
        var unequal: [String] = []
        for id in ids where !unequal.contains(where: { $0.utf8.elementsEqual(id.utf8) }) {
            unequal.append(id)
        }
        let names = unequal.map { name(UserID($0)) }
        #expect(Set(names.map { $0.lowercased() }).count == unequal.count)
        for name in names {
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            #expect(parts.dropLast() == ["", "root", "_app"])
            #expect(parts.last?.utf8.count ?? 0 <= 100)
            #expect(parts.last?.first == "_" || parts.last?.first == "%")
        }
    }

    @Test func eachUserOfEachApplicationHasADirectory() throws {
        let paths = ["a", "b"].flatMap { application in
            ["a", "b", "a/b"].map {
                ChatStore.directory(
                    in: directory.url, applicationID: application, userID: UserID($0)
                ).path
            }
        }
        #expect(Set(paths).count == 6)
        let strange = ChatStore.directory(
            in: directory.url, applicationID: "../..", userID: "a/../%\0ü")
        let store = try ChatStore(at: strange)
        try store.write { try $0.save(Message("m", at: 1)) }
        #expect(
            directory.contents.prefix(2) == [
                "_%2e%2e%2f%2e%2e", "_%2e%2e%2f%2e%2e/_a%2f%2e%2e%2f%25%00%c3%bc",
            ])
    }
}
