import Models

extension Duration {
    /// Whole milliseconds; the largest number, or the smallest, if there are more.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        return overflows ? (seconds < 0 ? .min : .max) : whole + attoseconds / 1_000_000_000_000_000
    }
}

extension Timestamp {
    /// The next millisecond; `nil` at the end of time.
    var next: Timestamp? {
        let (next, overflows) = milliseconds.addingReportingOverflow(1)
        return overflows ? nil : Timestamp(milliseconds: next)
    }

    /// The time that is earlier by some duration; the beginning of time, where there is none.
    func earlier(by duration: Duration) -> Timestamp {
        let (time, overflows) = milliseconds.subtractingReportingOverflow(duration.milliseconds)
        return overflows ? .distantPast : Timestamp(milliseconds: time)
    }
}
