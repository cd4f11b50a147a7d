import Foundation
import Scrollback

extension Command {
    static let store: [Command] = [
        Command(
            name: "store",
            summary: "Tells where the store is, and how much it has.",
            example: "store",
            output: """
                in memory
                channels        0
                messages        0
                gaps            0
                drafts          0
                last change     0
                """
        ) { arguments in
            let store = try arguments.workspace.store
            return .text(
                try store.read { snapshot in
                    let urls = try snapshot.channelURLs()
                    let rows = [
                        ("channels", urls.count), ("messages", try snapshot.messageCount()),
                        ("gaps", try urls.reduce(0) { try $0 + snapshot.gaps(in: $1).count }),
                        ("drafts", try snapshot.drafts().count), ("last change", snapshot.number),
                    ]
                    let place = store.directory.map { "in \($0.path)" } ?? "in memory"
                    return ([place] + rows.map { "\($0.padded(to: 14))  \($1)" })
                        .joined(separator: "\n")
                })
        },
        Command(
            name: "store open",
            usage: "[DIRECTORY]",
            summary: "Opens a store in a directory, or a new one in memory.",
            example: "store open /tmp/scrollback-store",
            output: "opened /tmp/scrollback-store: created"
        ) { arguments in
            let store = try arguments.workspace.open(
                arguments.text.isEmpty ? nil : URL(typed: arguments.text))
            let place = store.directory?.path ?? "a store in memory"
            let lines = ["opened \(place): "] + store.openingReport.lines
            return .text(lines[0] + lines.dropFirst().joined(separator: "\n"))
        },
        Command(
            name: "store close",
            summary: "Closes the store; one in memory is gone then.",
            example: "store close",
            output: "closed"
        ) { arguments in
            _ = try arguments.workspace.store
            arguments.workspace.close()
            return .text("closed")
        },
    ]
}

extension OpeningReport {
    /// What was found, a line for each thing.
    fileprivate var lines: [String] {
        var lines = [isNew ? "created" : "as it was left"]
        if let migratedFrom { lines = ["migrated from version \(migratedFrom)"] }
        if let cacheDamage {
            lines.append("the cache's log was damaged, and each history is one gap: \(cacheDamage)")
        }
        if let outboxDamage { lines.append("the outbox's log was damaged: \(outboxDamage)") }
        if let outboxCopy { lines.append("its files as they were found are in \(outboxCopy)") }
        return lines
    }
}

extension URL {
    /// The directory that a path names, from the current one on, or from home where it says `~`.
    init(typed path: String) {
        self.init(
            filePath: NSString(string: path).expandingTildeInPath, directoryHint: .isDirectory)
    }
}
