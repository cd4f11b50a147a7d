// `Reliability faults [--page FILE] [--only FAULT] [--stride N]`: injects each kind of fault.
// `Reliability soak SECONDS SEED [--page FILE]`: has clients live with faults for a while.
// `Reliability live …`, `Reliability dwell …`: a process that one of these starts, and kills.

import Foundation

@main struct Reliability {
    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        func take(_ option: String) -> String? {
            guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else {
                return nil
            }
            defer { arguments.removeSubrange(index...index + 1) }
            return arguments[index + 1]
        }
        let page = take("--page").map(Page.init)
        let only = take("--only")
        let stride = take("--stride").flatMap(Int.init) ?? 1
        switch (arguments.first, arguments.count) {
        case ("faults", 1): try await faults(page, only, stride)
        case ("live", 4):
            try await Life.live(
                in: URL(filePath: arguments[1]), killedAt: Int(arguments[3]) ?? 1,
                of: arguments[2])
        case ("dwell", 4):
            try await Mortal.dwell(
                in: URL(filePath: arguments[1]), seed: Int(arguments[2]) ?? 0,
                life: Int(arguments[3]) ?? 1)
        case ("soak", 3):
            guard let seconds = Double(arguments[1]), let seed = Int(arguments[2]) else { exit(2) }
            try await soak(page, seconds, seed)
        default:
            FileHandle.standardError.write(Data("See the beginning of Reliability.swift.\n".utf8))
            exit(2)
        }
    }

    /// In memory where the system has such a place: thousands of stores are opened and synced.
    private static var temporary: URL {
        let memory = URL(filePath: "/dev/shm")
        return FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
    }

    /// Gives a closure a directory that goes with its return.
    static func withPlace(_ body: (URL) async throws -> Void) async throws {
        let place = temporary.appending(path: "scrollback-reliability-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        try await body(place)
    }

    private static func faults(_ page: Page?, _ only: String?, _ stride: Int) async throws {
        let isNarrowed = only != nil || stride != 1
        guard only.map({ Fault(rawValue: $0) != nil }) ?? true, page == nil || !isNarrowed else {
            throw Unexpected("there is no such fault, or the page would not have all of them")
        }
        var table = MatrixTable()
        try await withPlace { place in
            let matrix = Matrix(in: place, stride: stride)
            for fault in Fault.allCases where only.map({ $0 == fault.rawValue }) ?? true {
                let outcome = try await matrix.run(fault)
                table.add(fault, outcome)
                say(MatrixTable.line(fault, outcome))
                for violation in Set(outcome.violations).sorted() {
                    say("    BROKEN, \(fault.rawValue): \(violation)")
                }
            }
        }
        if let page { try page.write(table.text, as: .faults) }
        if table.rows.contains(where: { !$0.outcome.violations.isEmpty }) { exit(1) }
    }

    private static func soak(_ page: Page?, _ seconds: Double, _ seed: Int) async throws {
        try await withPlace { place in
            say("\(Int(seconds)) seconds with seed \(seed)")
            let soak = try await Soak(seconds: seconds, seed: seed, in: place)
            let text = try await soak.run()
            say(text)
            let violations = await soak.violations
            for violation in violations { say("BROKEN: \(violation)") }
            if let page { try page.write(text, as: .soak) }
            if !violations.isEmpty { exit(1) }
        }
    }
}
