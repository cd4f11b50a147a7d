import Foundation

/// The resources that the process uses at one moment.
struct Resources {
    /// The resident memory in MiB, and the part of it that is not backed by a file.
    ///
    /// `nil` on systems without `/proc`.
    let resident: Double?
    let anonymous: Double?
    /// The size of the clients' files in MiB.
    let disk: Double
    let descriptors: Double

    init(of directory: URL) {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        func mebibytes(_ name: String) -> Double? {
            status.split(separator: "\n").first { $0.hasPrefix(name + ":") }?
                .split(whereSeparator: \.isWhitespace).dropFirst().first
                .flatMap { Double($0) }.map { $0 / 1024 }
        }
        resident = mebibytes("VmRSS")
        anonymous = mebibytes("RssAnon")
        let files = FileManager.default.enumerator(
            at: directory, includingPropertiesForKeys: [.fileSizeKey])
        // A file may be removed while the sizes are added up.
        disk =
            (files?.compactMap { $0 as? URL } ?? []).reduce(0) {
                $0 + Double((try? $1.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0)
            } / Double(1 << 20)
        let open = try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")
        descriptors = Double(open?.count ?? 0)
    }
}

/// The growth of a resource in the last third of a run, compared with the middle third.
///
/// The first third does not count, because caches fill in it. A resource is constant if its average
/// in the last third is at most a tenth plus an allowance above the average in the middle third.
struct Trend {
    let name: String
    let unit: String
    let middle: Double
    let last: Double
    let allowance: Double

    // The samples are ordered by time. Fewer than six samples do not show a trend.
    init?(_ name: String, _ unit: String, _ samples: [Double], allowance: Double) {
        guard samples.count >= 6 else { return nil }
        let third = samples.count / 3
        func mean(_ part: ArraySlice<Double>) -> Double { part.reduce(0, +) / Double(part.count) }
        self.name = name
        self.unit = unit
        middle = mean(samples[third..<2 * third])
        last = mean(samples[(2 * third)...])
        self.allowance = allowance
    }

    var isFlat: Bool { last <= middle * 1.1 + allowance }

    var line: String {
        func text(_ value: Double) -> String { String(format: "%.1f", value) }
        return "| \(name) | \(text(middle)) \(unit) | \(text(last)) \(unit) "
            + "| \(text(middle * 1.1 + allowance)) \(unit) | \(isFlat ? "yes" : "no") |"
    }
}
