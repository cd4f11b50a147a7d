import Foundation

extension Double {
    /// The number with three significant digits and without an exponent.
    public var brief: String {
        switch self {
        case 100...: String(format: "%.0f", self)
        case 10..<100: String(format: "%.1f", self).replacing(/\.0$/, with: "")
        default: String(format: "%.2f", self).replacing(/\.?0+$/, with: "")
        }
    }
}

extension String {
    /// Returns the string padded with spaces to a width: at its end, or at its start if `width` is
    /// negative.
    public func padded(to width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - count))
        return width < 0 ? spaces + self : self + spaces
    }
}

extension Duration {
    /// The duration in nanoseconds, including fractions.
    public var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) * 1e-9
    }
}
