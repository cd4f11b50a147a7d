import Foundation
import Measuring

extension Report {
    /// A bar chart of the medians for the first language, on a logarithmic scale.
    var plot: String {
        var shapes: [String] = []
        var y = 20.0
        for group in groups where group.title.hasSuffix(", English") {
            y += 14
            shapes.append(
                #"<text x="10" y="\#(y)" font-weight="bold">\#(group.title.dropLast(9))</text>"#)
            y += 8
            for row in measurements(in: group) {
                let end = Plot.x(row.median)
                let color = Plot.colors[row.kind] ?? "#999999"
                shapes += [
                    #"<text x="\#(Plot.left - 8)" y="\#(y + 12)" text-anchor="end">\#(row.name)</text>"#,
                    #"<rect x="\#(Plot.left)" y="\#(y + 2)" width="\#((end - Plot.left).brief)" height="12" fill="\#(color)"/>"#,
                    #"<text x="\#((end + 6).brief)" y="\#(y + 12)">\#(row.median.brief)</text>"#,
                ]
                y += 17
            }
        }
        let grid = [10.0, 100, 1000, 10_000].map { value in
            let x = Plot.x(value).brief
            return #"<path d="M\#(x) 22V\#(y)" stroke="silver"/>"#
                + #"<text x="\#(x)" y="16" text-anchor="middle">\#(Int(value)) ns</text>"#
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Plot.width) \(y + 10)" \
            font-family="sans-serif" font-size="11" fill="#222222">
            <rect width="100%" height="100%" fill="#ffffff"/>
            \((grid + shapes).joined(separator: "\n"))
            </svg>

            """
    }
}

private enum Plot {
    static let width = 800.0
    static let left = 240.0
    static let colors: [Case.Kind: String] = [
        .scrollback: "#2a6fdb", .protobuf: "#e08a2c", .other: "#b5b5b5",
    ]

    /// Returns the right end of a bar in pixels, on a scale from 1 ns to 100 µs.
    static func x(_ nanoseconds: Double) -> Double {
        left + max(0.01, log10(max(1, nanoseconds)) / 5) * (width - left - 50)
    }
}
