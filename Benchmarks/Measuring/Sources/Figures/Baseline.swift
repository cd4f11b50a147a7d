import Foundation

/// The figures in the repository's file, which are the limits for new ones.
struct Baseline {
    private let figures: [Figure]

    init(at path: String) throws {
        figures = try String(contentsOfFile: path, encoding: .utf8)
            .split(separator: "\n").compactMap(Figure.init)
    }

    static func write(_ figures: [Figure], to path: String) throws {
        try (([Figure.head] + figures.map(\.line)).joined(separator: "\n") + "\n")
            .write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Compares new figures with those in the repository.
    ///
    /// If a call is only in one of them, it counts as worse, because its cost cannot be compared.
    func compare(_ new: [Figure]) -> (worse: [String], better: [String]) {
        var worse: [String] = []
        var better: [String] = []
        for figure in new {
            guard let old = figures.first(where: { $0.name == figure.name }) else {
                worse.append("\(figure.name): is not in the file")
                continue
            }
            for (index, column) in Figure.columns.enumerated() {
                let (was, now) = (old.values[index], figure.values[index])
                let line = "\(figure.name): \(column) \(now), was \(was)"
                if now > was { worse.append(line) }
                if now < was { better.append(line) }
            }
        }
        for old in figures where !new.contains(where: { $0.name == old.name }) {
            worse.append("\(old.name): is not counted any more")
        }
        return (worse, better)
    }
}
