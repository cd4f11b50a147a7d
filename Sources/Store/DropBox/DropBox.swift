public import Foundation
public import Models

/// Where another process leaves messages for the application, without opening the store.
///
/// LevelDB's files belong to one process at a time, and a push extension runs beside the application, with
/// little memory and little time. So it leaves what it was told in a directory beside the databases, and
/// the application takes it in when it is next there:
///
/// ```swift
/// let box = try DropBox(
///     of: "alice", applicationID: "default", in: container, encryptionKey: key)
/// try box?.leave([message])
/// ```
///
/// Each call leaves one file, a *drop*, which nobody changes afterwards: written under another name,
/// synced, and renamed. Whoever reads sees all of it or nothing, at whatever moment the writer was
/// ended, and need not wait for it; and what was taken in is removed without a look at what comes
/// meanwhile. One file that all append to would need both: a lock over the reading, and rules for its torn end.
///
/// The application makes the box when it opens the user's store, and removes it when the user logs out,
/// so that nothing of a user who has left comes to the disk: then there is no box to be opened.
/// `SyncEngine.absorbDrops()` takes in what is there. Docs/Format.md, "Drop box", has the files.
///
/// The value is a directory's name and a key. Several processes may leave something at once.
public struct DropBox: Sendable {
    /// The most bytes that the messages of one drop may have in their binary form: a mebibyte.
    public static let maximumDropSize = 1 << 20

    /// The most bytes that the files of all drops may have: 16 mebibytes.
    public static let maximumSize = 16 << 20

    /// The most drops that wait.
    public static let maximumCount = 1000

    /// The directory of the user's store.
    public let directory: URL

    let files: DropFiles
    private let key: EncryptionKey?

    /// Opens the box in the directory of a store; `nil` if there is none.
    ///
    /// There is none before the application has opened the store once, and after its user has logged
    /// out. Nothing is created, and nothing is touched.
    ///
    /// - Parameters:
    ///   - directory: The directory of the store.
    ///   - encryptionKey: The key of the store; `nil` if it has none. What is left is encrypted with it.
    /// - Throws: ``StoreError`` with the code `wrongKey` if it is not the store's, or only one of the two has
    ///   one; `corruption` if the file of the keys is damaged or missing, `permission` or `io`.
    /// - Complexity: Reads one small file.
    public init?(in directory: URL, encryptionKey: EncryptionKey? = nil) throws(StoreError) {
        self.directory = directory
        key = encryptionKey
        files = DropFiles(in: directory)
        guard try files.exists() else { return nil }
        _ = try files.keys(encryptionKey)
    }

    /// Opens the box of a user whose store a client keeps; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - userID: The user that the message is for.
    ///   - applicationID: What `ChatClientOptions.applicationID` is in the application.
    ///   - root: What `ChatClientOptions.directory` is there: in a container that both may enter.
    ///   - encryptionKey: What `ChatClientOptions.encryptionKey` is there.
    /// - Throws: ``StoreError``, as ``init(in:encryptionKey:)`` does.
    /// - Complexity: Reads one small file.
    public init?(
        of userID: UserID, applicationID: String, in root: URL, encryptionKey: EncryptionKey? = nil
    ) throws(StoreError) {
        try self.init(
            in: ChatStore.directory(
                in: root, applicationID: applicationID, userID: userID,
                hidesUser: encryptionKey != nil),
            encryptionKey: encryptionKey)
    }

    /// Leaves messages for the application, all of them or none; they are on the disk when it returns.
    ///
    /// They are hearsay, as from `ChatClient.ingest(push:)`: shown where nothing newer is held, and no proof of
    /// what lies beside them. Leaving one twice is no harm.
    ///
    /// - Parameter messages: Messages that the server has, each with its channel and its id. None are no drop.
    /// - Throws: ``StoreError`` with the code `invalid` for a message that was not sent, or more than
    ///   ``maximumDropSize``; `noSpace` also where the box is full, since the application did not look into it for
    ///   long; `closed` if the box was removed; `wrongKey` if the key was exchanged; `permission`, `io`. Nothing
    ///   is left then.
    /// - Complexity: O(*n*) in the drops that wait, and in the messages. Waits for the disk, twice.
    public func leave(_ messages: [Message]) throws(StoreError) {
        guard !messages.isEmpty else { return }
        guard messages.allSatisfy({ $0.sentPosition != nil && !$0.channelURL.rawValue.isEmpty })
        else {
            throw StoreError(
                .invalid, "a message that the server does not have", path: files.path)
        }
        let size = messages.reduce(0) { $0 + $1.serializedSize }
        guard size <= DropBox.maximumDropSize else {
            throw StoreError(
                .invalid, "\(size) bytes are more than the \(DropBox.maximumDropSize) of a drop",
                path: files.path)
        }
        try files.alone { () throws(StoreError) in
            // They may have been exchanged since the box was opened.
            try files.add(messages, try files.keys(key))
        }
    }

    /// How many drops wait for the application.
    ///
    /// - Throws: ``StoreError`` with the code `permission` or `io`.
    /// - Complexity: O(*n*) in the drops.
    public var count: Int {
        get throws(StoreError) { try files.names().count }
    }
}

extension DropBox {
    /// A line of a drop that is not as it was left.
    public struct Damage: Hashable, Sendable, CustomStringConvertible {
        /// The name of the drop's file, which says nothing of what is in it.
        public let file: String

        /// Which line: 1 is the header, 2 the first message.
        public let line: Int

        /// What is wrong with it.
        public let reason: FileCache.Damage.Reason

        /// Why the bytes are no message; `nil` unless the reason is ``FileCache/Damage/Reason/record``.
        public let cause: SerializationError?

        init(file: String, _ damage: FileCache.Damage) {
            self.file = file
            line = damage.line
            reason = damage.reason
            cause = damage.cause
        }

        /// File, line and reason, such as "0000000000000001-93e2….drop, line 3: check".
        public var description: String {
            "\(file), \(FileCache.Damage(line: line, reason: reason, cause: cause))"
        }
    }
}
