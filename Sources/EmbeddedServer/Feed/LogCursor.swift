import Models

/// A cursor of the feed or of a changelog: the log entry after which to resume.
///
/// The text is `epoch:sequence` with additional fields. DO NOT CHANGE: clients store it.
struct LogCursor: Hashable {
    var sequence: LogSequence
    /// The position in the initial channel list; `nil` after its end.
    var beginning: String?
    /// The range of missed entries that is reported with truncations.
    var absence: Absence?
    /// A counter that distinguishes the cursors of consecutive live events, which are not in the
    /// log.
    var live: UInt64 = 0

    struct Absence: Hashable {
        var after: LogSequence
        var upTo: LogSequence
        /// The maximum number of messages to report for each channel.
        ///
        /// It is the limit of the range's first batch: with different limits, truncations would
        /// contradict each other.
        var limit: Int

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

    /// Throws `expired` if the text is of another epoch, older than the log, or not a cursor of
    /// this server.
    init(_ text: String, _ counters: ServerCounters) throws(BackendError) {
        guard let cursor = LogCursor(text, epoch: counters.epoch),
            (counters.firstCursor...counters.sequence).contains(cursor.sequence),
            cursor.absence?.isPast(cursor.sequence, counters.sequence) ?? true
        else { throw .cannotResume(from: text) }
        self = cursor
    }

    private init?(_ text: String, epoch: UInt64) {
        var rest = text[...]
        /// Removes and returns the part after a separator. Comparing bytes is faster than comparing
        /// characters.
        func cut(_ sign: Unicode.Scalar) -> Substring? {
            guard let index = rest.utf8.firstIndex(of: UInt8(ascii: sign)) else { return nil }
            defer { rest = rest[..<index] }
            return rest[rest.utf8.index(after: index)...]
        }
        if let text = cut("@").map({ String($0) }) {
            guard text.isEmpty || ChannelListCursor(text: text) != nil else { return nil }
            beginning = text
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
    func logCursor(_ point: ChangelogPoint) throws(BackendError) -> LogSequence {
        switch point {
        case .token(let text): return try LogCursor(text, counters).sequence
        case .feed(let cursor): return try LogCursor(cursor.rawValue, counters).sequence
        case .time(let time):
            let sequence = try firstSequence(at: time)
            let before = sequence == 0 ? 0 : sequence - 1
            guard before >= counters.firstCursor else { throw .cannotResume(from: "time \(time)") }
            return before
        }
    }

    func token(_ sequence: LogSequence) -> String { LogCursor(sequence).text(counters.epoch) }
}
