public import Foundation

/// A copy of a file that the outbox keeps until the file is uploaded.
///
/// The outbox item contains this record; the bytes are in a file in the outbox's own directory. The
/// size and the hash are those of the original bytes, even if the file is encrypted. When the copy
/// is read, both are verified.
public struct FileCopy: Record {
    /// The fields, in the binary form.
    public var fields = RecordFields<FileCopy>()

    /// Creates a record without any field.
    public init() {}

    /// The name of the copy in the outbox's own directory: random, and never that of two copies.
    ///
    /// A name and not a path, because an app's directories move when the app is updated. Empty for
    /// a file that has no copy.
    public var name: String {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The number of bytes that were copied.
    public var size: Int {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// The SHA-256 of the bytes that were copied, 32 bytes.
    public var sha256: Data? {
        get { self[3] }
        set { self[3] = newValue }
    }

    /// The fields of the type.
    public static let schema = Schema(
        "FileCopy",
        [
            Field(1, "name", \FileCopy.name),
            Field(2, "size", \FileCopy.size),
            Field(3, "sha256", \FileCopy.sha256),
        ])
}

extension FileCopy: SingularValue {}
