import Foundation
import ScrollbackREPL
import ScrollbackTestSupport
import Testing

/// Tests the program and its options as a script calls it.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ProgramTests {
    private let place: ScratchDirectory
    private var directory: URL { place.url }

    init() throws { place = try .made() }

    private func script(_ text: String) throws -> String {
        let url = directory.appending(path: "script-\(UUID().uuidString)")
        try Data(text.utf8).write(to: url)
        return url.path
    }

    @Test func scriptStopsAtTheFirstFailure() async throws {
        let path = try script("# A comment\ntime 0\n\ntiem 0\ntime 1\n")
        let result = try await Program.run(["--memory", "--script", path])
        #expect(result.status == 1)
        #expect(result.output == "1970-01-01T00:00:00.000Z\n")
        #expect(
            result.errors == "error: line 4: there is no command 'tiem': did you mean time?\n")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func theStatusNamesTheSignalThatEndsIt(signal: Int32) async throws {
        let program = try Program(["--memory"])
        program.type("time 0\n")
        _ = try await program.reads("1970")
        #expect(try await program.kill(signal) == 128 + signal)
    }

    @Test func helpShowsTheDataDirectory() async throws {
        let data = directory.appending(path: "data").path
        let named = try await Program.run(["--help"], environment: ["XDG_DATA_HOME": data])
        #expect(named.output.contains("(default: \(data)/scrollback,\n"))
        // A relative path in `XDG_DATA_HOME` is ignored.
        let home = FileManager.default.homeDirectoryForCurrentUser
            .appending(path: ".local/share/scrollback").path
        let other = try await Program.run(["--help"], environment: ["XDG_DATA_HOME": "data"])
        #expect(other.output.contains("(default: \(home),\n"))
        #expect(!other.output.split(separator: "\n").contains { $0.count > 100 })
        // `status` prints the directory that contains the data.
        let run = try await Program.run(
            [], "connect alice\nstatus\n", environment: ["XDG_DATA_HOME": data])
        #expect(run.output.contains("in \(data)/scrollback/devices/alice"))
    }

    @Test func byteOrderMarkIsIgnored() async throws {
        let text = "\u{FEFF}time 0\ntime 1\n"
        let output = "1970-01-01T00:00:00.000Z\n1970-01-01T00:00:00.001Z\n"
        let piped = try await Program.run(["--memory"], text)
        #expect(piped.status == 0 && piped.output == output)
        let read = try await Program.run(["--memory", "--script", script(text)])
        #expect(read.status == 0 && read.output == output)
    }

    @Test func pipeContinuesAfterAFailure() async throws {
        let result = try await Program.run(["--memory"], "tiem 0\ntime 1\n")
        #expect(result.status == 1)
        #expect(result.output == "1970-01-01T00:00:00.001Z\n")
        #expect(result.errors.hasPrefix("error: line 1: "))
    }

    @Test func jsonHasOneLineForEachCommand() async throws {
        let result = try await Program.run(
            ["--memory", "--json", "--clock", "2023-11-14T22:13:20Z"],
            "connect alice\n\nopen nowhere else\ntiem\n")
        #expect(
            result.output == """
                {"command":"connect","input":"connect alice","kind":"result","line":1,"text":"alice","values":{"device":"alice","user_id":"alice"}}
                {"event":"connected","kind":"event","line":1,"text":"= alice is connected","values":{"user_id":"alice"}}
                {"code":"usage","command":"open","input":"open nowhere else","kind":"error","line":3,"text":"usage: open CHANNEL [at TIME | at last-read] [cacheOnly | apiOnly] [JSON]"}
                {"code":"failed","input":"tiem","kind":"error","line":4,"text":"there is no command 'tiem': did you mean time?"}

                """)
        #expect(result.errors == "")
        #expect(result.status == 1)
    }

    @Test func quietShowsErrorsOnly() async throws {
        let result = try await Program.run(["--memory", "--quiet"], "time 0\ntime\n")
        #expect(result.output == "")
        #expect(result.errors == "error: line 2: usage: time MILLISECONDS | DATE\n")
        let json = try await Program.run(["--memory", "--quiet", "--json"], "time 0\ntime\n")
        #expect(json.output.split(separator: "\n").count == 1, "\(json.output)")
        #expect(json.output.contains(#""kind":"error""#))
    }

    @Test(arguments: [
        (["--tiem"], "there is no option '--tiem': see --help"),
        (["--home"], "--home needs a value: see --help"),
        (["--home", ""], "the path is empty"),
        (["--key-file", ""], "the path is empty"),
        (["--clock", "noon"], "'noon' is not a time, such as 2023-11-14T22:13:20Z"),
        (["--memory", "--script", "/nowhere"], "there is no script '/nowhere' that can be read"),
    ])
    func aWrongOptionSaysWhatToDo(arguments: [String], message: String) async throws {
        let result = try await Program.run(arguments)
        #expect(result.status != 0)
        #expect(result.errors == "error: \(message)\n")
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"),
        arguments: [[], ["--json"]])
    func aFullDiskForTheOutputEndsTheScript(options: [String]) async throws {
        let result = try await Program.run(
            ["--memory"] + options, "connect alice\ntiem 0\n", shell: #"exec "$@" >/dev/full"#)
        #expect(result.status == 1)
        #expect(
            result.errors == "error: the output cannot be written: No space left on device\n")
        let help = try await Program.run(["--help"], shell: #"exec "$@" >/dev/full"#)
        #expect(help.status == 1)
        let unreported = try await Program.run(
            ["--memory"], "tiem 0\ntime 0\n", shell: #"exec "$@" 2>/dev/full"#)
        #expect(unreported.status == 1)
        #expect(unreported.output == "1970-01-01T00:00:00.000Z\n")
    }

    /// A chat log chooses the names of users and channels.
    @Test func wordForAllIsNoNameOfAUserOrChannel() async throws {
        for options in [[], ["--key-file", directory.appending(path: "key").path]] {
            let home = ["--home", directory.appending(path: "home \(options.count)").path]
            _ = try await Program.run(home + options, "connect all\nsend hi\n")
            let users = try await Program.run(home + options, "wipe-user all\n")
            #expect("\(users)".contains("a user is named all"), "\(users)")
        }
        let files = directory.appending(path: "files").path
        let channels = try await Program.run(
            ["--memory"],
            """
            save Message {"message_id": 1, "channel_url": "everything", "created_at": 1000}
            file-cache save \(files) everything
            file-cache remove \(files) everything
            """)
        #expect("\(channels)".contains("a channel is named everything"), "\(channels)")
    }

    /// Without a replacement, a file of the database would have the number of a closed file.
    @Test func aClosedOutputEndsTheScript() async throws {
        let home = ["--home", directory.path]
        let result = try await Program.run(
            home, "demo\nsend Hello\n", shell: #"exec "$@" >&-"#)
        #expect(result.status == 1)
        #expect(result.errors == "error: the output cannot be written: Bad file descriptor\n")
        let silent = try await Program.run(
            home, "connect alice\ntiem\nlist\n", shell: #"exec "$@" 2>&-"#)
        #expect(silent.status == 1)
        #expect(silent.output.hasPrefix("alice\n"), "\(silent)")
        let mute = try await Program.run(home, shell: #"exec "$@" <&- >&- 2>&-"#)
        #expect(mute.status == 0)
        let check = try await Program.run(home, "connect alice\nstore check\n")
        #expect(check.status == 0, "\(check)")
    }

    /// Below some limit, not even the database can be opened, or gzip cannot be started.
    @Test(arguments: [16, 18, 20, 22, 24, 26, 28, 32, 64])
    func aFailureForLackOfFilesIsReported(limit: Int) async throws {
        let log = directory.appending(path: "it's a log.jsonl.gz")
        try await writeGzip(
            #"{"message_id":"1","channel_url":"pets","created_at":1700000000000,"message":"a"}"#,
            to: log)
        // The program may end before it reads any input.
        let commands = try script("connect alice\nimport \(log.path.escaped) server-only\n")
        let result = try await Program.run(
            ["--home", directory.path, "--script", commands],
            shell: #"ulimit -n \#(limit); exec "$@""#)
        let isImported = result.output.contains("imported 1 message into 1 channel")
        #expect(result.status == (isImported ? 0 : 1), "\(result)")
        // The progress of the import is on stderr, too.
        #expect(isImported != result.errors.contains("error: "), "\(result)")
        #expect(isImported || limit < 64, "\(result)")
    }

    @Test func writtenRowsExistInTheNextProcess() async throws {
        let home = ["--home", directory.path]
        #expect(try await Program.run(home, "demo\nsend Hello\noffline\nsend Later\n").status == 0)
        let offline = try await Program.run(
            home, "as alice\nopen general cacheOnly\nwindow\npending\n")
        #expect(offline.errors == "")
        #expect(offline.output.contains("Hello"))
        let online = try await Program.run(home, "connect alice\nopen general\nwindow\n")
        #expect(online.output.hasSuffix(" 60 69 70\n"))
    }

    /// The drop of a message that the embedded server does not have.
    private static let drop =
        #"leave-push {"message_id": 99, "channel_url": "general", "created_at": 4000000000000, "message": "Ding!"}"#

    @Test func pushedMessageIsShownOnce() async throws {
        let shown = try await Program.run(
            ["--home", directory.path],
            "demo\noffline\n\(Self.drop)\nread-pushes\n\(Self.drop)\nread-pushes\nwindow\nread-pushes\n"
        )
        #expect(shown.output.contains("1 file in the inbox: read-pushes reads them"))
        #expect(shown.output.contains("1 message in 1 file, 1 stored"))
        #expect(shown.output.contains(" 60 ~ 99\n"))
        #expect(shown.output.contains("the push inbox is empty"))
    }

    @Test func pushedMessageThatTheServerLacksIsNotKept() async throws {
        let home = ["--home", directory.path]
        _ = try await Program.run(home, "demo\n\(Self.drop)\n")
        // The client stores the message when it connects, and asks the server for it.
        let checked = try await Program.run(home, "as alice\nsync\nopen general\nread-pushes\n")
        #expect(checked.errors == "")
        #expect(!checked.output.contains("Ding!"))
        #expect(checked.output.contains("the push inbox is empty"))
        let again = try await Program.run(home, "as alice\n\(Self.drop)\nread-pushes\n")
        #expect(again.output.contains("1 message in 1 file, 0 stored"))
    }

    @Test func aStoreIsEncryptedWithTheKeyOfAFile() async throws {
        let store = directory.appending(path: "store").path
        let (one, other) = (
            directory.appending(path: "one").path, directory.appending(path: "other").path
        )
        let written = try await Program.run(
            ["--memory", "--key-file", one],
            "store open \(store)\ndraw general a b c\nstore key \(other)\n")
        #expect(
            written.errors == "" && written.output.hasSuffix("the key is now the one in \(other)\n")
        )
        let wrong = try await Program.run(["--memory", "--key-file", one], "store open \(store)\n")
        #expect(wrong.status == 1 && wrong.errors.contains("wrongKey"))
        let read = try await Program.run(
            ["--memory"],
            "store reencrypt \(store) \(other) none\nstore open \(store)\npicture general\n")
        #expect(read.status == 0 && read.output.contains("\(store) is not encrypted\n"))
        #expect(read.output.hasSuffix("a b c\n"))
    }

    @Test func clientWithTheWrongKeyStoresNothingAndSaysSo() async throws {
        func run(
            _ keyFile: String, _ lines: String, _ options: [String] = [], home: String = "home"
        ) async throws -> (status: Int32, output: String, errors: String) {
            let key = directory.appending(path: keyFile).path
            let home = directory.appending(path: home).path
            return try await Program.run(["--home", home, "--key-file", key] + options, lines)
        }
        try Data("\(String(repeating: "ab", count: 32))\n".utf8).write(
            to: directory.appending(path: "other"))
        chmod(directory.appending(path: "other").path, 0o600)
        #expect(try await run("one", "connect alice\n").status == 0)
        let refused = try await run("other", "connect alice\n")
        #expect(refused.status == 1 && refused.errors.contains("another key"))
        #expect(refused.errors.contains("--key-file"))
        #expect(refused.errors.contains(directory.appending(path: "home/devices").path))
        // A device without open files has no empty outbox.
        let outbox = try await run("other", "connect alice\noutbox\n")
        #expect(outbox.output == "" && outbox.errors.contains("no user is connected"), "\(outbox)")
        // The key file exists no longer, so a new key is not created.
        try FileManager.default.removeItem(at: directory.appending(path: "other"))
        try FileManager.default.createSymbolicLink(
            at: directory.appending(path: "link"),
            withDestinationURL: directory.appending(path: "home"))
        for home in ["home", "link"] {
            let missing = try await run("other", "connect alice\n", home: home)
            #expect(missing.status == 2 && missing.errors.contains("is encrypted"))
            #expect(missing.errors.contains("/home/"))
        }

        try Data("\(String(repeating: "ab", count: 32))\n".utf8).write(
            to: directory.appending(path: "other"))
        chmod(directory.appending(path: "other").path, 0o600)
        let policy = "option storageFailurePolicy continueInMemory\n"
        let memory = try await run(
            "other", policy + "connect alice\nstatus\noutbox\n", ["--json"])
        #expect(memory.status == 1)
        let results = memory.output.split(separator: "\n").filter {
            $0.contains(#""kind":"result""#)
        }
        #expect(results.count == 4)
        for line in results.dropFirst() {
            #expect(line.contains(#""warning":"nothing is stored on disk: "#), "\(line)")
        }
        let quiet = try await run("other", policy + "connect alice\noutbox\n", ["--quiet"])
        #expect(quiet.status == 1 && quiet.errors.contains("nothing is stored on disk"))
    }

    @Test func killedImportResumesWhereItStopped() async throws {
        let log = try script(
            (1...20_000).map {
                #"{"message_id": \#($0), "channel_url": "log", "created_at": \#(1_700_000_000_000 + $0), "sender": "u\#($0 % 7)", "message": "line \#($0)"}"#
            }.joined(separator: "\n") + "\nnot JSON\n")
        let home = ["--home", directory.appending(path: "home").path]
        let killed = try Program(home)
        killed.type("connect alice\n")
        try await killed.reads("alice is connected")
        killed.type("import \(log)\n")
        // The program is killed during the import.
        try await killed.readsError("importing  ")
        try await killed.kill()

        let copy = directory.appending(path: "copy.jsonl").path
        let again = try await Program.run(
            home, "connect alice\nimport \(log)\ncount log\nverify log\nexport \(copy) log\n")
        #expect(!again.errors.contains("error: "), "\(again)")
        #expect(again.output.contains("line 20001: this is not a JSON object\n"))
        #expect(again.output.contains("20,000 messages are in the cache of alice\n"))
        #expect(again.output.contains("compared 20,000 messages: no differences from the server\n"))
        let lines = try String(contentsOfFile: copy, encoding: .utf8).split(separator: "\n")
        // The first line describes the export.
        #expect(lines.count == 20_001)
        #expect(lines[42].contains(#""message":"line 42","message_id":42"#))
    }

    @Test func aPipeGetsNoEscapes() async throws {
        let log = try LogOfMessages(count: 2_500)
        let result = try await Program.run(
            ["--memory", "--demo"], "as bob send Hi\nimport \(log.path) id=line\ntiem\n",
            environment: ["TERM": "xterm-256color"])
        #expect(result.output.contains("+ general 69  Bob: Hi\n"))
        #expect(!result.output.contains { $0 == "\u{1B}" || $0 == "\r" })
        // Progress is written to standard error, as separate lines.
        let lines = result.errors.split(separator: "\n")
        #expect(lines.count >= 2 && lines[0].hasPrefix("importing  "), "\(lines)")
        #expect(lines.last?.hasPrefix("error: line 3: there is no command") == true)
        #expect(!result.errors.contains { $0 == "\u{1B}" || $0 == "\r" })
    }

    @Test func eventsBetweenCommandsAreReported() async throws {
        let program = try Program(["--memory", "--json", "--demo", "--patience", "0ms"])
        program.type("send Hello\n")
        let told = try await program.reads(#""event":"message_sent""#)
        #expect(told.contains(#""command":"send","input":"send Hello","kind":"result","line":1"#))
        program.endInput()
        #expect(try await program.ends().status == 0)
    }

    @Test func invalidUTF8HidesNoLaterLines() {
        var read = Program.Text()
        // These bytes contain the end of a character whose beginning is missing, a character in two
        // parts, a line end in two parts, and a character whose end is missing.
        read.add(Data([0x3C, 0x88, 0xE2, 0x96]))
        read.add(Data([0x88, 0x3E, 0x0D]))
        read.add(Data([0x0A, 0xF0, 0x9F]))
        #expect(read.text == "<\u{FFFD}█>\n")
    }
}
