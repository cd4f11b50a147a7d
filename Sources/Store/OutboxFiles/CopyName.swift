import CScrollbackLevelDB

/// The name of a file that the environment encrypts like a table: 32 hexadecimal digits and
/// `.copy`.
///
/// On-disk format, do not change: Docs/Format.md, "Copies of outgoing files", "Downloaded files".
enum CopyName {
    static let byteCount = 16

    static func make(_ bytes: some Sequence<UInt8>) -> String {
        bytes.hexadecimal + SCROLLBACK_COPY_SUFFIX
    }

    /// A manipulated item could name a file outside of the directory.
    static func isValid(_ name: String) -> Bool {
        let digits = name.utf8.dropLast(SCROLLBACK_COPY_SUFFIX.utf8.count)
        return name.hasSuffix(SCROLLBACK_COPY_SUFFIX) && digits.count == 2 * byteCount
            && digits.allSatisfy { allowed.contains($0) }
    }

    private static let allowed = Array("0123456789abcdef".utf8)
}
