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
        var rest = text[...]
        /// Takes off what follows a sign. By bytes: looking for characters takes far longer.
        func cut(_ sign: Unicode.Scalar) -> Substring? {
            guard let place = rest.utf8.firstIndex(of: UInt8(ascii: sign)) else { return nil }
            defer { rest = rest[..<place] }
            return rest[rest.utf8.index(after: place)...]
        }
        if let place = cut("@").map({ String($0) }) {
            guard place.isEmpty || ListPlace(text: place) != nil else { return nil }
            beginning = place
        }
        if let ends = cut("~")?.split(separator: "-") {
            guard ends.count == 3, let after = LogSequence(ends[0]),
                let upTo = LogSequence(ends[1]), let limit = Int(ends[2])
            else { return nil }
            absence = Absence(after: after, upTo: upTo, limit: limit)
        }
        if let number = cut(".") {
            guard let live = UInt64(number) else { return nil }
            self.live = live
        }
        guard let sequence = cut(":").flatMap({ LogSequence($0) }), rest == "\(epoch)" else {
            return nil
        }
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
