public import Foundation

/// A time on the server's clock, in milliseconds since 1970-01-01 00:00:00 UTC; negative if
/// earlier.
///
/// Timestamps are neither unique nor monotonic: to order messages, use ``Position``.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// The number of milliseconds since 1970.
    public let milliseconds: Int64

    /// Creates a timestamp from milliseconds since 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The earliest timestamp, before every message.
    public static let distantPast = Timestamp(milliseconds: .min)

    /// The latest timestamp, after every message.
    public static let distantFuture = Timestamp(milliseconds: .max)

    /// Compares the milliseconds.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

extension Timestamp: ExpressibleByIntegerLiteral {
    /// Creates a timestamp from a number of milliseconds.
    public init(integerLiteral milliseconds: Int64) {
        self.init(milliseconds: milliseconds)
    }
}

extension Timestamp: CustomStringConvertible {
    /// The number of milliseconds in decimal notation.
    public var description: String { String(milliseconds) }
}

extension Timestamp: Codable {
    /// Decodes milliseconds from an integer, a text, or a number with a fraction, which is
    /// truncated.
    public init(from decoder: any Decoder) throws {
        self.init(milliseconds: try decoder.singleValueContainer().decodeLenientInt64())
    }

    /// Encodes the milliseconds.
    public func encode(to encoder: any Encoder) throws { try milliseconds.encode(to: encoder) }
}

// MARK: Dates

extension Timestamp {
    /// Creates a timestamp from a date, rounded to the nearest millisecond and limited to the range
    /// of timestamps.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(
            milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }

    /// The timestamp as a `Date`, exact to the millisecond for 280,000 years around the present.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension Date {
    /// Creates a date from a timestamp.
    public init(_ timestamp: Timestamp) { self = timestamp.date }
}

extension Timestamp {
    /// The current time of this device's clock, which may differ from the server's.
    public static var now: Timestamp { Timestamp(Date()) }
}

extension Timestamp: InstantProtocol {
    /// Returns the timestamp that is later by the whole milliseconds of a duration, limited to the
    /// range of timestamps.
    public func advanced(by duration: Duration) -> Timestamp {
        let (sum, isOver) = milliseconds.addingReportingOverflow(duration.milliseconds)
        if isOver { return duration < .zero ? .distantPast : .distantFuture }
        return Timestamp(milliseconds: sum)
    }

    /// Returns the duration from this timestamp to another one.
    public func duration(to other: Timestamp) -> Duration {
        .milliseconds(other.milliseconds) - .milliseconds(milliseconds)
    }
}

extension Duration {
    /// The duration in milliseconds, limited to the range of `Int64`.
    package var milliseconds: Int64 {
        // `components` traps if the seconds need more than 64 bits.
        let range = Duration.milliseconds(Int64.min) ... .milliseconds(Int64.max)
        guard range.contains(self) else { return self < .zero ? .min : .max }
        let (seconds, attoseconds) = components
        // At the ends of the range, the product overflows although the sum fits.
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, sumOverflows) = whole.addingReportingOverflow(
            attoseconds / 1_000_000_000_000_000)
        return overflows || sumOverflows ? (self < .zero ? .min : .max) : sum
    }
}
