import Foundation
import Scrollback

extension Timestamp {
    private static let form = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// The times from the first day of the Gregorian calendar through the year 9999.
    private static let dates: ClosedRange<Int64> = -12_219_292_800_000...253_402_300_799_999

    /// The date and time in UTC, such as `2023-11-14T22:13:20.000Z`; outside of ``dates``, `@` and
    /// the milliseconds.
    var iso8601: String {
        guard Self.dates.contains(milliseconds) else { return "@\(milliseconds)" }
        // Foundation truncates milliseconds: a rounding error would subtract one.
        return Date(timeIntervalSince1970: (Double(milliseconds) + 0.5) / 1000).formatted(Self.form)
    }

    /// Reads a date in the form of ``iso8601``; milliseconds are optional.
    init?(iso8601 text: String) {
        let whole = text.contains(".") ? text : text.replacing("Z", with: ".000Z")
        guard let date = try? Self.form.parse(whole) else { return nil }
        self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
        // Reject nonexistent dates such as 30 February, which Foundation may accept.
        guard iso8601 == whole else { return nil }
    }
}
