import Foundation

/// The progress of a long operation in one line: a bar, the speed, the remaining time, and a
/// sparkline of the speed.
@MainActor final class ProgressMeter {
    private let title: String
    private let workspace: Workspace
    private let began = ContinuousClock.now
    private var lastReported: ContinuousClock.Instant?
    private var lastCount = 0
    private var speeds: [Double] = []

    init(_ title: String, in workspace: Workspace) {
        (self.title, self.workspace) = (title, workspace)
    }

    /// Shows the number of completed units, and their share if known, unless the previous line is
    /// too recent.
    func update(_ count: Int, share: Double? = nil) {
        let now = ContinuousClock.now
        let interval = (now - (lastReported ?? began)) / .seconds(1)
        guard lastReported == nil || interval >= 0.2 else { return }
        speeds.append(Double(count - lastCount) / max(interval, 0.001))
        (lastReported, lastCount) = (now, count)
        workspace.onProgress(
            ProgressMeter.line(
                title, count, share: share, elapsed: (now - began) / .seconds(1), speeds: speeds,
                width: workspace.width - 4))  // readline keeps room for the cursor
    }

    private static func line(
        _ title: String, _ count: Int, share: Double?, elapsed: Double, speeds: [Double], width: Int
    ) -> String {
        let speed = elapsed > 0 ? Int(Double(count) / elapsed) : 0
        var parts = [title]
        let spark = sparkline(speeds.suffix(16))
        var end = "\(grouped(count))  \(grouped(speed))/s"
        if let share, share > 0 {
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
    private static func sparkline(_ numbers: some Collection<Double>) -> String {
        let most = numbers.max() ?? 0
        let columns = Array("▁▂▃▄▅▆▇█")
        return String(
            numbers.map { number in
                columns[most > 0 ? min(7, max(0, Int(number / most * 7.999))) : 0]
            })
    }
}
