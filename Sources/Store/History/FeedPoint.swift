public import Models

/// A point in the feed of what changes on the server.
///
/// The server's cursors are opaque: which of two came first, only their number tells.
public struct FeedPoint: Hashable, Sendable {
    /// Where the feed goes on, as the server named it.
    public let cursor: FeedCursor

    /// Grows with each cursor that is stored; whoever stores cursors counts them.
    public let number: Int64

    /// Creates a point in the feed.
    public init(_ cursor: FeedCursor, number: Int64) {
        self.cursor = cursor
        self.number = number
    }
}

extension FeedPoint: Comparable {
    /// Whether the left point is the earlier one.
    public static func < (left: FeedPoint, right: FeedPoint) -> Bool {
        if left.number != right.number { return left.number < right.number }
        return left.cursor < right.cursor
    }
}

extension FeedPoint: CustomStringConvertible {
    /// The cursor and its number, such as "s72594 (12)".
    public var description: String { "\(cursor) (\(number))" }
}

extension ByteWriter {
    mutating func optional(_ point: FeedPoint?) {
        optional(point?.cursor.rawValue)
        if let point { integer(point.number) }
    }
}

extension ByteReader {
    mutating func optionalFeedPoint() throws(Damage) -> FeedPoint? {
        guard let cursor = try optional() else { return nil }
        return FeedPoint(FeedCursor(cursor), number: try integer())
    }
}
