import Foundation
import Scrollback

extension Command {
    static let encryption: [Command] = [
        Command(
            name: "store key",
            usage: "FILE",
            summary: "Exchanges the key of the open store for that in a file, or for a new one.",
            example: "store key /tmp/scrollback-other",
            preparation: ["store open /tmp/scrollback-store key /tmp/scrollback-key"],
            output: "the key is that in /tmp/scrollback-other",
            offers: [.files],
            gives: [.path]
        ) { arguments in
            guard arguments.fileWords.count == 1 else { throw CommandError.usage }
            let store = try arguments.workspace.store
            let file = URL(typed: arguments.fileWords[0])
            try store.changeEncryptionKey(to: try EncryptionKey(file: file))
            return .text("the key is that in \(file.path)", [.path: file.path])
        },
        Command(
            name: "store reencrypt",
            usage: "DIRECTORY OLD NEW",
            summary:
                "Encrypts a store anew: by the key of one file in place of another's, or none.",
            example: "store reencrypt /tmp/scrollback-store none /tmp/scrollback-key",
            preparation: ["store open /tmp/scrollback-store", "store close"],
            output: "/tmp/scrollback-store is encrypted",
            offers: [.directories, .files, .files],
            gives: [.path]
        ) { arguments in
            let words = arguments.fileWords
            guard words.count == 3 else { throw CommandError.usage }
            func key(_ index: Int) throws -> EncryptionKey? {
                let word = words[index]
                return word == "none" ? nil : try EncryptionKey(file: URL(typed: word))
            }
            let workspace = arguments.workspace
            defer { workspace.onProgress(nil) }
            let directory = URL(typed: words[0])
            try ChatStore.reencrypt(at: directory, from: try key(1), to: try key(2)) {
                workspace.onProgress("encrypting: \(Int($0 * 100)) %")
            }
            let state = words[2] == "none" ? "not encrypted" : "encrypted"
            return .text("\(directory.path) is \(state)", [.path: directory.path])
        },
    ]
}

extension Command.Arguments {
    /// A directory, and the key in the file behind `key`; `nil` for what is not typed.
    var directoryAndKey: (directory: URL?, key: EncryptionKey?) {
        get throws {
            let words = fileWords
            switch words.count {
            case 0: return (nil, nil)
            case 1: return (URL(typed: words[0]), nil)
            case 3 where words[1] == "key":
                return (URL(typed: words[0]), try EncryptionKey(file: URL(typed: words[2])))
            default: throw CommandError.usage
            }
        }
    }
}
