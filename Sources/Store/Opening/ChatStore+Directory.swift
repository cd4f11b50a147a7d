public import Foundation
public import Models

extension ChatStore {
    /// Returns the directory for a user of an app within another directory.
    ///
    /// Any text is a valid ID. The name of a directory consists of lower-case letters, digits, `-`,
    /// `_` and `%`. Two different IDs have different names, even if the file system ignores case. A
    /// name cannot refer to a directory outside of `root`. The name for a long ID is a hash.
    ///
    /// - Parameters:
    ///   - root: The parent directory of all apps.
    ///   - applicationID: The ID of the app.
    ///   - userID: The ID of the user.
    ///   - hidesUser: A Boolean value that indicates whether the user's name is also hashed, for an
    ///     encrypted store. An attacker who knows an ID can still find out whether a directory for
    ///     it exists.
    /// - Returns: The directory, which need not exist.
    public static func directory(
        in root: URL, applicationID: String, userID: UserID, hidesUser: Bool = false
    ) -> URL {
        let user = userID.rawValue
        return root.appending(path: fileName(applicationID), directoryHint: .isDirectory)
            .appending(
                path: hidesUser ? hash(user) : fileName(user), directoryHint: .isDirectory)
    }

    /// Returns the names of all users' directories in `root`; empty if `root` does not exist.
    package static func directoryNames(in root: URL) throws(StoreError) -> [String] {
        try DiskFile.names(in: root.path)
    }

    /// Returns the users' directories in `root` whose names can be decoded, with the users.
    ///
    /// Hashed names do not reveal the IDs of their users, so those directories are not included.
    package static func readableDirectories(
        in root: URL
    ) throws(StoreError) -> [(userID: UserID, directory: URL)] {
        try DiskFile.names(in: root.path).sorted().compactMap { name in
            userID(ofDirectory: name).map {
                ($0, root.appending(path: name, directoryHint: .isDirectory))
            }
        }
    }

    /// Returns the user whose directory has a name; `nil` if the name is hashed or is not that of a
    /// user's directory.
    package static func userID(ofDirectory name: String) -> UserID? {
        guard name.hasPrefix("_"), let id = String(name.dropFirst()).removingPercentEncoding,
            fileName(id) == name
        else { return nil }
        return UserID(id)
    }

    /// The maximum length of a name that is not hashed.
    private static let longestName = 100

    private static func fileName(_ id: String) -> String {
        var name = "_"
        for byte in id.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                name += "%" + [byte].hexadecimal
            }
        }
        // A hashed name starts with a character that other names never start with, so the two kinds
        // cannot collide.
        return name.utf8.count <= longestName ? name : hash(id)
    }

    private static func hash(_ id: String) -> String { "-" + id.hashedFileName }
}
