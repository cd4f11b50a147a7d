import Foundation

/// The machine on which a measurement is made.
public struct Machine: CustomStringConvertible {
    /// Creates a description of this machine.
    public init() {}

    /// The processor, the number of cores, the system and the compiler.
    public var description: String {
        "\(processor), \(ProcessInfo.processInfo.processorCount) cores, \(system), "
            + "Swift \(compiler), release build"
    }

    private var processor: String {
        value(of: "model name", in: "/proc/cpuinfo", separator: ":") ?? "unknown processor"
    }

    private var system: String {
        value(of: "PRETTY_NAME", in: "/etc/os-release", separator: "=")?
            .trimmingCharacters(in: ["\""])
            ?? ProcessInfo.processInfo.operatingSystemVersionString
    }

    private var compiler: String {
        #if compiler(>=6.4)
            "6.4 or newer"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }

    /// Returns the value in the first line that starts with a key.
    private func value(of key: String, in path: String, separator: Character) -> String? {
        let lines = try? String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        return lines?.first { $0.hasPrefix(key) }?
            .split(separator: separator, maxSplits: 1).last?
            .trimmingCharacters(in: .whitespaces)
    }
}
