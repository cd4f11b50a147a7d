public import Models

/// A point in the server's feed, ordered by its number, because the server's cursors are opaque.
public struct FeedPoint: Hashable, Sendable {
    /// The server's cursor.
    public let cursor: FeedCursor

    /// The number of the cursor, which the engine increments for each stored cursor.
    public let number: Int64

    /// Creates a point in the feed.
    public init(_ cursor: FeedCursor, number: Int64) {
        self.cursor = cursor
        self.number = number
    }
}

extension FeedPoint: Comparable {
    /// Compares the numbers of two points: the left one is earlier in the feed.
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
