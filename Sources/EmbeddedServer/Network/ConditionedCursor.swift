/// A cursor or token that adds fields to a cursor or token of the server.
///
/// The text contains everything that is needed to resume. If there are no fields, it equals the
/// server's own text, so that a perfect network changes nothing. Otherwise, it has this form:
///
///     "~" field,field,… ":" text         or without ":" and text, for the beginning of a list
///     field := letter value              each at most once, in this order
///
/// For example, "~p1,t9c0e2f6a:17" stands for the batch after the server's cursor 17, of which one
/// part was already reported.
struct ConditionedCursor: Equatable {
    /// The kind of the server's own text.
    ///
    /// Usually, it is a cursor or token of the same kind as this one. A changelog can also start at
    /// a time or at a position in the feed.
    enum Source: String {
        case same = ""
        case time
        case feed
    }

    /// The server's own text; `nil` for the beginning of a list.
    var base: String?

    /// The number of times that cursors of this kind were made to expire before this cursor was
    /// issued.
    var generation = 0

    /// The number of parts of the next batch or page that were already reported, including empty
    /// parts.
    var part = 0

    /// A Boolean value that indicates whether the next batch or page was already repeated.
    var isRepeated = false

    /// The kind of ``base``.
    var source = Source.same

    /// The fingerprints of those events of the next batch that were already reported.
    var reported: [UInt64] = []

    init(_ base: String?, generation: Int = 0) {
        self.base = base
        self.generation = generation
    }

    var text: String {
        var fields: [String] = []
        if generation > 0 { fields.append("g\(generation)") }
        if part > 0 { fields.append("p\(part)") }
        if isRepeated { fields.append("r") }
        if source != .same { fields.append("s\(source.rawValue)") }
        if !reported.isEmpty {
            fields.append("t" + reported.map { String($0, radix: 16) }.joined(separator: "."))
        }
        // If the server's own text starts with "~", extend it even without fields, so that it is
        // not mistaken for an extended text.
        if let base, fields.isEmpty, !base.hasPrefix("~") { return base }
        return "~" + fields.joined(separator: ",") + (base.map { ":" + $0 } ?? "")
    }

    /// Decodes a text; `nil` if this type has not created it.
    init?(text: String) {
        guard text.hasPrefix("~") else {
            base = text
            return
        }
        let parts = text.dropFirst().split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        base = parts.count > 1 ? String(parts[1]) : nil
        for field in parts[0].split(separator: ",") {
            let value = field.dropFirst()
            switch field.first {
            case "g":
                guard let generation = Int(value) else { return nil }
                self.generation = generation
            case "p":
                guard let part = Int(value), (0..<Int.max).contains(part) else { return nil }
                self.part = part
            case "r": isRepeated = true
            case "s":
                guard let source = Source(rawValue: String(value)) else { return nil }
                self.source = source
            case "t":
                let reported = value.split(separator: ".").compactMap { UInt64($0, radix: 16) }
                guard !reported.isEmpty else { return nil }
                self.reported = reported
            default: return nil
            }
        }
    }
}
