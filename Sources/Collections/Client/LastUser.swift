import Foundation
import Models
import Store

/// Who was the last to connect on this device, so that what is held of them can be shown at once.
struct LastUser {
    private let file: URL
    /// The one that has a readable id, which is removed where there is a key.
    private let plain: URL
    private let key: EncryptionKey?

    init(_ options: ChatClientOptions) {
        key = options.encryptionKey
        // Beside the users' directories, whose names all begin with an underscore or a hyphen.
        let directory = options.usersDirectory
        plain = directory.appending(path: "last-user")
        file = key == nil ? plain : directory.appending(path: "last-user-sealed")
    }

    var userID: UserID? {
        get {
            // None, and unreadable, are alike: the next one to connect is known again.
            guard var bytes = try? Data(contentsOf: file) else { return nil }
            if let key {
                guard let opened = key.open(bytes, for: "last user") else { return nil }
                bytes = opened
            }
            return UserID(String(decoding: bytes, as: UTF8.self))
        }
        nonmutating set {
            guard newValue != userID else { return }
            // Forgotten, it costs the next start the time until somebody connects.
            if let newValue {
                var bytes = Data(newValue.rawValue.utf8)
                if let key {
                    guard let sealed = key.seal(bytes, for: "last user") else { return }
                    bytes = sealed
                }
                try? bytes.write(to: file, options: .atomic)
                if key != nil { try? FileManager.default.removeItem(at: plain) }
            } else {
                try? FileManager.default.removeItem(at: file)
            }
        }
    }
}
