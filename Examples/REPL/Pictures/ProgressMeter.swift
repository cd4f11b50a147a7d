import Foundation

/// The progress of a long operation in one line: a bar, the number of units per second, the
/// remaining time, and a sparkline of the speed over time.
struct ProgressMeter {
    private let title: String
    private let width: Int
    private let total: Int?
    private let began = ContinuousClock.now
    private var lastReported: ContinuousClock.Instant?
    private var lastCount = 0
    private var speeds: [Double] = []

    /// Creates a meter.
    ///
    /// - Parameters:
    ///   - title: The name of the operation.
    ///   - total: The number of units; `nil` if it is unknown.
    ///   - width: The number of columns.
    init(_ title: String, of total: Int? = nil, width: Int) {
        self.title = title
        self.total = total
        self.width = width - 4  // readline keeps room for the cursor
    }

    /// Records the number of completed units, and returns the line to print.
    ///
    /// The result is `nil` if the previous line is too recent.
    mutating func update(_ count: Int, share: Double? = nil) -> String? {
        let now = ContinuousClock.now
        let interval = (now - (lastReported ?? began)) / .seconds(1)
        guard lastReported == nil || interval >= 0.2 else { return nil }
        speeds.append(Double(count - lastCount) / max(interval, 0.001))
        (lastReported, lastCount) = (now, count)
        return ProgressMeter.line(
            title, count, share: share ?? total.map { Double(count) / Double(max(1, $0)) },
            elapsed: (now - began) / .seconds(1), speeds: speeds, width: width)
    }

    static func line(
        _ title: String, _ count: Int, share: Double?, elapsed: Double, speeds: [Double], width: Int
    ) -> String {
        let speed = elapsed > 0 ? Int(Double(count) / elapsed) : 0
        var parts = [title]
        let spark = Sparkline(Array(speeds.suffix(16))).description
        var end = "\(grouped(count))  \(grouped(speed))/s"
        if let share, share > 0 {
            // The fraction may exceed 1, because the size of a gzipped file is an estimate.
            let left = Int(max(0, elapsed / share * (1 - share)).rounded(.up))
            end += "  \(left) s left"
        }
        if !spark.isEmpty { end += "  \(spark)" }
        if let share {
            let room = min(40, width - title.count - end.count - 10)
            if room >= 4 { parts.append(bar(share, room)) }
            parts.append("\(Int(min(1, share) * 100)) %")
        }
        parts.append(end)
        return String(parts.joined(separator: "  ").prefix(width))
    }

    private static func bar(_ share: Double, _ width: Int) -> String {
        let eighths = Int(min(1, max(0, share)) * Double(width * 8))
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        let bar = String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
        return "▕\(bar.padded(to: width))▏"
    }
}

/// Numbers as a line of small columns.
struct Sparkline: CustomStringConvertible {
    let description: String

    init(_ numbers: [Double]) {
        let most = numbers.max() ?? 0
        let columns = Array("▁▂▃▄▅▆▇█")
        description = String(
            numbers.map { number in
                columns[most > 0 ? min(7, max(0, Int(number / most * 7.999))) : 0]
            })
    }
}
