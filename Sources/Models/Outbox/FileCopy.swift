public import Foundation

/// A copy of a file that the outbox keeps until the file is uploaded.
///
/// The outbox item contains this record, and a file in the outbox's own directory contains the
/// bytes. The size and the hash are those of the plain bytes, even if the copy is encrypted. When
/// the outbox reads the copy, it verifies both.
public struct FileCopy: Record {
    /// The fields in their binary form.
    public var fields = RecordFields<FileCopy>()

    /// Creates a record without any fields.
    public init() {}

    /// The name of the copy in the outbox's own directory; empty if the file has no copy.
    ///
    /// The name is random and unique. It is not a path, because updating an app moves its
    /// directories.
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

    /// The fields of this type.
    public static let schema = Schema(
        "FileCopy",
        [
            Field(1, "name", \FileCopy.name),
            Field(2, "size", \FileCopy.size),
            Field(3, "sha256", \FileCopy.sha256),
        ])
}

extension FileCopy: SingularValue {}
