import Foundation
import Models
import ScrollbackTestSupport
import Testing

/// Reads a device's files in another process, after this process has closed the files.
enum FreshProcess {
    /// Returns, for each list, the URLs of the channels that the list shows in the other process.
    static func channels(in directory: URL, _ queries: [GroupChannelListQuery]) throws -> [[String]]
    {
        try rows(in: directory, queries.map { "channels:" + $0.hex })
    }

    /// Returns, for each list, the texts of the messages that the list shows in the other process.
    static func messages(in directory: URL, _ params: [MessageListParams]) throws -> [[String]] {
        try rows(in: directory, params.map { "messages:" + $0.hex })
    }

    private static func rows(in directory: URL, _ lists: [String]) throws -> [[String]] {
        let process = Process()
        let output = Pipe()
        process.executableURL = try BuiltProgram.url("ScrollbackListPrinter")
        process.arguments = [directory.path] + lists
        process.environment = BuiltProgram.environment
        process.standardOutput = output
        try process.run()
        let watchdog = Watchdog(process)
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        watchdog.cancel()
        try #require(process.terminationStatus == 0, "it ended after: \(text)")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return lines.map { $0.split(separator: "|").map(String.init) }
    }
}

extension Record {
    fileprivate var hex: String {
        serializedBytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
