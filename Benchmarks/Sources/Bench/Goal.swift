import Measuring

/// A goal for one case compared with another, on one machine.
private struct Goal {
    let title: String
    let group: String
    let ours: String
    let theirs: String
    /// The goal: Scrollback's speed divided by the other library's.
    let factor: Double

    static let all =
        ["English", "German, Japanese, emoji"].flatMap { language in
            [
                Goal(
                    title: "encode, \(language)", group: "Encode a message, \(language)",
                    ours: "Scrollback, to Data", theirs: "swift-protobuf, to Data", factor: 6),
                Goal(
                    title: "decode the fields of a list row, \(language)",
                    group: "Decode a message and read the fields of a list row, \(language)",
                    ours: "Scrollback, from a pointer",
                    theirs: "swift-protobuf, from a pointer",
                    factor: 7),
            ]
        } + [
            Goal(
                title: "copy, against a reference count", group: "Copy a message",
                ours: "Scrollback", theirs: "a reference to an object", factor: 0.9)
        ]
}

extension Report {
    /// A table of the goals and the results.
    var goals: String {
        let rows = Goal.all.compactMap { goal -> String? in
            guard let ours = measurement(goal.group, goal.ours),
                let theirs = measurement(goal.group, goal.theirs)
            else { return nil }
            let factor = theirs.median / ours.median
            return "| \(goal.title) | \(theirs.median.brief) | \(ours.median.brief) "
                + "| \(factor.brief) | \(goal.factor.brief) | \(factor >= goal.factor ? "yes" : "no") |"
        }
        return "| goal | theirs, ns | ours, ns | times as fast | wanted | reached |\n"
            + "|---|--:|--:|--:|--:|---|\n" + rows.joined(separator: "\n")
    }
}
