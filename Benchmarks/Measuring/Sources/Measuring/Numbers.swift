import Foundation

extension Double {
    /// With as many digits as one may believe: three, without an exponent.
    public var brief: String {
        switch self {
        case 100...: String(format: "%.0f", self)
        case 10..<100: String(format: "%.1f", self).replacing(/\.0$/, with: "")
        default: String(format: "%.2f", self).replacing(/\.?0+$/, with: "")
        }
    }
}

extension String {
    /// Filled with spaces at the end, or at the beginning for a negative width.
    public func padded(to width: Int) -> String {
        let spaces = String(repeating: " ", count: max(0, abs(width) - count))
        return width < 0 ? spaces + self : self + spaces
    }
}

extension Duration {
    /// With fractions.
    public var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) * 1e-9
    }
}
