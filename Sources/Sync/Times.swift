import Models

extension Timestamp {
    /// The next millisecond; `nil` after the latest timestamp.
    var next: Timestamp? {
        let (next, overflows) = milliseconds.addingReportingOverflow(1)
        return overflows ? nil : Timestamp(milliseconds: next)
    }

    /// Returns the time that is earlier by a duration, limited to the range of timestamps.
    func earlier(by duration: Duration) -> Timestamp { advanced(by: .zero - duration) }
}
