import Foundation
import ScrollbackTestSupport
import Testing

/// Tests the prompt with `--matrix` and without a homeserver: no process listens on port 1 of this
/// machine.
@Suite(.timeLimit(.minutes(10)))
struct MatrixPromptTests {
    private let directory: ScratchDirectory
    private let nowhere = ["--matrix", "http://127.0.0.1:1"]

    init() throws { directory = try .made() }

    /// Writes a file of secrets.
    ///
    /// By default, only its owner can read it.
    private func secrets(_ text: String, mode: Int = 0o600) throws -> String {
        let file = directory.url.appending(path: "secrets")
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        return file.path
    }

    @Test(arguments: [
        (["--matrix", "alice"], "'alice' is not the address of a homeserver, such as "),
        (["--matrix", "http://127.0.0.1:1", "--demo"], "--demo needs the embedded server"),
        (["--matrix", "http://127.0.0.1:1", "--clock", "0"], "--clock needs the embedded server"),
    ])
    func optionThatDoesNotFitAHomeserverIsAnError(
        arguments: [String], message: String
    ) async throws {
        let result = try await Program.run(["--memory"] + arguments)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("error: \(message)"))
    }

    @Test func secretsThatOthersCanReadAreRefused() async throws {
        let file = try secrets("@alice:localhost password hunter2\n", mode: 0o644)
        let result = try await Program.run(["--memory", "--secrets", file] + nowhere)
        #expect(result.status == 2)
        #expect(result.errors.hasSuffix("\(file): chmod 600 \(file)\n"))
    }

    @Test(arguments: ["\n", "\r\n", "\r"])
    func errorOfAnInvalidSecretDoesNotContainIt(end: String) async throws {
        let file = try secrets("# Alice\(end)\(end)@alice:localhost hunter2\(end)")
        let result = try await Program.run(["--memory", "--secrets", file] + nowhere)
        #expect(
            result.errors == "error: line 3 of \(file) is not USER password PASSWORD "
                + "or USER token TOKEN\n")
    }

    @Test func scriptWithoutAPasswordSaysWhereToPutIt() async throws {
        let result = try await Program.run(
            ["--memory", "--user", "@alice:localhost"] + nowhere, "send Hi\n")
        #expect(result.status == 1)
        #expect(
            result.errors == "error: there is no password of @alice:localhost: "
                + "type it, or put it into a file for --secrets\n")
    }

    @Test(arguments: ["connect alice", "as alice"])
    func userIDWithoutAServerIsAnError(command: String) async throws {
        let result = try await Program.run(["--memory"] + nowhere, "\(command)\n")
        #expect(result.errors.contains("'alice' is not the ID of a Matrix user, such as @alice:"))
    }

    @Test func tokenIsNotReadFromALineOfTheHistory() async throws {
        let result = try await Program.run(
            ["--memory"] + nowhere, "connect @alice:localhost syt_1\n")
        #expect(result.errors.contains("put it into a file for --secrets"))
    }

    @Test func firstConnectionNeedsTheHomeserver() async throws {
        let arguments = ["--home", directory.path, "--user", "@alice:localhost"] + nowhere
        let result = try await Program.run(
            arguments, "status\n", environment: ["SCROLLBACK_PASSWORD": "hunter2"])
        #expect(result.status == 1)
        #expect(result.errors == "error: notConnected: 127.0.0.1 cannot be reached\n")
        // The device of the homeserver is not listed among those of the embedded server.
        let embedded = try await Program.run(["--home", directory.path], "devices\n")
        #expect(embedded.output == "no devices: type connect alice\n")
    }

    @Test(arguments: [
        "demo", "server users", "server backup", "server restore", "server option", "revoke bob",
    ])
    func commandForTheEmbeddedServerSaysSo(command: String) async throws {
        let result = try await Program.run(["--memory"] + nowhere, "\(command)\n")
        let message = "this command needs the embedded server: start the prompt without --matrix"
        #expect(result.status == 1)
        #expect(result.errors == "error: line 1: \(message)\n")
    }
}
