import Foundation

/// A line chart of a run's memory and files over time, as an SVG image.
struct MemoryPlot {
    /// The values of a resource, at equal intervals from the start to the end of the run.
    struct Line {
        let name: String
        let color: String
        let mebibytes: [Double]
    }

    let minutes: Double
    let lines: [Line]

    private static let (width, height, left, top, bottom) = (800.0, 320.0, 60.0, 20.0, 40.0)

    var svg: String {
        let highest = lines.flatMap(\.mebibytes).max() ?? 1
        let step = highest > 100 ? 25.0 : 10.0
        let maximum = max(step, (highest / step).rounded(.up) * step)
        func x(_ part: Double) -> Double {
            Self.left + part * (Self.width - Self.left - 20)
        }
        func y(_ value: Double) -> Double {
            Self.height - Self.bottom - value / maximum * (Self.height - Self.bottom - Self.top)
        }
        func text(_ value: Double) -> String { String(format: "%.1f", value) }
        var shapes = stride(from: 0, through: maximum, by: step).map { value in
            let height = text(y(value))
            return #"<path d="M\#(text(x(0))) \#(height)H\#(text(x(1)))" stroke="silver"/>"#
                + #"<text x="\#(text(x(0) - 8))" y="\#(height)" text-anchor="end" dy="4">"#
                + "\(Int(value)) MiB</text>"
        }
        shapes += (0...6).map { part in
            let minute = String(format: "%g", minutes * Double(part) / 6)
            return #"<text x="\#(text(x(Double(part) / 6)))" y="\#(Self.height - 18)" "#
                + #"text-anchor="middle">\#(minute) min</text>"#
        }
        for (index, line) in lines.enumerated() {
            let last = Double(max(1, line.mebibytes.count - 1))
            let points = line.mebibytes.enumerated().map { index, value in
                "\(text(x(Double(index) / last))),\(text(y(value)))"
            }
            shapes += [
                #"<polyline fill="none" stroke="\#(line.color)" stroke-width="1.5" "#
                    + #"points="\#(points.joined(separator: " "))"/>"#,
                #"<text x="\#(Self.left + 10 + Double(index) * 220)" y="14" "#
                    + #"fill="\#(line.color)">\#(line.name)</text>"#,
            ]
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.width) \(Self.height)" \
            font-family="sans-serif" font-size="11" fill="#222222">
            <rect width="100%" height="100%" fill="#ffffff"/>
            \(shapes.joined(separator: "\n"))
            </svg>

            """
    }
}
