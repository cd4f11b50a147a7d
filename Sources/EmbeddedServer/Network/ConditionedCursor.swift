/// A cursor or token that adds fields to a cursor or token of the server.
///
/// The text contains everything to resume from. Without fields, it equals the server's own text.
/// Otherwise, it has this form:
///
///     "~" field,field,… ":" text         or without ":" and text, for the beginning of a list
///     field := letter value              each at most once, in this order
///
/// For example, "~p1,t9c0e2f6a:17" stands for the batch after the server's cursor 17, of which one
/// part was already reported.
struct ConditionedCursor: Equatable {
    /// The kind of the server's own text: the same kind, or a changelog's time or feed position.
    enum Source: String {
        case same = ""
        case time
        case feed
    }

    /// The server's own text; `nil` for the beginning of a list.
    var base: String?

    /// The number of expirations of this kind before this cursor was issued.
    var generation = 0

    /// The number of reported parts of the next batch or page, even empty ones.
    var part = 0

    var isRepeated = false

    var source = Source.same

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
        // A server's text that starts with "~" must not be mistaken for an extended one.
        if let base, fields.isEmpty, !base.hasPrefix("~") { return base }
        return "~" + fields.joined(separator: ",") + (base.map { ":" + $0 } ?? "")
    }

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
