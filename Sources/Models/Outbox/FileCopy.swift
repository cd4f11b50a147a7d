public import Foundation

/// A copy of a file that the outbox keeps until the file is uploaded.
///
/// The size and the hash are those of the plain bytes, and are verified when the outbox reads it.
public struct FileCopy: Record {
    /// The binary form.
    public var fields = RecordFields<FileCopy>()

    /// Creates an empty record.
    public init() {}

    /// The random, unique name of the copy in the outbox's directory; empty if there is no copy.
    ///
    /// Not a path: updating an app moves its directories.
    public var name: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The size of the file in bytes.
    public var size: Int {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The SHA-256 hash of the file: 32 bytes.
    public var sha256: Data? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The schema.
    public static let schema = Schema(
        "FileCopy",
        [
            Field(1, "name", \FileCopy.name),
            Field(2, "size", \FileCopy.size),
            Field(3, "sha256", \FileCopy.sha256),
        ])
}

extension FileCopy: SingularValue {}
