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
            output: "the key is that in /tmp/scrollback-other"
        ) { arguments in
            guard !arguments.text.isEmpty else { throw CommandError.usage }
            let store = try arguments.workspace.store
            let file = URL(typed: arguments.text)
            try store.changeEncryptionKey(to: try EncryptionKey(file: file))
            return .text("the key is that in \(file.path)")
        },
        Command(
            name: "store reencrypt",
            usage: "DIRECTORY OLD NEW",
            summary:
                "Encrypts a store anew: by the key of one file in place of another's, or none.",
            example: "store reencrypt /tmp/scrollback-store none /tmp/scrollback-key",
            preparation: ["store open /tmp/scrollback-store", "store close"],
            output: "/tmp/scrollback-store is encrypted"
        ) { arguments in
            guard arguments.words.count == 3 else { throw CommandError.usage }
            func key(_ index: Int) throws -> EncryptionKey? {
                let word = arguments.words[index]
                return word == "none" ? nil : try EncryptionKey(file: URL(typed: word))
            }
            let workspace = arguments.workspace
            defer { workspace.onProgress(nil) }
            let directory = URL(typed: arguments.words[0])
            try ChatStore.reencrypt(at: directory, from: try key(1), to: try key(2)) {
                workspace.onProgress("encrypting: \(Int($0 * 100)) %")
            }
            let state = arguments.words[2] == "none" ? "not encrypted" : "encrypted"
            return .text("\(directory.path) is \(state)")
        },
    ]
}

extension Command.Arguments {
    /// A directory, which may have spaces in its name, and the key in the file behind `key`, if any.
    var directoryAndKey: (String, EncryptionKey?) {
        get throws {
            guard words.count > 2, words[words.count - 2] == "key", let file = words.last else {
                return (text, nil)
            }
            let directory = text.dropLast(file.count).trimmingCharacters(in: .whitespaces)
                .dropLast("key".count).trimmingCharacters(in: .whitespaces)
            return (directory, try EncryptionKey(file: URL(typed: file)))
        }
    }
}
