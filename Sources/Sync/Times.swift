package import Models

extension Duration {
    /// The duration in whole milliseconds, limited to the range of `Int64`.
    package var milliseconds: Int64 {
        // `components` traps where the seconds take more than 64 bits.
        let range = Duration.milliseconds(Int64.min) ... .milliseconds(Int64.max)
        guard range.contains(self) else { return self < .zero ? .min : .max }
        let (seconds, attoseconds) = components
        // Only the sum is known to fit: the last second of the range is cut off by its
        // milliseconds.
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, sumOverflows) = whole.addingReportingOverflow(
            attoseconds / 1_000_000_000_000_000)
        return overflows || sumOverflows ? (self < .zero ? .min : .max) : sum
    }
}

extension Timestamp {
    /// The next millisecond; `nil` after the latest timestamp.
    var next: Timestamp? {
        let (next, overflows) = milliseconds.addingReportingOverflow(1)
        return overflows ? nil : Timestamp(milliseconds: next)
    }

    /// The time that is earlier by a duration; the first or last timestamp, where there is none.
    func earlier(by duration: Duration) -> Timestamp {
        let (time, overflows) = milliseconds.subtractingReportingOverflow(duration.milliseconds)
        guard overflows else { return Timestamp(milliseconds: time) }
        return duration < .zero ? .distantFuture : .distantPast
    }

    /// How long after another time this one is; the longest or shortest duration of 64 bits, if it
    /// is longer.
    package func elapsed(since other: Timestamp) -> Duration {
        let (time, overflows) = milliseconds.subtractingReportingOverflow(other.milliseconds)
        return .milliseconds(overflows ? (self < other ? .min : .max) : time)
    }
}
