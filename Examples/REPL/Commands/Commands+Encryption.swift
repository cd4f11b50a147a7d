import EmbeddedServer
import Foundation
import Scrollback

extension Command {
    static let encryption: [Command] = [
        Command(
            name: "store key",
            usage: "FILE",
            summary:
                "Changes the key of the open store to the one in a file, which is created if missing.",
            example: "store key /tmp/scrollback-other",
            preparation: ["store open /tmp/scrollback-store key /tmp/scrollback-key"],
            output: "the key is now the one in /tmp/scrollback-other",
            offers: [.files],
            gives: [.path]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let store = try arguments.workspace.store
            let file = try URL(typed: arguments.words[0])
            try store.changeEncryptionKey(to: try EncryptionKey(file: file, creates: true))
            return .text("the key is now the one in \(file.path)", [.path: file.path])
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
            let workspace = arguments.workspace
            defer { workspace.onProgress(nil) }
            let directory = try URL.existingDirectory(words[0])
            let (old, new) = try arguments.oldAndNewKey
            try ChatStore.reencrypt(at: directory, from: old, to: new) {
                workspace.onProgress("encrypting: \(Int($0 * 100)) %")
            }
            let state = new == nil ? "not encrypted" : "encrypted"
            return .text("\(directory.path) is \(state)", [.path: directory.path])
        },
        Command(
            name: "file-cache key",
            usage: "DIRECTORY OLD NEW",
            summary: "Changes the key of a file cache from that of one file to that of another.",
            example: "file-cache key /tmp/scrollback-files /tmp/scrollback-key /tmp/scrollback-new",
            preparation: [
                "draw general a",
                "file-cache save /tmp/scrollback-files general key /tmp/scrollback-key",
            ],
            output: "the key is now the one in /tmp/scrollback-new",
            offers: [.directories, .files, .files],
            covers: ["FileCache.changeEncryptionKey(of:from:to:)"],
            gives: [.path]
        ) { arguments in
            guard arguments.words.count == 3 else { throw CommandError.usage }
            let directory = try URL.existingDirectory(arguments.words[0])
            guard case (let old?, let new?) = try arguments.oldAndNewKey else {
                throw CommandError.failed("both keys are files: file-cache reencrypt takes none")
            }
            try FileCache.changeEncryptionKey(of: directory, from: old, to: new)
            let path = try URL(typed: arguments.words[2]).path
            return .text("the key is now the one in \(path)", [.path: path])
        },
        Command(
            name: "file-cache reencrypt",
            usage: "DIRECTORY OLD NEW",
            summary: "Re-encrypts a file cache with the key of another file; none is for no key.",
            example: "file-cache reencrypt /tmp/scrollback-files none /tmp/scrollback-key",
            preparation: ["draw general a", "file-cache save /tmp/scrollback-files general"],
            output: "/tmp/scrollback-files is encrypted",
            offers: [.directories, .files, .files],
            covers: ["FileCache.reencrypt(at:from:to:progress:)"],
            gives: [.path]
        ) { arguments in
            guard arguments.words.count == 3 else { throw CommandError.usage }
            let workspace = arguments.workspace
            defer { workspace.onProgress(nil) }
            let directory = try URL.existingDirectory(arguments.words[0])
            let (old, new) = try arguments.oldAndNewKey
            try FileCache.reencrypt(at: directory, from: old, to: new) {
                workspace.onProgress("encrypting: \(Int($0 * 100)) %")
            }
            let state = new == nil ? "not encrypted" : "encrypted"
            return .text("\(directory.path) is \(state)", [.path: directory.path])
        },
        Command(
            name: "client key",
            usage: "DIRECTORY OLD NEW",
            summary: "Changes the key of an app's data, for all users of a directory.",
            example: "client key /tmp/scrollback-app /tmp/scrollback-key /tmp/scrollback-new",
            output: "the key is now the one in /tmp/scrollback-new",
            offers: [.directories, .files, .files],
            covers: ["ChatClient.changeEncryptionKey(to:)"],
            gives: [.path]
        ) { arguments in
            let (options, new) = try arguments.appAndNewKey
            // The client does not connect, so its backend does not matter.
            let client = try await ChatClient.open(
                backend: try EmbeddedServer.inMemory().client(), options: options)
            do {
                try await client.changeEncryptionKey(to: new)
            } catch {
                await client.close()
                throw error
            }
            await client.close()
            let path = try URL(typed: arguments.words[2]).path
            return .text("the key is now the one in \(path)", [.path: path])
        },
        Command(
            name: "client reencrypt",
            usage: "DIRECTORY OLD NEW",
            summary: "Re-encrypts an app's data, for all users of a directory.",
            example: "client reencrypt /tmp/scrollback-app /tmp/scrollback-key /tmp/scrollback-new",
            output: "/tmp/scrollback-app has the key in /tmp/scrollback-new",
            offers: [.directories, .files, .files],
            covers: ["ChatClient.reencrypt(_:to:progress:)"],
            gives: [.path]
        ) { arguments in
            let (options, new) = try arguments.appAndNewKey
            try await ChatClient.reencrypt(options, to: new)
            let directory = try URL(typed: arguments.words[0]).path
            let path = try URL(typed: arguments.words[2]).path
            return .text("\(directory) has the key in \(path)", [.path: directory])
        },
    ]
}

extension Command.Arguments {
    /// The keys in the files that the second and the third word name; the word `none` stands for no
    /// key.
    fileprivate var oldAndNewKey: (old: EncryptionKey?, new: EncryptionKey?) {
        get throws {
            func key(_ word: String, creates: Bool) throws -> EncryptionKey? {
                word == "none" ? nil : try EncryptionKey(file: URL(typed: word), creates: creates)
            }
            return (try key(words[1], creates: false), try key(words[2], creates: true))
        }
    }

    /// The options of an app with a directory and a key, and the new key, as the words specify
    /// them.
    fileprivate var appAndNewKey: (options: ChatClientOptions, new: EncryptionKey) {
        get throws {
            guard words.count == 3 else { throw CommandError.usage }
            var options = ChatClientOptions()
            options.storage = .directory(try URL(typed: words[0]))
            options.encryptionKey = try EncryptionKey(file: URL(typed: words[1]), creates: true)
            return (options, try EncryptionKey(file: URL(typed: words[2]), creates: true))
        }
    }

    /// Returns the words before the option `key FILE`, and the key in that file; if the option is
    /// missing, the program's key.
    @MainActor func wordsAndKey(
        _ words: [String], creates: Bool = false
    ) throws -> (words: [String], key: EncryptionKey?) {
        guard words.count > 2, words[words.count - 2] == "key" else {
            return (words, workspace.encryptionKey)
        }
        let file = try URL(typed: words[words.count - 1])
        return (words.dropLast(2), try EncryptionKey(file: file, creates: creates))
    }

    /// Returns the directory that the words name, and the key in the file after the word `key`.
    ///
    /// Each is `nil` if it is missing.
    ///
    /// - Parameter createsKey: A Boolean value that indicates whether to write a new key to a file
    ///   that does not exist.
    /// - Returns: The directory and the key.
    /// - Throws: ``CommandError`` if the words have another form, or if the file contains no key.
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
