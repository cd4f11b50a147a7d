import EmbeddedServer
import Foundation
import Scrollback

extension Command {
    static let encryption: [Command] = [
        Command(
            "store key FILE",
            "Changes the key of the open store to the one in a file, which is created if missing."
        ) { arguments in
            let store = try arguments.workspace.store
            let file = try URL(typed: arguments.onlyWord)
            try store.changeEncryptionKey(to: try EncryptionKey(file: file, creates: true))
            return "the key is now the one in \(file.path)"
        },
        keys("file-cache key", "Changes the key of a file cache.") { directory, old, new, _ in
            guard let old, let new else {
                throw CommandError.failed("both keys are files: a file cache cannot be decrypted")
            }
            try FileCache.changeEncryptionKey(of: directory, from: old, to: new)
        },
        keys("client key", "Changes the key of an app's data, for all users of a directory.") {
            directory, old, new, _ in
            guard let new else { throw CommandError.usage }
            // The client does not connect: its backend does not matter.
            let client = try await ChatClient.open(
                backend: try EmbeddedServer.inMemory().client(), options: .app(directory, old))
            do {
                try await client.changeEncryptionKey(to: new)
            } catch {
                await client.close()
                throw error
            }
            await client.close()
        },
        keys("store reencrypt", "Re-encrypts a closed store; none is for no key.") {
            directory, old, new, progress in
            try ChatStore.reencrypt(at: directory, from: old, to: new, progress: progress)
        },
        Command(
            "client encrypt DIRECTORY FILE USER",
            "Encrypts a user's plain data, except the cache; unsent items fail.",
            notes: [
                "DIRECTORY may be the one after --home; then the user's data on all devices is "
                    + "encrypted."
            ]
        ) { arguments in
            let words = arguments.words
            guard words.count == 3 else { throw CommandError.usage }
            let directory = try URL.existingDirectory(words[0])
            let key = try EncryptionKey(file: URL(typed: words[1]), creates: true)
            let userID = UserID(words[2])
            var count: Int?
            for app in try World.deviceDirectories(in: directory) ?? [directory] {
                let options = ChatClientOptions.app(app, key)
                let users = try await ChatClient.storedUsers(options: .app(app, nil))
                guard users.contains(where: { $0.userID == userID }) else { continue }
                let items = try await ChatClient.encryptStoredData(of: userID, options: options)
                count = (count ?? 0) + items.count
            }
            guard let count else {
                throw CommandError.failed(
                    "there is no plain data of \(userID) in \(directory.path)")
            }
            return "encrypted the data of \(userID), " + counted(count, "unsent item")
        },
        keys("client reencrypt", "Re-encrypts an app's data, for all users of a directory.") {
            directory, old, new, _ in
            guard let new else { throw CommandError.usage }
            try await ChatClient.reencrypt(.app(directory, old), to: new)
        },
    ]

    private static func keys(
        _ name: String, _ summary: String,
        _ body:
            @escaping @MainActor @Sendable (
                URL, EncryptionKey?, EncryptionKey?, _ progress: (Double) -> Void
            ) async throws -> Void
    ) -> Command {
        Command(
            "\(name) DIRECTORY FILE FILE", summary,
            notes: ["The files contain the old key and the new one; the new one may be missing."]
        ) {
            arguments in
            let words = arguments.words
            guard words.count == 3 else { throw CommandError.usage }
            let directory = try URL.existingDirectory(words[0])
            func key(_ word: String, creates: Bool) throws -> EncryptionKey? {
                word == "none" ? nil : try EncryptionKey(file: URL(typed: word), creates: creates)
            }
            let workspace = arguments.workspace
            defer { workspace.onProgress(nil) }
            try await body(
                directory, try key(words[1], creates: false), try key(words[2], creates: true)
            ) { workspace.onProgress("encrypting: \(Int($0 * 100)) %") }
            return words[2] == "none"
                ? "\(directory.path) is not encrypted"
                : "the key is now the one in \(try URL(typed: words[2]).path)"
        }
    }
}

extension ChatClientOptions {
    fileprivate static func app(_ directory: URL, _ key: EncryptionKey?) -> ChatClientOptions {
        var options = ChatClientOptions()
        options.storage = .directory(directory)
        options.encryptionKey = key
        return options
    }
}

extension Command.Arguments {
    /// Returns the words before the option `key FILE`, and that file's key or, without the option,
    /// the program's.
    @MainActor func wordsAndKey(
        _ words: [String], creates: Bool = false
    ) throws -> (words: [String], key: EncryptionKey?) {
        guard words.count > 2, words[words.count - 2] == "key" else {
            return (words, workspace.encryptionKey)
        }
        let file = try URL(typed: words[words.count - 1])
        return (words.dropLast(2), try EncryptionKey(file: file, creates: creates))
    }
}
