public import Foundation
public import Models

/// A directory in which another process, such as a notification extension, stores messages for the
/// app without opening the store.
///
/// Only one process at a time can open the databases. An extension therefore writes messages to
/// this directory next to them, and the app processes them when it next runs, with
/// `SyncEngine.readPushInbox()`:
///
/// ```swift
/// let box = try PushInbox(
///     of: "alice", applicationID: "default", in: container, encryptionKey: key)
/// try box?.leave([message])
/// ```
///
/// Each call writes one file, which it syncs, renames to its final name, and never changes. A
/// reader therefore finds a complete file or none, even if the writer was terminated, and does not
/// wait for the writer.
///
/// The app creates the inbox when it opens the user's store, and removes it when the user logs out,
/// so that no messages are stored for a user who has logged out.
///
/// Several processes may store messages at once.
public struct PushInbox: Sendable {
    /// The maximum total size of the messages of one file in their binary form: 1 MiB.
    public static let maximumPushByteCount = 1 << 20

    /// The maximum number of messages of one file.
    public static let maximumMessageCount = 500

    /// The maximum total size of all files: 16 MiB.
    public static let maximumByteCount = 16 << 20

    /// The maximum number of waiting files.
    public static let maximumCount = 1000

    /// The directory of the user's store.
    public let directory: URL

    let files: PushInboxFiles
    private let key: EncryptionKey?

    /// Opens the push inbox in the directory of a store; returns `nil` if the inbox does not exist.
    ///
    /// The call only reads one small file.
    ///
    /// - Parameters:
    ///   - directory: The directory of the store.
    ///   - encryptionKey: The key of the store; `nil` if the store is not encrypted.
    /// - Throws: `wrongKey` if the key is wrong, missing for an encrypted store, or given for an
    ///   unencrypted one; `corruption` if the key file is damaged or missing; `permission` or `io`.
    public init?(in directory: URL, encryptionKey: EncryptionKey? = nil) throws(StoreError) {
        self.directory = directory
        key = encryptionKey
        files = PushInboxFiles(in: directory)
        guard try files.exists() else { return nil }
        _ = try files.keys(encryptionKey)
    }

    /// Opens the push inbox of a user in the directory of a client, as ``init(in:encryptionKey:)``
    /// does.
    ///
    /// - Parameters:
    ///   - userID: The user to whom the messages are addressed.
    ///   - applicationID: The app's `ChatClientOptions.applicationID`.
    ///   - root: The app's `ChatClientOptions.storage`, in a container that both processes can
    ///     access.
    ///   - encryptionKey: The app's `ChatClientOptions.encryptionKey`.
    /// - Throws: As ``init(in:encryptionKey:)`` does.
    public init?(
        of userID: UserID, applicationID: String, in root: URL, encryptionKey: EncryptionKey? = nil
    ) throws(StoreError) {
        let directory = ChatStore.directory(
            in: root, applicationID: applicationID, userID: userID,
            hidesUser: encryptionKey != nil)
        // Through a link, the messages would reach the inbox of another user or app.
        try ChatStore.checkLeadsToNoLink(directory)
        try self.init(in: directory, encryptionKey: encryptionKey)
    }

    /// Stores messages for the app, atomically and durably.
    ///
    /// The messages are untrusted, like those of `ChatClient.ingest(push:)`: the app does not show
    /// a message of which a newer version is stored, and the messages do not close gaps. A repeated
    /// message has no effect.
    ///
    /// - Parameter messages: Messages that the server has accepted, each with its channel and its
    ///   ID. An empty array writes no file.
    /// - Throws: `invalid` for an unsent message, or if the messages exceed ``maximumMessageCount``
    ///   or ``maximumPushByteCount``; `noSpace` if the disk or the inbox is full; `closed` if the
    ///   inbox was removed; `locked` if another process, which may be suspended, holds the inbox's
    ///   lock for two seconds; `wrongKey` if the key was changed; `permission` or `io`. After an
    ///   error, no file is left.
    /// - Complexity: O(*n*) in the numbers of waiting files and of messages. Waits for the disk
    ///   twice.
    public func leave(_ messages: [Message]) throws(StoreError) {
        guard !messages.isEmpty else { return }
        guard messages.allSatisfy({ $0.sentPosition != nil && !$0.channelURL.rawValue.isEmpty })
        else {
            throw StoreError(
                .invalid, "the message has no id: only messages of the server can be added",
                path: files.path)
        }
        guard messages.count <= PushInbox.maximumMessageCount else {
            throw StoreError(
                .invalid,
                "\(messages.count) messages are more than the limit of "
                    + "\(PushInbox.maximumMessageCount) for a push", path: files.path)
        }
        let size = messages.reduce(0) { $0 + $1.serializedByteCount }
        guard size <= PushInbox.maximumPushByteCount else {
            throw StoreError(
                .invalid,
                "\(size) bytes are more than the limit of \(PushInbox.maximumPushByteCount) for a push",
                path: files.path)
        }
        try files.alone { () throws(StoreError) in
            // The key may have been changed since the inbox was opened.
            try files.add(messages, try files.keys(key))
        }
    }

    /// The number of files that wait for the app, found by listing the directory.
    ///
    /// - Throws: `permission` or `io`.
    public var count: Int {
        get throws(StoreError) { try files.names().count }
    }
}

extension PushInbox {
    /// A corrupted line of a file in the inbox.
    public struct Damage: Hashable, Sendable, CustomStringConvertible {
        /// The name of the file, which reveals nothing about its content.
        public let file: String

        /// The number of the line; 1 is the header, and 2 the first message.
        public let line: Int

        /// The kind of damage.
        public let reason: FileCache.Damage.Reason

        /// Why the line is not a message; `nil` unless ``reason`` is
        /// ``FileCache/Damage/Reason/record``.
        public let cause: SerializationError?

        init(file: String, _ damage: FileCache.Damage) {
            self.file = file
            line = damage.line
            reason = damage.reason
            cause = damage.cause
        }

        /// The file, the line and the reason, such as "0000000000000001-93e2….drop, line 3: check".
        public var description: String {
            "\(file), \(FileCache.Damage(line: line, reason: reason, cause: cause))"
        }
    }
}
