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
            program.type("draw c\(number) a\n")
            try await program.reads("items in c\(number)\n")
        }
        program.endInput()
        #expect(try await program.ends().status == 0)
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
    ])
    func controlCharactersAreSpelledOut(text: String, visible: String, oneLine: String) {
        #expect(text.visible == visible)
        #expect(text.oneLine == oneLine)
    }
}
