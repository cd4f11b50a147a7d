/// Short forms of long message IDs, such as `…3.000200`, for people to read and type.
struct ShortIDs {
    /// The maximum number of characters of an ID without a short form.
    private static let longestWhole = 16

    private static let fewestTyped = 4

    private var count = 8

    /// Creates distinct short forms of IDs that are shown together.
    init(_ ids: some Sequence<String>) {
        let long = Set(ids.filter { $0.count > Self.longestWhole })
        while count < Self.longestWhole, Set(long.map { $0.suffix(count) }).count < long.count {
            count += 1
        }
    }

    subscript(id: String) -> String {
        id.count > Self.longestWhole ? "…\(id.suffix(count))" : id
    }

    /// Returns the ID for a short form or another end of a long ID, if any; throws an error if
    /// several match.
    static func id(endingWith word: String, among ids: some Sequence<String>) throws -> String? {
        let end = word.trimmingPrefix("…").trimmingPrefix("...")
        guard end.count >= fewestTyped else { return nil }
        let found = Set(ids.filter { $0.count > longestWhole && $0.hasSuffix(end) })
        guard found.count < 2 else {
            let names = found.sorted().prefix(3).joined(separator: ", ")
            throw CommandError.failed("'\(word)' is the end of several ids: \(names)")
        }
        return found.first
    }
}
