import Foundation

extension Double {
    /// The number with three significant digits, without an exponent.
    public var brief: String {
        switch self {
        case 100...: String(format: "%.0f", self)
        case 10..<100: String(format: "%.1f", self).replacing(/\.0$/, with: "")
        default: String(format: "%.2f", self).replacing(/\.?0+$/, with: "")
        }
    }
}

extension String {
    /// The string padded with spaces at the end, or at the start for a negative width.
    public func padded(to width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - count))
        return width < 0 ? spaces + self : self + spaces
    }
}

extension Duration {
    /// The duration in nanoseconds, with fractions.
    public var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) * 1e-9
    }
}
