public import Models

extension Timestamp {
    /// Returns the timestamp that is later by a duration: see ``/Models/Timestamp/advanced(by:)``.
    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        time.advanced(by: duration)
    }
}
