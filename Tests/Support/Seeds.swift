import Foundation

/// The numbers of generated cases: few in ordinary runs, more in nightly runs.
package enum Seeds {
    /// True if `SCROLLBACK_NIGHTLY` is set.
    package static let isNight = ProcessInfo.processInfo.environment["SCROLLBACK_NIGHTLY"] != nil

    /// The seeds that most tests use.
    package static let few = count(30, atNight: 1000)

    /// Returns `byDay` seeds in ordinary runs, and `atNight` seeds in nightly runs.
    package static func count(_ byDay: Int, atNight: Int) -> Range<Int> {
        0..<(isNight ? atNight : byDay)
    }

    /// Returns every number of a range in nightly runs; in ordinary runs, one of every `step`
    /// numbers.
    ///
    /// Pass a prime number, so that the sample does not always hit the same part of structures
    /// whose size is a power of two.
    package static func sample(of range: Range<Int>, every step: Int) -> StrideTo<Int> {
        stride(from: range.lowerBound, to: range.upperBound, by: isNight ? 1 : step)
    }
}
