import Foundation
import Testing

@testable import ScrollbackREPL

/// Tests the program with a pipe as its input.
@Suite(.timeLimit(.minutes(10))) struct ScriptTests {
    @Test func eachCommandIsAnsweredWhileThePipeStaysOpen() async throws {
        let program = try Program(["--memory"])
        for number in 0..<4 {
            // The pipe stays open. If the program needed the next command before it ran this one,
            // no answer would come.
            program.type("time \(number)\n")
            try await program.reads("1970-01-01T00:00:00.00\(number)Z")
        }
        program.endInput()
        #expect(try await program.ends().status == 0)
    }

    @Test func progressInAPipeIsPrintedInIntervals() {
        var progress = PlainProgress()
        let begin = ContinuousClock.now
        #expect(progress.line("1", at: begin) == "1")
        #expect(progress.line("2", at: begin + .seconds(4)) == nil)
        #expect(progress.line("3", at: begin + .seconds(5)) == "3")
        #expect(progress.line("4", at: begin + .seconds(9)) == nil)
        // When the command has ended, the next command's progress is printed at once.
        #expect(progress.line(nil, at: begin + .seconds(9)) == nil)
        #expect(progress.line("5", at: begin + .seconds(9)) == "5")
    }

    @Test func jsonHasNoControlCharactersEither() throws {
        let text = "\u{1B}[2J \u{9B} \u{202E} \u{2028} é\n"
        let line = OutputLine(text, to: "show", 1).json
        #expect(line.contains(#""text":"\u001b[2J \u009b \u202e \u2028 é\n""#))
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect(object?["text"] as? String == text)
    }

    @Test(arguments: [
        (#"a b"#, ["a", "b"]), (#"  a\ b  c "#, ["a b", "c"]), (#"'a b' c"#, ["a b", "c"]),
        (#""a 'b" 'c "d'"#, ["a 'b", #"c "d"#]), (#"a" b"c"#, ["a bc"]), (#"'' x"#, ["", "x"]),
        (#"'a\b' "c\"d""#, [#"a\b"#, #"c"d"#]), (#"'open end"#, ["open end"]), ("", []),
    ])
    func quotesAndBackslashesKeepSpaces(text: String, words: [String]) {
        #expect(text.unquotedWords == words)
        #expect(
            words.filter { !$0.isEmpty }.map(\.escaped).joined(separator: " ").unquotedWords
                == words.filter { !$0.isEmpty })
    }

    @Test(arguments: [
        ("plain\nlines", "plain\nlines", #"plain\nlines"#),
        ("\u{1B}[2Jx", #"\u{1B}[2Jx"#, #"\u{1B}[2Jx"#),
        ("é 🐈 \u{9B}", #"é 🐈 \u{009B}"#, #"é 🐈 \u{009B}"#),
        ("a\u{2028}b\u{2029}", #"a\u{2028}b\u{2029}"#, #"a\u{2028}b\u{2029}"#),
        // A terminal would show this name as "picexe.png".
        ("pic\u{202E}gnp.exe", #"pic\u{202E}gnp.exe"#, #"pic\u{202E}gnp.exe"#),
        (
            "\u{2066}a\u{2069}\u{200F}שלום", #"\u{2066}a\u{2069}\u{200F}שלום"#,
            #"\u{2066}a\u{2069}\u{200F}שלום"#
        ),
    ])
    func controlCharactersAndDirectionMarksAreSpelledOut(
        text: String, visible: String, oneLine: String
    ) {
        #expect(text.visible == visible)
        #expect(text.oneLine == oneLine)
    }
}
