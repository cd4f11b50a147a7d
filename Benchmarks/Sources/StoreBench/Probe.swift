import ArgumentParser
import Foundation
import Measuring
import Models

/// True in the probe of a cold store.
///
/// In a mapped file, the system reads up to 8 MiB ahead, which makes the first page slow. A cold
/// SQLite therefore does not map its file, and a cold LMDB asks the system not to read ahead.
let isColdProbe = CommandLine.arguments.contains("--is-cold")

/// Measures the time for opening a store, and the memory for reading it.
///
/// Both are measured in a new process.
struct Probe: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Opens a store and reads; for the command itself.",
        shouldDisplay: false)

    @Argument var store: String
    @Argument var directory: String
    @Argument var size: Int
    @Flag var readsAll = false
    /// Stores read ``isColdProbe`` instead, when they open.
    @Flag var isCold = false

    /// The result of a probe.
    struct Answer: Codable {
        var open: Double
        var firstPage: Double
        var memory: Double
    }

    func run() throws {
        guard let type = engineTypes.first(where: { $0.name == store }) else {
            throw ValidationError("There is no store called \(store).")
        }
        let start = ContinuousClock.now
        let engine = try type.init(at: URL(filePath: directory))
        let opened = ContinuousClock.now
        let page = engine.page(7, before: nil, limit: 40)
        let begun = ContinuousClock.now
        keep(try page())
        var answer = Answer(
            open: start.duration(to: opened).nanoseconds,
            firstPage: begun.duration(to: .now).nanoseconds, memory: privateMemory())
        if readsAll { answer.memory = try mostMemory(reading: engine) }
        try engine.close()
        print(String(decoding: try JSONEncoder().encode(answer), as: UTF8.self))
    }

    /// Reads all messages page by page.
    ///
    /// Returns the maximum of the process's private memory in bytes.
    private func mostMemory(reading engine: any Engine) throws -> Double {
        var most = 0.0
        let count = size / World.channelCount
        for channel in 0..<World.channelCount {
            for age in stride(from: 0, to: count, by: 100) {
                let time = age == 0 ? nil : World.time(channel, age: age - 1)
                keep(try engine.page(channel, before: time, limit: 100)())
            }
            most = max(most, privateMemory())
        }
        return most
    }

    /// Returns the private memory that Linux reports, or 0 on other systems.
    ///
    /// Pages of files do not count, because Linux can drop them at any time.
    private func privateMemory() -> Double {
        Double(processMemory("Private_Dirty", in: "smaps_rollup"))
    }
}

extension Probe {
    /// Runs a probe in a new process, and returns its result.
    static func ask(
        _ store: String, _ directory: URL, _ size: Int, isCold: Bool = false,
        readsAll: Bool = false
    ) throws -> Answer {
        if isCold { forgetFiles(in: directory) }
        let output = try outputOfThisProgram(
            ["probe", store, directory.path, String(size)] + (readsAll ? ["--reads-all"] : [])
                + (isCold ? ["--is-cold"] : []))
        return try JSONDecoder().decode(Answer.self, from: output)
    }
}

/// Returns the relative paths of all files in a directory and its subdirectories.
func files(in directory: URL) -> [String] {
    (FileManager.default.subpaths(atPath: directory.path) ?? [])
        .map { directory.appending(path: $0).path }
}

/// Returns the total size of the files in a directory in bytes.
func bytes(in directory: URL) -> Double {
    files(in: directory).reduce(0) { sum, path in
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else { return sum }
        return sum + Double(attributes?[.size] as? Int ?? 0)
    }
}
