import ArgumentParser
import Foundation
import Measuring

@main
struct Bench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measures the binary form of Scrollback's models, and what others offer.")

    @Flag(help: "Measure for a second, to see that everything runs; the figures are rough.")
    var quick = false

    @Option(help: "Measure only groups whose title contains this text.")
    var filter: String?

    @Option(help: "How many rounds to measure.")
    var rounds = 400

    @Option(help: "Write the figures to a file, as JSON.")
    var json: String?

    @Option(
        help:
            "Write the tables and a plot next to a page, in a file with -Codecs appended to its name."
    )
    var markdown: String?

    @Option(help: "The date that the page tells.")
    var date = Date.today

    func run() throws {
        let english = Sample(.english)
        let groups = try
            (messageGroups(english) + messageGroups(Sample(.mixed)) + valueGroups(english)
            + channelGroups(english))
            .filter { filter.map($0.title.localizedCaseInsensitiveContains) ?? true }
        guard !groups.isEmpty else {
            throw ValidationError("No group's title contains \"\(filter ?? "")\".")
        }

        let report = Report(
            groups: groups,
            measurements: measure(groups, quick ? Effort(rounds: 10) : Effort(rounds: rounds)))
        print(report.parts().joined(separator: "\n\n"))
        if let json { try writeJSON(report.measurements, to: json) }
        if let markdown {
            let page = Page(markdown, suffix: "-Codecs")
            let plot = try page.write(plot: report.plot, title: "The figures, drawn")
            try page.write(
                report.parts(plots: [plot]), machine: Machine(), date: date,
                command: "make bench-codecs ARGS=\"--markdown \(markdown)\"")
        }
    }
}
