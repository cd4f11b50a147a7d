package import Models

extension Timestamp {
    /// The next millisecond; `nil` after the latest timestamp.
    var next: Timestamp? {
        let (next, overflows) = milliseconds.addingReportingOverflow(1)
        return overflows ? nil : Timestamp(milliseconds: next)
    }

    /// Returns the time that is earlier by a duration, limited to the range of timestamps.
    func earlier(by duration: Duration) -> Timestamp {
        let (time, overflows) = milliseconds.subtractingReportingOverflow(duration.milliseconds)
        guard overflows else { return Timestamp(milliseconds: time) }
        return duration < .zero ? .distantFuture : .distantPast
    }

    /// Returns the duration from another time to this one, limited to 64-bit milliseconds.
    package func elapsed(since other: Timestamp) -> Duration {
        let (time, overflows) = milliseconds.subtractingReportingOverflow(other.milliseconds)
        return .milliseconds(overflows ? (self < other ? .min : .max) : time)
    }
}
