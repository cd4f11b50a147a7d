/// The text of a cursor or token that says more than the server's own.
///
/// The text alone is enough to go on: nobody has to remember what was handed out. A cursor that says
/// nothing more is the server's own text, so in a perfect network nothing is changed. All others are
///
///     "~" field,field,… ":" text         or without ":" and text, for the beginning of a list
///     field := letter value              each at most once, in this order
///
/// such as "~p1,t9c0e2f6a:17": the batch behind cursor 17, of which one part was told.
struct ConditionedCursor: Equatable {
    /// What the text of the server was: that of a cursor of the same kind, for a changelog also others.
    enum Source: String {
        case same = ""
        case time
        case feed
    }

    /// The server's own text; `nil` for the beginning.
    var base: String?

    /// How often all cursors of the kind had expired when it was issued.
    var generation = 0

    /// How many parts were told of what comes behind it, the empty ones too.
    var part = 0

    /// Whether what comes behind it is a repetition that was told.
    var isRepeated = false

    /// Of which kind ``base`` is.
    var source = Source.same

    /// The fingerprints of the events behind it that were told.
    var told: [UInt64] = []

    init(_ base: String?, generation: Int = 0) {
        self.base = base
        self.generation = generation
    }

    /// The text to hand out.
    var text: String {
        var fields: [String] = []
        if generation > 0 { fields.append("g\(generation)") }
        if part > 0 { fields.append("p\(part)") }
        if isRepeated { fields.append("r") }
        if source != .same { fields.append("s\(source.rawValue)") }
        if !told.isEmpty {
            fields.append("t" + told.map { String($0, radix: 16) }.joined(separator: "."))
        }
        // A text of the server's that looks like one of these is wrapped even if nothing is to be said.
        if let base, fields.isEmpty, !base.hasPrefix("~") { return base }
        return "~" + fields.joined(separator: ",") + (base.map { ":" + $0 } ?? "")
    }

    /// Reads a text that was handed out; `nil` if it was not.
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
                guard let part = Int(value) else { return nil }
                self.part = part
            case "r": isRepeated = true
            case "s":
                guard let source = Source(rawValue: String(value)) else { return nil }
                self.source = source
            case "t":
                let told = value.split(separator: ".").compactMap { UInt64($0, radix: 16) }
                guard !told.isEmpty else { return nil }
                self.told = told
            default: return nil
            }
        }
    }
}
