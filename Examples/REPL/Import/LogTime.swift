import Scrollback

enum LogTime {
    /// The units of numbers, with their length in milliseconds.
    static let units = [("s", 1000.0), ("ms", 1), ("us", 1e-3), ("ns", 1e-6)]

    /// The possible times: the years 1990 to 2099.
    static let range: Range<Double> = 631_152_000_000..<4_102_444_800_000

    /// Returns the time of a JSON value: a number, a date, or an object with one, such as
    /// `{"$date": …}`; otherwise `nil`.
    ///
    /// Without a unit, a number is in milliseconds, or in seconds if it is small. Throws an error
    /// outside of the years 1990 to 2099.
    static func read(_ value: JSONValue, unit: String?) throws -> Timestamp? {
        let number: Double
        switch value {
        case .int(let integer): number = Double(integer)
        case .double(let double): number = double
        case .string(let text):
            guard let parsed = Double(text), parsed.isFinite else {
                guard let time = date(text) else { return nil }
                guard range.contains(Double(time)) else { throw outside("'\(text)'", nil) }
                return Timestamp(milliseconds: time)
            }
            number = parsed
        case .object(let entries) where entries.count == 1:
            return try entries.values.first.flatMap { try read($0, unit: unit) }
        default: return nil
        }
        let length =
            unit.flatMap { unit in units.first { $0.0 == unit }?.1 }
            ?? (number.magnitude < 1e11 ? 1000 : 1)
        let time = (number * length).rounded()
        guard range.contains(time) else { throw outside("\(value)", number) }
        return Timestamp(milliseconds: Int64(time))
    }

    private static func outside(_ text: String, _ number: Double?) -> CommandError {
        let fitting = number.flatMap { number in units.first { range.contains(number * $0.1) } }
        let hint = fitting.map { ": unit=\($0.0) makes it one" } ?? ""
        return .failed("\(text) is not a time in the years 1990 to 2099\(hint)")
    }

    /// Reads a date such as `2023-11-14 22:13:20.123456+01:00`, in milliseconds since 1970.
    ///
    /// `T` or a space precedes the time of day; the seconds and the offset may be missing.
    private static func date(_ text: String) -> Int64? {
        if text.hasPrefix("@") { return Int64(text.dropFirst()) }
        let form =
            #/(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)? ?(Z|UTC|[+-]\d\d:?(?:\d\d)?)?)?/#
        guard let match = text.wholeMatch(of: form)?.output else { return nil }
        func number(_ text: Substring?) -> Int { text.flatMap { Int($0) } ?? 0 }
        let fraction = match.7.map { Double("0.\($0)") ?? 0 } ?? 0
        var minutes = 0
        if let offset = match.8, let sign = offset.first, sign == "+" || sign == "-" {
            let digits = offset.dropFirst().filter(\.isNumber)
            minutes = number(digits.prefix(2)) * 60 + number(digits.dropFirst(2))
            if sign == "-" { minutes.negate() }
        }
        return milliseconds(
            year: number(match.1), month: number(match.2), day: number(match.3),
            hour: number(match.4), minute: number(match.5), second: number(match.6)
        ).map { $0 - Int64(minutes) * 60_000 + Int64((fraction * 1000).rounded(.down)) }
    }

    /// Returns the milliseconds since 1970 of a Gregorian date, if it exists.
    static func milliseconds(
        year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int
    ) -> Int64? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard 1...9999 ~= year, 1...12 ~= month, 1...lengths[month - 1] ~= day, 0...23 ~= hour,
            0...59 ~= minute, 0...60 ~= second
        else { return nil }
        let past = year - 1
        let days =
            past * 365 + past / 4 - past / 100 + past / 400
            + lengths[..<(month - 1)].reduce(0, +) + day - 1 - 719_162
        return Int64(((days * 24 + hour) * 60 + minute) * 60 + second) * 1000
    }
}
