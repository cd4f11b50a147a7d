import ArgumentParser
import Foundation
import Measuring

@main
struct StoreBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench-store",
        abstract: "Measures Scrollback's store, and what others offer.",
        subcommands: [Measure.self, Tables.self, Kinds.self, Probe.self],
        defaultSubcommand: Measure.self)
}

struct Measure: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures all stores in one run.")

    @Flag(help: "Measure 10,000 messages for some seconds; the figures are rough.")
    var quick = false

    @Option(help: "How many messages: 10000,100000,1000000 or some of them.")
    var sizes: String?

    @Option(help: "Measure only stores whose name contains this text, and ours.")
    var store: String?

    @Option(help: "Where the stores are; on the disk that is to be measured.")
    var directory: String?

    @Option(help: "Write the figures to a file, as JSON.")
    var json: String?

    @Option(
        help:
            "Write the summary, tables and plots next to a page, in a file with -Store appended."
    )
    var markdown: String?

    @Option(help: "The date that the page tells.")
    var date = Date.today

    func run() throws {
        let parent = directory.map { URL(filePath: $0) } ?? FileManager.default.temporaryDirectory
        let place = parent.appending(path: "bench-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }
        let runner = Runner(in: place, isQuick: quick) { name in
            name == ScrollbackEngine.name
                || store.map { name.localizedCaseInsensitiveContains($0) } ?? true
        }
        for size in try parsedSizes() { try runner.measureMessages(size) }
        try runner.measureChannels()

        let report = StoreReport(results: runner.results)
        print(([report.summary] + report.parts()).joined(separator: "\n\n"))
        if let json { try writeJSON(report.results, to: json) }
        if let markdown {
            let page = Page(markdown, suffix: "-Store")
            let plots = try report.plots.map { plot in
                try page.write(plot: plot.svg, suffix: plot.suffix, title: plot.title)
            }
            try page.write(
                report.parts(plots: plots), machine: Machine(), date: date,
                command: "make bench-store ARGS=\"--markdown \(markdown)\"")
            try report.writeSummary(nextTo: markdown)
        }
    }

    private func parsedSizes() throws -> [Int] {
        guard let sizes else { return quick ? [10_000] : [10_000, 100_000, 1_000_000] }
        return try sizes.split(separator: ",").map { text in
            guard let size = Int(text), size >= 10_000, size % 10_000 == 0 else {
                throw ValidationError("\(text) is not a multiple of 10,000.")
            }
            return size
        }
    }
}
