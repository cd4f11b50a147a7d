import Foundation
import Measuring

/// A plot of some results.
struct Plot {
    /// The end of the file's name.
    ///
    /// The page's name precedes it.
    let suffix: String
    let title: String
    let svg: String
}

extension StoreReport {
    var plots: [Plot] {
        [
            lines("-insert", "Bulk insert, messages a second", Title.insert),
            lines("-page", "The newest page of 30 messages, decoded", Title.newest),
            lines("-random", "A random page of 30 messages, decoded", Title.random),
            bars("-cold", "The first page, cold", Title.coldPage),
            bars("-memory", "Private memory while reading all", Title.memory),
        ]
    }

    private var drawn: [String] {
        engineTypes.filter { !$0.onlyWrites }.map { $0.name }
    }

    /// Returns a plot with one line for each store.
    ///
    /// Both axes, the number of messages and the result, are logarithmic.
    private func lines(_ suffix: String, _ title: String, _ row: String) -> Plot {
        let shown = results.filter { $0.row == row && drawn.contains($0.store) }
        let scale = Scale(shown.map(\.median))
        let (left, right, top, bottom) = (80.0, 560.0, 40.0, 320.0)
        let x = { (size: Int) in
            let first = log10(Double(sizes.first ?? 1))
            let span = max(0.5, log10(Double(sizes.last ?? 10)) - first)
            return left + 30 + (log10(Double(size)) - first) / span * (right - left - 60)
        }
        let y = { (value: Double) in bottom - scale.part(value) * (bottom - top) }
        var shapes = scale.marks.map { mark in
            #"<path d="M\#(left) \#(y(mark).brief)H\#(right)" stroke="silver"/>"#
                + label(left - 8, y(mark) + 4, shown[0].unit.text(mark), anchor: "end")
        }
        shapes += sizes.map { label(x($0), bottom + 18, $0.grouped, anchor: "middle") }
        for (index, store) in drawn.enumerated() {
            let points = shown.filter { $0.store == store }.sorted { $0.size < $1.size }
            if points.isEmpty { continue }
            let color = Drawing.color(of: store)
            let path = points.map { "\(x($0.size).brief),\(y($0.median).brief)" }
            shapes.append(
                #"<polyline points="\#(path.joined(separator: " "))" fill="none" stroke="\#(color)" stroke-width="2"/>"#
            )
            shapes += points.map {
                #"<circle cx="\#(x($0.size).brief)" cy="\#(y($0.median).brief)" r="3.5" fill="\#(color)"/>"#
            }
            let line = top + 10 + Double(index) * 20
            shapes.append(
                #"<rect x="\#(right + 20)" y="\#(line - 9)" width="12" height="12" fill="\#(color)"/>"#
                    + label(right + 38, line + 2, store))
        }
        return Plot(
            suffix: suffix, title: title,
            svg: Drawing.page(width: 760, height: bottom + 35, title: title, shapes))
    }

    /// Returns a plot with one bar for each store and number of messages, on a logarithmic scale.
    private func bars(_ suffix: String, _ title: String, _ row: String) -> Plot {
        let shown = results.filter { $0.row == row && drawn.contains($0.store) }
        let scale = Scale(shown.map(\.median))
        let (left, right) = (140.0, 660.0)
        var shapes: [String] = []
        var y = 36.0
        for size in sizes {
            y += 16
            shapes.append(label(10, y, "\(size.grouped) messages", isBold: true))
            for result in shown where result.size == size {
                y += 18
                let width = max(2, scale.part(result.median) * (right - left))
                shapes += [
                    label(left - 8, y, result.store, anchor: "end"),
                    #"<rect x="\#(left)" y="\#(y - 10)" width="\#(width.brief)" height="12" fill="\#(Drawing.color(of: result.store))"/>"#,
                    label(left + width + 6, y, result.unit.text(result.median)),
                ]
            }
            y += 8
        }
        return Plot(
            suffix: suffix, title: title,
            svg: Drawing.page(width: 760, height: y + 16, title: title, shapes))
    }
}

/// A logarithmic scale that contains some values and covers whole decades.
private struct Scale {
    let first: Double
    let last: Double

    init(_ values: [Double]) {
        let known = values.filter { $0 > 0 }
        first = log10(known.min() ?? 1).rounded(.down)
        last = max(first + 1, log10(known.max() ?? 10).rounded(.up))
    }

    /// The powers of ten on the scale.
    var marks: [Double] { stride(from: first, through: last, by: 1).map { pow(10, $0) } }

    /// Returns the position of a value on the scale, from 0 to 1.
    func part(_ value: Double) -> Double {
        (log10(max(value, pow(10, first))) - first) / (last - first)
    }
}

private func label(
    _ x: Double, _ y: Double, _ text: String, anchor: String = "start", isBold: Bool = false
) -> String {
    #"<text x="\#(x.brief)" y="\#(y.brief)" text-anchor="\#(anchor)"\#(isBold ? #" font-weight="bold""# : "")>\#(text)</text>"#
}

private enum Drawing {
    private static let colors: [String: String] = [
        ScrollbackEngine.name: "#2a6fdb", LevelDBEngine.name: "#1b1b1b",
        SQLiteEngine.name: "#e08a2c", IntegerSQLiteEngine.name: "#3f9e6b",
        GRDBEngine.name: "#b0408f", RecipeEngine.name: "#8a8a8a",
    ]

    static func color(of store: String) -> String { colors[store] ?? "#999999" }

    static func page(
        width: Double, height: Double, title: String, _ shapes: [String]
    ) -> String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width.brief) \(height.brief)" \
        font-family="sans-serif" font-size="11" fill="#222222">
        <rect width="100%" height="100%" fill="#ffffff"/>
        <text x="10" y="20" font-size="13" font-weight="bold">\(title)</text>
        \(shapes.joined(separator: "\n"))
        </svg>

        """
    }
}
