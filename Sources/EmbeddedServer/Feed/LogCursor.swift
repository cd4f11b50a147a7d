import Models

/// Where a feed or a changelog goes on: behind an entry of the log.
///
/// As text, `epoch:sequence`, and what else there is to know. DO NOT CHANGE: clients store it.
struct LogCursor: Hashable {
    var sequence: LogSequence
    /// How far the channels were told that there were in the beginning.
    var beginning: String?
    /// The absence that is being told with holes; `nil` if all is told.
    var absence: Absence?
    /// Tells cursors apart that follow on what is told live, and takes no entry.
    var live: UInt64 = 0

    /// What lies behind one entry of the log, up to another: what was missed.
    struct Absence: Hashable {
        var after: LogSequence
        var upTo: LogSequence
        /// How many messages of each channel are told of it.
        ///
        /// The limit under which it began: under another one, the holes would be others.
        var limit: Int

        /// Whether it began no later than a cursor, and ends no later than the log.
        func isPast(_ sequence: LogSequence, _ last: LogSequence) -> Bool {
            after <= sequence && upTo <= last
        }
    }

    init(_ sequence: LogSequence) { self.sequence = sequence }

    func text(_ epoch: UInt64) -> String {
        var text = "\(epoch):\(sequence)"
        if live > 0 { text += ".\(live)" }
        if let absence { text += "~\(absence.after)-\(absence.upTo)-\(absence.limit)" }
        if let beginning { text += "@\(beginning)" }
        return text
    }

    /// - Throws: `expired` if the text is of another epoch, of before the log, or not ours.
    init(_ text: String, _ counters: ServerCounters) throws(BackendError) {
        guard let cursor = LogCursor(text, epoch: counters.epoch),
            (counters.firstCursor...counters.sequence).contains(cursor.sequence),
            cursor.absence?.isPast(cursor.sequence, counters.sequence) ?? true
        else { throw .cannotGoOn(from: text) }
        self = cursor
    }

    private init?(_ text: String, epoch: UInt64) {
        let prefix = "\(epoch):"
        guard text.hasPrefix(prefix) else { return nil }
        var rest = text.dropFirst(prefix.count)
        if let at = rest.firstIndex(of: "@") {
            let place = String(rest[rest.index(after: at)...])
            guard place.isEmpty || ListPlace(text: place) != nil else { return nil }
            beginning = place
            rest = rest[..<at]
        }
        if let mark = rest.firstIndex(of: "~") {
            let ends = rest[rest.index(after: mark)...].split(separator: "-")
            guard ends.count == 3, let after = LogSequence(ends[0]),
                let upTo = LogSequence(ends[1]), let limit = Int(ends[2])
            else { return nil }
            absence = Absence(after: after, upTo: upTo, limit: limit)
            rest = rest[..<mark]
        }
        if let point = rest.firstIndex(of: ".") {
            guard let live = UInt64(rest[rest.index(after: point)...]) else { return nil }
            self.live = live
            rest = rest[..<point]
        }
        guard let sequence = LogSequence(rest) else { return nil }
        self.sequence = sequence
    }
}

extension ServerState {
    /// Where a changelog begins.
    func logCursor(_ point: ChangelogPoint) throws(BackendError) -> LogSequence {
        switch point {
        case .token(let text): return try LogCursor(text, counters).sequence
        case .feed(let cursor): return try LogCursor(cursor.rawValue, counters).sequence
        case .time(let time):
            let sequence = try firstSequence(at: time)
            let before = sequence == 0 ? 0 : sequence - 1
            guard before >= counters.firstCursor else { throw .cannotGoOn(from: "time \(time)") }
            return before
        }
    }

    func token(_ sequence: LogSequence) -> String { LogCursor(sequence).text(counters.epoch) }
}
