public import Foundation
public import Models

extension ChatStore {
    /// The directory for one user of one application within another directory.
    ///
    /// Any text is a valid id. The names are made of lower-case letters, digits, `-`, `_` and `%`,
    /// differ for any two ids, also where the file system ignores case, and never lead out of
    /// `root`; those of long ids are hashes.
    ///
    /// - Parameters:
    ///   - root: The directory that all are in.
    ///   - applicationID: The application.
    ///   - userID: The user.
    ///   - hidesUser: Whether the user's is a hash, too, for a store that is encrypted. Who knows an id
    ///     can still find out whether it has a directory.
    /// - Returns: The directory; whether it is there is not looked at.
    public static func directory(
        in root: URL, applicationID: String, userID: UserID, hidesUser: Bool = false
    ) -> URL {
        let user = userID.rawValue
        return root.appending(path: fileName(applicationID), directoryHint: .isDirectory)
            .appending(
                path: hidesUser ? hash(user) : fileName(user), directoryHint: .isDirectory)
    }

    /// The names in the directory that users' directories are in; none if it does not exist.
    package static func directoryNames(in root: URL) throws(StoreError) -> [String] {
        try OpenFile.names(in: root.path)
    }

    /// The directories that a readable name in `root` shows to be a user's, and the users.
    ///
    /// The ids of users whose names are hashes cannot be told from them: those are left out.
    package static func readableDirectories(
        in root: URL
    ) throws(StoreError) -> [(userID: UserID, directory: URL)] {
        try OpenFile.names(in: root.path).sorted().compactMap { name in
            guard name.hasPrefix("_"), let id = String(name.dropFirst()).removingPercentEncoding,
                fileName(id) == name
            else { return nil }
            return (UserID(id), root.appending(path: name, directoryHint: .isDirectory))
        }
    }

    /// The longest name that is not replaced by a hash.
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
        // Begins differently than the others, so the two kinds are never taken for each other.
        return name.utf8.count <= longestName ? name : hash(id)
    }

    private static func hash(_ id: String) -> String { "-" + id.hashedFileName }
}
