import Foundation
import Testing

@testable import REPL

/// The program with a pipe for its input.
@Suite struct ScriptTests {
    @Test func eachCommandIsAnsweredWhileThePipeStaysOpen() throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = try Program.url
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        for number in 0..<4 {
            // A command that waited for the next one would never answer: the test would not end.
            input.fileHandleForWriting.write(Data("time \(number)\n".utf8))
            let answer = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            #expect(answer.contains("1970-01-01T00:00:00.00\(number)Z"))
        }
        input.fileHandleForWriting.closeFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
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
