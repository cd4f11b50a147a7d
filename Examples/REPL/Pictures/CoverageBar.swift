import Scrollback

/// The coverage of a channel's history as a bar: `█` known, `▒` stale, `░` missing, `▸` not sent.
///
/// The first and the last column represent the history beyond the stored messages, and the others
/// equal parts of the time between the oldest and the newest of these.
struct CoverageBar: CustomStringConvertible {
    let description: String

    init(
        _ coverage: Coverage, from oldest: Timestamp, to newest: Timestamp, items: Int, width: Int
    ) {
        let parts = coverage.parts
        let unsent = String(repeating: "▸", count: min(items, 4))
        func end(_ part: Coverage.Part?, _ count: Int) -> String {
            guard let part, part.kind != .known else { return "" }
            return String(repeating: part.kind.sign, count: count)
        }
        let first = end(parts.first, 2)
        let last = parts.count == 1 ? "" : end(parts.last, 1)
        let columns = max(1, width - first.count - last.count - unsent.count)
        // Floating-point numbers do not overflow for distant times.
        let start = Double(oldest.milliseconds)
        let span = max(1, Double(newest.milliseconds) - start)
        func column(_ bound: Gap.Bound) -> Double {
            guard case .position(let position) = bound else {
                return bound == .beginning ? 0 : Double(columns)
            }
            let share = (Double(position.createdAt.milliseconds) - start) / span
            // A bound may be far beyond the stored messages.
            return min(1, max(0, share)) * Double(columns)
        }
        var signs = Array(repeating: Coverage.Kind.known.sign, count: columns)
        for part in parts where part.kind != .known {
            let isAtEnd = part.lower == .beginning || part.upper == .end
            if isAtEnd, parts.count > 1 { continue }
            let from = min(columns - 1, Int(column(part.lower)))
            let to = max(from, min(columns, Int(column(part.upper).rounded(.up))) - 1)
            for index in from...to { signs[index] = part.kind.sign }
        }
        description = first + signs.joined() + last + unsent
    }
}

extension Coverage.Kind {
    fileprivate var sign: String {
        switch self {
        case .known: "█"
        case .stale: "▒"
        case .missing: "░"
        }
    }
}
