import Measuring

/// The result of one store in one row of the tables.
struct Result: Codable {
    /// The number of messages, or 0 for the channel list.
    let size: Int
    let row: String
    let store: String
    let unit: Unit
    let median: Double
    let p99: Double
    let worst: Double
    /// The number of measured calls.
    let count: Int

    /// The unit of the values.
    enum Unit: String, Codable {
        case nanoseconds, perSecond, bytes
    }

    init(
        _ size: Int, _ row: String, _ store: String, _ values: [Double],
        _ unit: Unit = .nanoseconds
    ) {
        let sorted = unit == .perSecond ? values.sorted(by: >) : values.sorted()
        self.size = size
        self.row = row
        self.store = store
        self.unit = unit
        median = sorted[sorted.count / 2]
        p99 = sorted[sorted.count * 99 / 100]
        worst = sorted[sorted.count - 1]
        count = values.count
    }
}

extension Result.Unit {
    /// Returns a value as text.
    func text(_ value: Double) -> String {
        switch self {
        case .nanoseconds where value >= 1e9: "\((value / 1e9).brief) s"
        case .nanoseconds where value >= 1e6: "\((value / 1e6).brief) ms"
        case .nanoseconds where value >= 1e3: "\((value / 1e3).brief) µs"
        case .nanoseconds: "\(value.brief) ns"
        case .perSecond: "\((value / 1e3).brief) k/s"
        case .bytes where value >= 1e6: "\((value / 1e6).brief) MB"
        case .bytes: "\(value.brief) B"
        }
    }
}
