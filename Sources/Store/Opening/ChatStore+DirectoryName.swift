public import Foundation
public import Models

extension ChatStore {
    /// Returns the directory for a user of an app, which need not exist.
    ///
    /// Any text is a valid ID. A name consists of lower-case letters, digits, `-`, `_` and `%`, so
    /// that the directory is always inside `root`. Different IDs have different names, even if the
    /// file system ignores case. A long ID is hashed.
    ///
    /// - Parameters:
    ///   - root: The parent directory of all apps.
    ///   - applicationID: The ID of the app.
    ///   - userID: The ID of the user.
    ///   - hidesUser: Whether the user's name is always hashed, as for an encrypted store. An
    ///     attacker who knows a user's ID can still find out whether the user has a directory.
    /// - Returns: The directory.
    public static func directory(
        in root: URL, applicationID: String, userID: UserID, hidesUser: Bool = false
    ) -> URL {
        let user = userID.rawValue
        return root.appending(path: fileName(applicationID), directoryHint: .isDirectory)
            .appending(
                path: hidesUser ? hash(user) : fileName(user), directoryHint: .isDirectory)
    }

    /// Returns the names in `root`; empty if `root` does not exist.
    package static func directoryNames(in root: URL) throws(StoreError) -> [String] {
        try DiskFile.names(in: root.path)
    }

    /// Returns `nil` if the name is that of a hashed ID, or of no user.
    package static func userID(ofDirectory name: String) -> UserID? {
        guard name.hasPrefix("_"), let id = String(name.dropFirst()).removingPercentEncoding,
            fileName(id) == name
        else { return nil }
        return UserID(id)
    }

    /// The maximum number of bytes of a name that is not hashed.
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
        // A user's plain and encrypted store have different directories.
        return name.utf8.count <= longestName ? name : "%" + id.hashedFileName
    }

    private static func hash(_ id: String) -> String { "-" + id.hashedFileName }

    static func isHiddenName(_ name: some StringProtocol) -> Bool {
        name.utf8.count == 65 && name.hasPrefix("-") && name.dropFirst().allSatisfy(\.isHexDigit)
    }
}
