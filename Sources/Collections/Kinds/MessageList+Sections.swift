public import Foundation
import Models

extension MessageList {
    /// The rows of a day, a month or another period.
    public struct Section: Hashable, Sendable, Identifiable {
        /// The period, such as a day in the calendar's time zone.
        public let period: DateInterval

        /// The rows, newest first; never empty.
        public let rows: [Row]

        /// The start of the period.
        public var id: Date { period.start }
    }

    /// Returns the rows in sections by time, newest first.
    ///
    /// - Complexity: O(*n*) in the number of rows.
    public func sections(
        by component: Calendar.Component, in calendar: Calendar = .current
    ) -> [Section] {
        var sections: [Section] = []
        var start = 0
        let rows = rows
        while start < rows.count {
            let date = rows[start].date
            let period =
                calendar.dateInterval(of: component, for: date)
                ?? DateInterval(start: date, end: date)
            var end = start + 1
            // A period does not contain its end.
            while end < rows.count, rows[end].date >= period.start { end += 1 }
            sections.append(Section(period: period, rows: Array(rows[start..<end])))
            start = end
        }
        return sections
    }
}

extension MessageList.Row {
    fileprivate var date: Date {
        Date(timeIntervalSince1970: Double(message.createdAt.milliseconds) / 1000)
    }
}
