import Foundation

/// How many generated cases a test tries: some in every run, more at night.
package enum Seeds {
    /// Whether `SCROLLBACK_NIGHTLY` says that there is time.
    package static let isNight = ProcessInfo.processInfo.environment["SCROLLBACK_NIGHTLY"] != nil

    /// What most tests try.
    package static let few = count(30, atNight: 1000)

    /// As many as a test says.
    package static func count(_ byDay: Int, atNight: Int) -> Range<Int> {
        0..<(isNight ? atNight : byDay)
    }
}
