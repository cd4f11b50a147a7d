import Foundation
import Testing

@testable import ScrollbackREPL

/// Replays `Docs/Tour.md`, `Docs/Search.md`, the README and the files in `Transcripts`.
///
/// Files with the suffix `.jsonl` are replayed with `--json`.
///
/// With `SCROLLBACK_RECORD=1`, the files are rewritten with the actual output.
///
/// Each command waits for the main actor, which other tests occupy for minutes under a sanitizer.
@Suite(.timeLimit(.minutes(30))) struct TranscriptTests {
    static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Transcripts")

    static let files: [String] = {
        let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path)
        return (names ?? []).filter { $0.hasSuffix(".txt") || $0.hasSuffix(".jsonl") }.sorted()
    }()

    @Test(arguments: files)
    @MainActor func promptOutputEqualsTheTranscript(file: String) async throws {
        let url = Self.directory.appending(path: file)
        let text = try String(contentsOf: url, encoding: .utf8)
        let places = try ExampleDirectory()
        let workspace = Workspace.standing()
        workspace.width = 80
        let shown = await Transcript(text).replayed(
            in: workspace, places, asJSON: file.hasSuffix(".jsonl"))
        await workspace.end()
        if ProcessInfo.processInfo.environment["SCROLLBACK_RECORD"] != nil {
            try Data(shown.utf8).write(to: url)
        } else {
            expectSameLines(shown, text)
        }
    }

    /// The file with the replies to wrong lines, which show no command's purpose.
    static let badInput = "bad-input.txt"

    static let pages = ["Docs/Tour.md", "Docs/Search.md", "README.md"]

    @Test(arguments: pages)
    @MainActor func sessionsOnThePageEqualThePromptsOutput(page name: String) async throws {
        let url = Self.directory.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: name)
        let page = try String(contentsOf: url, encoding: .utf8)
        let places = try ExampleDirectory()
        let workspace = Workspace.standing()
        workspace.width = 80
        // All blocks with users on a page are one session. PageTests replays the blocks without
        // users.
        var parts = page.components(separatedBy: "```")
        for index in parts.indices
        where index % 2 == 1 && parts[index].hasPrefix("\n") && Transcript(parts[index]).hasUsers {
            let block = String(parts[index].dropFirst())
            parts[index] = "\n" + (await Transcript(block).replayed(in: workspace, places))
        }
        await workspace.end()
        let shown = parts.joined(separator: "```")
        if ProcessInfo.processInfo.environment["SCROLLBACK_RECORD"] != nil {
            try Data(shown.utf8).write(to: url)
        } else {
            expectSameLines(shown, page)
        }
    }

    @Test @MainActor func everyCommandHasATranscript() throws {
        var shown: Set<String> = []
        for file in Self.files where file != Self.badInput {
            let url = Self.directory.appending(path: file)
            for line in Transcript(try String(contentsOf: url, encoding: .utf8)).lines {
                let words = line.split(separator: " ")
                if let command = try? Command.command(for: words) { shown.insert(command.name) }
                // The words after `as DEVICE` are also a command.
                guard words.first == "as", words.count > 2 else { continue }
                if let command = try? Command.command(for: Array(words.dropFirst(2))) {
                    shown.insert(command.name)
                }
            }
        }
        let missing = Command.all.map(\.name).filter { !shown.contains($0) }
        #expect(missing == [], "no transcript for these")
    }

    private func expectSameLines(_ shown: String, _ expected: String) {
        // These differences are expected, because a client makes several calls at the same time:
        // - An event may show a new reaction before or after the server has given it a time.
        // - A message that is sent while the client reconnects may be one of the newest 20 messages
        //   that the feed reports of an absence, or follow them.
        // - A device may learn that its user joins a channel from the feed before the answer.
        func lines(_ text: String) -> [String] {
            text.replacing(/"updated_at":\d+,"user_ids"/, with: #""updated_at":0,"user_ids""#)
                .replacing("fetched 180 missing messages", with: "fetched 179 missing messages")
                .replacing("bob| = tea: bob joins\n", with: "")
                .components(separatedBy: "\n")
        }
        let (left, right) = (lines(shown), lines(expected))
        guard left != right else { return }
        let index = zip(left, right).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let place = index ?? min(left.count, right.count)
        Issue.record(
            """
            line \(place + 1) should be
            \(place < right.count ? right[place] : "(nothing)")
            and is
            \(place < left.count ? left[place] : "(nothing)")
            all of it: \(shown)
            """)
    }
}
