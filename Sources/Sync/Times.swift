import Models

extension Duration {
    /// The duration in whole milliseconds, limited to the range of `Int64`.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        return overflows ? (seconds < 0 ? .min : .max) : whole + attoseconds / 1_000_000_000_000_000
    }
}

extension Timestamp {
    /// The next millisecond; `nil` after the latest timestamp.
    var next: Timestamp? {
        let (next, overflows) = milliseconds.addingReportingOverflow(1)
        return overflows ? nil : Timestamp(milliseconds: next)
    }

    /// Returns the time earlier by a duration, limited to the earliest timestamp.
    func earlier(by duration: Duration) -> Timestamp {
        let (time, overflows) = milliseconds.subtractingReportingOverflow(duration.milliseconds)
        return overflows ? .distantPast : Timestamp(milliseconds: time)
    }
}
