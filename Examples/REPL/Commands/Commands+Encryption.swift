import Foundation
import Scrollback

extension Command {
    static let encryption: [Command] = [
        Command(
            name: "store key",
            usage: "FILE",
            summary: "Changes the key of the open store to that of a file, which may be new.",
            example: "store key /tmp/scrollback-other",
            preparation: ["store open /tmp/scrollback-store key /tmp/scrollback-key"],
            output: "the key is that in /tmp/scrollback-other",
            offers: [.files],
            gives: [.path]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let store = try arguments.workspace.store
            let file = try URL(typed: arguments.words[0])
            try store.changeEncryptionKey(to: try EncryptionKey(file: file, creates: true))
            return .text("the key is that in \(file.path)", [.path: file.path])
        },
        Command(
            name: "store reencrypt",
            usage: "DIRECTORY OLD NEW",
            summary:
                "Re-encrypts a closed store with the key of another file; none is for no key.",
            example: "store reencrypt /tmp/scrollback-store none /tmp/scrollback-key",
            preparation: ["store open /tmp/scrollback-store", "store close"],
            output: "/tmp/scrollback-store is encrypted",
            offers: [.directories, .files, .files],
            gives: [.path]
        ) { arguments in
            let words = arguments.words
            guard words.count == 3 else { throw CommandError.usage }
            func key(_ word: String, creates: Bool) throws -> EncryptionKey? {
                word == "none" ? nil : try EncryptionKey(file: URL(typed: word), creates: creates)
            }
            let workspace = arguments.workspace
            defer { workspace.onProgress(nil) }
            let directory = try URL.existingDirectory(words[0])
            let old = try key(words[1], creates: false)
            let new = try key(words[2], creates: true)
            try ChatStore.reencrypt(at: directory, from: old, to: new) {
                workspace.onProgress("encrypting: \(Int($0 * 100)) %")
            }
            let state = words[2] == "none" ? "not encrypted" : "encrypted"
            return .text("\(directory.path) is \(state)", [.path: directory.path])
        },
    ]
}

extension Command.Arguments {
    /// Returns a directory, and the key of the file after `key`; `nil` for an argument that is
    /// missing.
    ///
    /// - Parameter createsKey: True to write a new key to a file that does not exist.
    /// - Returns: The directory and the key.
    /// - Throws: ``CommandError`` if the words do not fit, or the file has no key.
    func directoryAndKey(
        createsKey: Bool
    ) throws -> (directory: URL?, key: EncryptionKey?) {
        switch words.count {
        case 0: return (nil, nil)
        case 1: return (try URL(typed: words[0]), nil)
        case 3 where words[1] == "key":
            let directory = try URL(typed: words[0])
            return (
                directory, try EncryptionKey(file: URL(typed: words[2]), creates: createsKey)
            )
        default: throw CommandError.usage
        }
    }
}
