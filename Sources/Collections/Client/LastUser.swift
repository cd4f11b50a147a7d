import Foundation
import Models
import Store

/// The user who connected last on this device, whose cache can be shown before a user connects.
///
/// A client with a key stores the user's ID in an encrypted file, and ignores the unencrypted file.
struct LastUser {
    private let plain: NoteFile
    private let sealed: NoteFile?

    /// Returns `nil` if the client stores its data in memory, or if the directory is a link.
    init?(_ options: ChatClientOptions) {
        guard let root = UserDirectories(options)?.root,
            (try? ChatStore.checkIsNoLink(at: root)) != nil
        else { return nil }
        // Names of users' directories start with "_", "-" or "%", so none equals the names of these
        // files.
        func record(_ name: String, _ key: EncryptionKey?) -> NoteFile {
            NoteFile(
                at: root.appending(path: name).path, encryptedWith: key, for: "last user")
        }
        plain = record("last-user", nil)
        sealed = options.encryptionKey.map { record("last-user-sealed", $0) }
    }

    /// The ID of the user; `nil` if there is none, or if the file cannot be read.
    var userID: UserID? {
        // With a key, do not trust a file that any program could have written.
        id(in: sealed ?? plain)
    }

    var isUnreadable: Bool { sealed.map { $0.exists && $0.read() == nil } ?? false }

    private func id(in note: NoteFile) -> UserID? {
        note.read().map { UserID(String(decoding: $0, as: UTF8.self)) }
    }

    /// Records a user, or `nil` for no user.
    ///
    /// If the file cannot be written, the next client opens without a user. Pass `false` for
    /// `replacesUnreadable` to keep a file that the key does not decrypt, if the key may be wrong:
    /// it has opened no existing store, or some store cannot be opened with it.
    func set(_ userID: UserID?, replacesUnreadable: @autoclosure () -> Bool) {
        if let sealed, sealed.exists, sealed.read() == nil, !replacesUnreadable() { return }
        if userID == nil || userID != id(in: sealed ?? plain) { write(userID, to: sealed ?? plain) }
        if sealed != nil { try? plain.remove() }
    }

    private func write(_ userID: UserID?, to note: NoteFile) {
        if let userID {
            try? note.write(Data(userID.rawValue.utf8))
        } else {
            try? note.remove()
        }
    }

    /// Encrypts the unencrypted file if it names `userID`, and no encrypted file exists.
    func encryptPlainFile(of userID: UserID) {
        guard let sealed, id(in: plain) == userID else { return }
        if !sealed.exists { write(userID, to: sealed) }
        guard sealed.exists else { return }
        try? plain.remove()
    }
}
