import Scrollback

// Formatting and parsing of timestamps.
//
// Foundation's ISO 8601 style truncates milliseconds (…001 becomes .000), and does not support
// dates before 4713 BC.

extension Timestamp {
    /// The date and time in UTC and the Gregorian calendar, such as `2023-11-14T22:13:20.000Z`.
    ///
    /// Years of more than four digits, and years before 0, have a sign.
    var iso8601: String {
        let (day, time) = floorDivision(milliseconds, 86_400_000)
        let date = Self.date(ofDay: day)
        let year =
            (0...9_999).contains(date.year)
            ? pad(date.year, 4)
            : (date.year < 0 ? "-" : "+") + pad(abs(date.year), 6)
        let clock = [time / 3_600_000, time / 60_000 % 60, time / 1_000 % 60].map { pad($0, 2) }
        return "\(year)-\(pad(date.month, 2))-\(pad(date.day, 2))"
            + "T\(clock.joined(separator: ":")).\(pad(time % 1_000, 3))Z"
    }

    /// Reads a date with a four-digit year in the form of ``iso8601``; milliseconds are optional.
    init?(iso8601 text: String) {
        let form = /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{3}))?Z/
        guard let match = text.wholeMatch(of: form)?.output,
            let year = Int64(match.1), let month = Int64(match.2), let day = Int64(match.3),
            let hour = Int64(match.4), let minute = Int64(match.5), let second = Int64(match.6),
            let millisecond = Int64(match.7 ?? "0"), (1...12).contains(month)
        else { return nil }
        let days = Self.days(toYear: year, month: month) + day - 1
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
        self.init(milliseconds: seconds * 1_000 + millisecond)
        // Reject dates that do not exist. For example, the calculation above has turned 30 February
        // into a day in March, whose text differs from the input.
        guard iso8601.hasPrefix(text.prefix(19)) else { return nil }
    }

    /// Returns the date of a day.
    ///
    /// Days are counted from 1970-01-01.
    private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        // Years start in March here, so that a leap day is the last day of its year. A cycle of 400
        // years has 146,097 days.
        let (cycle, dayOfCycle) = floorDivision(day + 719_468, 146_097)
        let yearOfCycle =
            (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (
            year: cycle * 400 + yearOfCycle + (month <= 2 ? 1 : 0),
            month: month,
            day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        )
    }

    /// Returns the number of days from 1970-01-01 to the first day of a month.
    ///
    /// This is the inverse of ``date(ofDay:)``.
    private static func days(toYear year: Int64, month: Int64) -> Int64 {
        let (cycle, yearOfCycle) = floorDivision(month <= 2 ? year - 1 : year, 400)
        let monthFromMarch = (month + 9) % 12
        let dayOfCycle =
            365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100
            + (153 * monthFromMarch + 2) / 5
        return cycle * 146_097 + dayOfCycle - 719_468
    }
}

private func floorDivision(_ number: Int64, _ divisor: Int64) -> (quotient: Int64, rest: Int64) {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
}

private func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
