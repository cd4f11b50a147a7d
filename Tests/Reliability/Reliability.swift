// `Reliability faults [--page FILE] [--only FAULT] [--stride N]` injects each kind of fault.
// `Reliability soak SECONDS SEED [--page FILE]` runs clients with faults for a number of seconds.
// `Reliability day …` and `Reliability world …` are processes that these commands start and kill.

import Foundation
import ScrollbackTestSupport

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
        case ("day", 4):
            try await InterruptedDay.run(
                in: URL(filePath: arguments[1]), killedAt: Int(arguments[3]) ?? 1,
                of: arguments[2])
        case ("world", 4):
            try await KilledWorld.run(
                in: URL(filePath: arguments[1]), seed: Int(arguments[2]) ?? 0,
                process: Int(arguments[3]) ?? 1)
        case ("soak", 3):
            guard let seconds = Double(arguments[1]), let seed = Int(arguments[2]) else { exit(2) }
            try await soak(page, seconds, seed)
        default:
            FileHandle.standardError.write(Data("See the beginning of Reliability.swift.\n".utf8))
            exit(2)
        }
    }

    private static func faults(_ page: Page?, _ only: String?, _ stride: Int) async throws {
        let isNarrowed = only != nil || stride != 1
        guard only.map({ Fault(rawValue: $0) != nil }) ?? true, page == nil || !isNarrowed else {
            throw Unexpected("there is no such fault, or the page would not have all of them")
        }
        var table = MatrixTable()
        // The faults open and sync thousands of stores, which is faster in memory.
        let place = try ScratchDirectory.made(in: ScratchDirectory.memory)
        let matrix = Matrix(in: place.url, stride: stride)
        for fault in Fault.allCases where only.map({ $0 == fault.rawValue }) ?? true {
            let outcome = try await matrix.run(fault)
            table.add(fault, outcome)
            say(MatrixTable.line(fault, outcome))
            for violation in Set(outcome.violations).sorted() {
                say("    BROKEN, \(fault.rawValue): \(violation)")
            }
        }
        place.remove()
        if let page { try page.write(table.text, as: .faults) }
        if table.rows.contains(where: { !$0.outcome.violations.isEmpty }) { exit(1) }
    }

    private static func soak(_ page: Page?, _ seconds: Double, _ seed: Int) async throws {
        let place = try ScratchDirectory.made(in: ScratchDirectory.memory)
        say("\(Int(seconds)) seconds with seed \(seed)")
        let soak = try await Soak(seconds: seconds, seed: seed, in: place.url)
        let text = try await soak.run()
        say(text)
        let violations = await soak.violations
        for violation in violations { say("BROKEN: \(violation)") }
        if let page { try page.write(text, as: .soak, plot: await soak.plot) }
        place.remove()
        if !violations.isEmpty { exit(1) }
    }
}
