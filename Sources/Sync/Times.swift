package import Models

extension Duration {
    /// The duration in whole milliseconds, limited to the range of `Int64`.
    package var milliseconds: Int64 {
        // `components` traps if the seconds need more than 64 bits.
        let range = Duration.milliseconds(Int64.min) ... .milliseconds(Int64.max)
        guard range.contains(self) else { return self < .zero ? .min : .max }
        let (seconds, attoseconds) = components
        // The range does not end at a whole second. At its ends, the product overflows although the
        // sum with the milliseconds fits in 64 bits.
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

    /// Returns the time that is earlier by a duration, limited to the range of timestamps.
    func earlier(by duration: Duration) -> Timestamp {
        let (time, overflows) = milliseconds.subtractingReportingOverflow(duration.milliseconds)
        guard overflows else { return Timestamp(milliseconds: time) }
        return duration < .zero ? .distantFuture : .distantPast
    }

    /// Returns the duration from another time to this one, limited to the range of 64-bit
    /// milliseconds.
    package func elapsed(since other: Timestamp) -> Duration {
        let (time, overflows) = milliseconds.subtractingReportingOverflow(other.milliseconds)
        return .milliseconds(overflows ? (self < other ? .min : .max) : time)
    }
}
