package import Foundation
import Models
package import Store

/// An operation that writes some files and then removes others.
///
/// A test kills the process at each step of the operation.
package enum Scenario: String, CaseIterable, Sendable {
    /// Stores the messages in the push inbox, and removes their files.
    case readingPushes
    /// Encrypts an unencrypted store.
    case encryptingPlainStore
    /// Logs a user out, and removes all of the user's files.
    case loggingOut
    /// Clears the cache, and rewrites the files that contained cleared data.
    case clearing
    /// Removes the files of a cache.
    case rebuilding
    /// Migrates a store of the first version.
    case migrating
    /// Replaces the cache of an open store.
    case replacingCache
    /// Encrypts all files with another key.
    case reencrypting
    /// Replaces the file of a channel in a file cache.
    case savingFileCache
    /// Sends a message with a file, and then removes the copy of the file.
    case sendingFile
    /// Rebuilds a damaged outbox.
    case rebuildingOutbox

    /// Prepares the files that the scenario starts with.
    @MainActor
    package func prepare(in directory: URL) async throws {
        try await performer(directory).prepare()
    }

    /// Runs the operation.
    ///
    /// The process may be killed at each step.
    @MainActor
    package func run(in directory: URL) async throws { try await performer(directory).run() }

    /// Checks the files that a killed or finished process has left, and finishes the work.
    ///
    /// - Returns: The problems that were found.
    @MainActor
    package func problems(in directory: URL) async throws -> [String] {
        try await performer(directory).problems()
    }

    @MainActor
    private func performer(_ directory: URL) -> any Performer {
        switch self {
        case .readingPushes: ReadingDrops(directory: directory)
        case .encryptingPlainStore: Encrypting(directory: directory)
        case .loggingOut: LoggingOut(directory: directory)
        case .clearing: Clearing(directory: directory)
        case .rebuilding: Rebuilding(directory: directory)
        case .migrating: Migrating(directory: directory)
        case .replacingCache: ReplacingCache(directory: directory)
        case .reencrypting: Reencrypting(directory: directory)
        case .savingFileCache: SavingFileCache(directory: directory)
        case .sendingFile: SendingFile(directory: directory)
        case .rebuildingOutbox: RebuildingOutbox(directory: directory)
        }
    }
}

@MainActor
protocol Performer {
    func prepare() async throws
    func run() async throws
    func problems() async throws -> [String]
}

/// The problems that a scenario found.
struct Problems {
    private(set) var list: [String] = []

    mutating func expect(
        _ isTrue: Bool, _ text: @autoclosure () throws -> String
    ) rethrows {
        if !isTrue { list.append(try text()) }
    }
}

extension EncryptionKey {
    package static let first = EncryptionKey((1...32).map { UInt8($0) }) ?? EncryptionKey()
    static let second = EncryptionKey((2...33).map { UInt8($0) }) ?? EncryptionKey()
}

extension Message {
    init(_ text: String, at time: Int64) {
        self.init(
            id: MessageID("id-\(text)"), channelURL: "general", sender: Sender(id: "alice"),
            text: text, createdAt: Timestamp(milliseconds: time))
    }
}

extension OutboxItem {
    /// Creates an outbox item with a text message of the user.
    init(_ text: String) {
        var message = Message(id: nil, channelURL: "general", text: text, createdAt: 9_000_000)
        message.newMessage = NewMessage(text)
        self.init(message, requestID: RequestID("request-\(text)"))
    }
}

extension ChatStore {
    var texts: [String] {
        get throws { try messages(in: "general").map(\.text).reversed() }
    }

    var pendingTexts: [String] {
        get throws { try outboxItems().map { $0.message?.text ?? "?" } }
    }
}

/// Returns those of the given texts that occur in the name or the bytes of a file in a directory.
func readable(_ texts: [String], below directory: URL) throws -> [String] {
    let files = FileManager.default
    let paths =
        files.fileExists(atPath: directory.path)
        ? try files.subpathsOfDirectory(atPath: directory.path) : []
    return texts.filter { text in
        paths.contains { path in
            let bytes = files.contents(atPath: directory.appending(path: path).path)
            return path.contains(text) || bytes?.range(of: Data(text.utf8)) != nil
        }
    }
}
