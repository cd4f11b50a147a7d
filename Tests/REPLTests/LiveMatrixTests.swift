import Foundation
import ScrollbackTestSupport
import Testing

/// The address of the homeserver, or `nil` if the live tests are not enabled.
private var matrixServer: String? { ProcessInfo.processInfo.environment["SCROLLBACK_MATRIX"] }

/// The name of the homeserver.
///
/// It includes a port if there is a second homeserver.
private var serverName: String {
    let port = matrixServer.flatMap { URL(string: $0)?.port } ?? 0
    let hasPeer = ProcessInfo.processInfo.environment["SCROLLBACK_MATRIX_PEER"] != nil
    return hasPeer ? "localhost:\(port + 1)" : "localhost"
}

/// Tests the prompt with the homeserver that `make test-matrix` starts.
@Suite(
    .timeLimit(.minutes(10)),
    .enabled(if: matrixServer != nil, "make test-matrix starts a homeserver"))
struct LiveMatrixTests {
    private let directory: ScratchDirectory
    private let (alice, bob): (String, String)
    private let secrets: URL

    /// Registers two users, and writes their passwords to a file.
    init() throws {
        directory = try .made()
        let run = String(UInt32.random(in: 0...UInt32.max), radix: 36)
        (alice, bob) = ("@alice-\(run):\(serverName)", "@bob-\(run):\(serverName)")
        secrets = directory.url.appending(path: "secrets")
        var lines = ""
        for name in ["alice-\(run)", "bob-\(run)"] {
            let process = Process()
            process.executableURL = URL(filePath: "Tests/Tools/matrix-server")
            process.arguments = ["user", name, "pass word"]
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            lines += "@\(name):\(serverName) password pass word\n"
        }
        try Data(lines.utf8).write(to: secrets)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: secrets.path)
    }

    private func program() throws -> Program {
        try Program([
            "--home", directory.path, "--matrix", matrixServer!, "--user", alice,
            "--secrets", secrets.path,
        ])
    }

    /// Creates a room of Alice and Bob as Alice, and returns the room's URL.
    private func makeRoom(_ program: Program) async throws -> String {
        program.type("create Lunch with \(bob)\n")
        let created = try await program.reads(" with 2 members\n")
        let url = try #require(created.firstMatch(of: #/created (\S+) with 2/#)).1
        program.type("as \(bob) accept \(url)\nsync\nopen \(url)\n")
        try await program.reads("no messages")
        return String(url)
    }

    @Test func sessionWithTwoUsersShowsWhatTheyWrite() async throws {
        let program = try program()
        try await program.reads("= \(alice) is connected\n")
        let url = try await makeRoom(program)
        program.type("send Hello\nwait 1s\n")
        let sent = try await program.reads("1s later")
        let id = try #require(sent.firstMatch(of: #/ as (\$\S+)/#)).1
        program.type("as \(bob) open \(url)\n")
        try await program.reads("Hello")
        program.type("as \(bob) send Hi\nwait 1s\n")
        try await program.reads("Hi")
        program.type("react \(id) +1\nedit \(id) Hello, all\nsync\nwait 1s\nshow\n")
        try await program.reads("1s later")
        try await program.reads("Hello, all")
        program.type("reply \(id) Lunch?\nwait 1s\n")
        try await program.reads("Lunch?")
        let inThread = #"{"message": "At noon", "parent_message_id": "\#(id)"}"#
        program.type("send \(inThread)\nwait 1s\nthread \(id)\n")
        try await program.reads("1s later")
        try await program.reads("At noon")
        program.type("members\n")
        try await program.reads(bob)
        program.type("offline\nsend Later\npending\n")
        try await program.reads("Later")
        program.type("online\nwait 2s\npending\n")
        try await program.reads("no pending messages")
        program.type("verify\n")
        try await program.reads("no differences from the server")
        program.type("coverage\n")
        try await program.reads("█")
        program.type("hide \(url)\n")
        try await program.readsError("lacks hiding")
        program.type("say Hi\n")
        try await program.readsError("this command needs the embedded server")
        program.type("store check\nquit\n")
        program.endInput()
        _ = try await program.ends()
    }

    @Test func messagesPendingAtAKillAreSentOnceByTheNextProcess() async throws {
        let first = try program()
        try await first.reads("= \(alice) is connected\n")
        let url = try await makeRoom(first)
        first.type("send Before\nwait 1s\n")
        try await first.reads("1s later")
        first.type("offline\nsend One\nsend Two\nsend Three\npending\n")
        for text in ["One", "Two", "Three"] { try await first.reads("  \(text)\n") }
        try await first.kill()

        let second = try program()
        try await second.reads("= \(alice) is connected\n")
        second.type("open \(url)\nwait 2s\nsync\npending\n")
        try await second.reads("up to date")
        try await second.reads("no pending messages")
        second.type("as \(bob) open \(url)\n")
        let shown = try await second.reads("Three")
        let texts = shown.matches(of: #/  (Before|One|Two|Three)(?=\n|$)/#).map { String($0.1) }
        #expect(texts == ["Before", "One", "Two", "Three"])
        second.type("quit\n")
        second.endInput()
        #expect(try await second.ends().status == 0)
    }
}
