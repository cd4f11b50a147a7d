// Checks that the tests detect deliberate bugs.
//
//     mutants check            whether each bug can still be planted; run by `make lint`
//     mutants plant DIRECTORY  copies the package there with all bugs, each turned off
//     mutants kill DIRECTORY   runs the tests of that copy without a bug, and with each
//
// Further arguments select mutants by name; the default is all. A mutant is a file in
// Tests/Mutants: a description of the bug, the directory or file to search (in:), the function if
// the lines occur more than once there, a regular expression for the names of the tests that should
// detect it, and the lines to remove (-) and to add (+). White space is ignored, so moving or
// reformatting the code does not affect a mutant. The macro MUTATED is true if the bug is on, which
// the environment variable SCROLLBACK_MUTANT determines.
//
// If a mutant names a seed (seed:), the simulation runs only this seed and the next ones, up to 20.
//
// The copy also has the request of new-request.patch, whose check runs without a bug.

import Foundation

struct Failure: Error, CustomStringConvertible {
    let description: String
}

/// A deliberate bug.
struct Mutant {
    let name: String
    let summary: String
    let directory: String
    let function: String?
    let tests: String
    /// A seed with which the simulation detects the bug.
    let seed: Int?
    let original: String
    let replacement: String

    init(_ url: URL) throws {
        name = url.deletingPathExtension().lastPathComponent
        let lines = try String(contentsOf: url, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        func rest(_ mark: String) -> [String] {
            lines.filter { $0.hasPrefix(mark) }.map { String($0.dropFirst(mark.count)) }
        }
        let (directories, functions, tests) = (rest("in: "), rest("function: "), rest("tests: "))
        guard let first = lines.first, !first.isEmpty, directories.count == 1,
            functions.count <= 1, tests.count == 1
        else {
            throw Failure(
                description: "\(url.path): needs a summary, one `in:`, at most one `function:` and "
                    + "one `tests:`")
        }
        (summary, directory, function) = (String(first), directories[0], functions.first)
        self.tests = tests[0]
        seed = rest("seed: ").first.flatMap { Int($0) }
        original = rest("- ").joined(separator: "\n")
        replacement = rest("+ ").joined(separator: "\n")
        guard !original.isEmpty, replacement.contains("MUTATED") else {
            throw Failure(description: "\(url.path): it replaces nothing, or can not be turned off")
        }
    }

    /// Returns the ranges of the mutant's original lines in a text.
    func places(in text: String) throws -> [Range<String.Index>] {
        let parts = tokens(original).map { NSRegularExpression.escapedPattern(for: $0) }
        let lines = try NSRegularExpression(pattern: parts.joined(separator: #"\s*"#))
        let found = lines.matches(in: text, range: NSRange(text.startIndex..., in: text))
            .compactMap { Range($0.range, in: text) }
        guard let function else { return found }
        let bodies = try bodies(of: function, in: text)
        return found.filter { place in bodies.contains { $0.contains(place.lowerBound) } }
    }

    /// Returns the source file's text with the bug planted at `place`.
    func planted(in text: String, at place: Range<String.Index>, file: String) -> String {
        let isOn =
            file.hasSuffix(".swift")
            ? "Mutant.isOn(\"\(name)\")" : "(std::string(\"\(name)\") == MutantThatIsOn())"
        let bug = replacement.replacing("MUTATED", with: isOn)
            .trimmingCharacters(in: .whitespaces)
        return text.replacingCharacters(in: place, with: bug)
    }
}

/// Returns the words and the punctuation marks of source code.
func tokens(_ code: String) -> [String] {
    code.matches(of: #/\w+|[^\w\s]/#).map { String($0.output) }
}

/// Returns the bodies of all functions with a name.
///
/// For `init`, returns those of all initializers.
func bodies(of function: String, in text: String) throws -> [Range<String.Index>] {
    try text.matches(of: Regex(#"\b\#(function)\b[^;{}]*\{"#)).map { match in
        var depth = 1
        let end = text[match.range.upperBound...].firstIndex { character in
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            return depth == 0
        }
        return match.range.lowerBound..<(end ?? text.endIndex)
    }
}

let manager = FileManager.default
var arguments = CommandLine.arguments.dropFirst()
let job = arguments.popFirst() ?? "check"
let directory = job == "check" ? "" : arguments.popFirst() ?? ""
let names = Set(arguments)
let all = try manager.contentsOfDirectory(atPath: "Tests/Mutants").sorted()
    .filter { $0.hasSuffix(".mutant") }
    .map { try Mutant(URL(filePath: "Tests/Mutants/\($0)")) }
let mutants = all.filter { names.isEmpty || names.contains($0.name) }
guard !mutants.isEmpty, mutants.count == names.count || names.isEmpty else {
    throw Failure(description: "There is no mutant of one of these names: \(names.sorted())")
}

/// Returns the files that have mutants, with the bugs of all mutants planted.
func mutatedFiles() throws -> [String: String] {
    var sources: [String: String] = [:]
    for path in files(at: "Sources")
    where [".swift", ".cpp", ".h"].contains(where: path.hasSuffix) {
        sources[path] = try String(contentsOfFile: path, encoding: .utf8)
    }
    var files: [String: String] = [:]
    for mutant in all {
        var places: [(path: String, place: Range<String.Index>)] = []
        for (path, text) in sources
        where path == mutant.directory || path.hasPrefix("\(mutant.directory)/") {
            places += try mutant.places(in: text).map { (path, $0) }
        }
        guard let (path, place) = places.first, places.count == 1, let text = sources[path] else {
            throw Failure(
                description: "Tests/Mutants/\(mutant.name).mutant: its lines are \(places.count) "
                    + "times in \(mutant.directory)\(mutant.function.map { ", \($0)" } ?? "")")
        }
        sources[path] = mutant.planted(in: text, at: place, file: path)
        files[path] = sources[path]
    }
    // Define the markers once for each module.
    for (path, text) in files {
        if path.hasSuffix(".swift") {
            let module = path.split(separator: "/").prefix(2).joined(separator: "/")
            files["\(module)/Mutant.swift"] = """
                import Foundation

                enum Mutant {
                    private static let current =
                        ProcessInfo.processInfo.environment["SCROLLBACK_MUTANT"]

                    static func isOn(_ name: String) -> Bool { name == current }
                }

                """
        } else {
            files[path] = """
                #include <cstdlib>
                #include <string>

                static std::string MutantThatIsOn() {
                    const char *name = std::getenv("SCROLLBACK_MUTANT");
                    return name ? name : "";
                }

                \(text)
                """
        }
    }
    return files
}

/// Returns the paths of the files in a directory.
///
/// For a file, returns its own path.
func files(at top: String) -> [String] {
    let inside = manager.enumerator(atPath: top)?.compactMap { $0 as? String } ?? []
    return ([top] + inside.map { "\(top)/\($0)" }).filter { path in
        var isDirectory: ObjCBool = false
        return manager.fileExists(atPath: path, isDirectory: &isDirectory) && !isDirectory.boolValue
    }
}

/// Applies the steps of CONTRIBUTING.md for a new request.
func addRequest(to copies: inout [String: Data]) throws {
    let patch = URL(filePath: "Tests/Mutants/new-request.patch")
    let paths = try String(contentsOf: patch, encoding: .utf8).matches(of: #/\+\+\+ b/(.+)/#)
        .map { String($0.output.1) }
    // Inside a repository, git would skip files that are not below the current directory.
    let place = manager.temporaryDirectory.appending(path: UUID().uuidString)
    // Ignore an error: the system removes temporary files.
    defer { try? manager.removeItem(at: place) }
    for path in paths {
        let file = place.appending(path: path)
        try manager.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try copies[path]?.write(to: file)
    }
    let git = Process()
    git.executableURL = URL(filePath: "/usr/bin/env")
    git.arguments = ["git", "apply", patch.path]
    git.currentDirectoryURL = place
    try git.run()
    git.waitUntilExit()
    guard git.terminationStatus == 0 else {
        throw Failure(description: "\(patch.path) does not apply")
    }
    for path in paths { copies[path] = try Data(contentsOf: place.appending(path: path)) }
}

/// The test that runs the check of this request.
let testOfRequest = "EmbeddedServerTests.ConformanceTests"

/// Copies the package with all mutants.
///
/// Files whose copy is up to date are not written, so that they are not built again.
func plant() throws {
    var copies = try mutatedFiles().mapValues { Data($0.utf8) }
    for top in ["Package.swift", "Sources", "Tests", "Examples", "Docs"] {
        // Skip the consumers: they contain a link to the package.
        for path in files(at: top)
        where copies[path] == nil && !path.hasPrefix("Tests/Consumers/") {
            copies[path] = try Data(contentsOf: URL(filePath: path))
        }
    }
    try addRequest(to: &copies)
    for path in files(at: directory) where !path.hasSuffix("Package.resolved") {
        guard copies[String(path.dropFirst(directory.count + 1))] == nil else { continue }
        try manager.removeItem(atPath: path)
    }
    for (path, bytes) in copies {
        let target = URL(filePath: "\(directory)/\(path)")
        if let held = try? Data(contentsOf: target), held == bytes { continue }
        try manager.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try bytes.write(to: target)
    }
    print("\(all.count) mutants are planted in \(directory).")
}

/// The result of running tests.
enum Outcome {
    case passed
    case failed(test: String)
    case crashed
    case endless
}

/// The number of seconds after which the tests of a mutant are stopped.
///
/// Without a bug, they take far less time.
let patience = 300

/// A pseudo-terminal for the output of the tests.
///
/// If the output is a pipe, the tests buffer it until they end, and some mutants prevent them from
/// ending.
final class Terminal {
    /// The end that the tests write to.
    ///
    /// Close it after the tests have inherited it.
    let writer: FileHandle
    private let descriptor: Int32

    init() throws {
        var ends: (reader: Int32, writer: Int32) = (-1, -1)
        guard openpty(&ends.reader, &ends.writer, nil, nil, nil) == 0 else {
            throw Failure(description: "There is no terminal: \(String(cString: strerror(errno)))")
        }
        descriptor = ends.reader
        writer = FileHandle(fileDescriptor: ends.writer, closeOnDealloc: true)
    }

    deinit { close(descriptor) }

    /// Waits for the next output and returns it.
    ///
    /// Returns `nil` when all writers have closed the terminal.
    func read() -> Data? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = Foundation.read(descriptor, &bytes, bytes.count)
            if count > 0 { return Data(bytes[..<count]) }
            // On Linux, reading fails with EIO when no writer is left.
            guard count < 0, errno == EINTR else { return nil }
        }
    }
}

/// Runs tests until one fails.
func run(_ tests: String, with mutant: Mutant?) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
        "swift", "test", "--package-path", directory, "--scratch-path", "\(directory)/../build",
        "--skip-build", "--disable-xctest", "--filter", tests,
    ]
    var environment = ProcessInfo.processInfo.environment
    environment["SCROLLBACK_MUTANT"] = mutant?.name
    if let seed = mutant?.seed {
        // The seeds of runs that end after a commit begin at 1,000,000, those of runs on a disk at
        // 2,000,000.
        environment["SCROLLBACK_FIRST"] = "\(seed % 1_000_000)"
        environment["SCROLLBACK_RUNS"] = "20"
    }
    environment["SWIFT_BACKTRACE"] = "enable=no"
    environment["TERM"] = "dumb"
    process.environment = environment
    let output = try Terminal()
    process.standardOutput = output.writer
    process.standardError = output.writer
    try process.run()
    try output.writer.close()
    var isEndless = false
    let watch = DispatchSource.makeTimerSource(queue: .global())
    watch.schedule(
        deadline: mutant == nil ? .distantFuture : .now() + .seconds(patience))
    watch.setEventHandler {
        isEndless = true
        process.interrupt()
    }
    watch.resume()
    defer { watch.cancel() }
    var log = Data()
    var next = log.startIndex
    var failed: String?
    var hasPassed = false
    while let part = output.read() {
        log += part
        while let end = log[next...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: log[next..<end], as: UTF8.self)
            next = end + 1
            hasPassed = hasPassed || line.contains("passed after")
            let issue = line.firstMatch(of: #/Test "?(.+?)"? (?:recorded an issue|failed after)/#)
            guard failed == nil, let issue else { continue }
            failed = String(issue.1)
            process.interrupt()
        }
    }
    process.waitUntilExit()
    try log.write(to: URL(filePath: "\(directory)/../\(mutant?.name ?? "unmutated").log"))
    if let failed { return .failed(test: failed) }
    if isEndless { return .endless }
    guard process.terminationStatus == 0 else { return .crashed }
    guard hasPassed else { throw Failure(description: "No test is called \(tests).") }
    return .passed
}

func kill() throws {
    // All tests must pass without a bug. Otherwise a failure would not show that they detect the
    // bug.
    let tests = (Set(mutants.map(\.tests)).sorted() + [testOfRequest]).joined(separator: "|")
    guard case .passed = try run(tests, with: nil) else {
        throw Failure(description: "Tests fail without a mutant: see unmutated.log")
    }
    var survivors: [String] = []
    for mutant in mutants {
        let end: String
        switch try run(mutant.tests, with: mutant) {
        case .passed:
            survivors.append(mutant.name)
            end = "SURVIVES \(mutant.tests)"
        case .failed(let test): end = "killed by \(test)"
        case .crashed: end = "killed by a check that stops the process"
        case .endless: end = "killed: the tests did not end within \(patience) s"
        }
        print("\(mutant.name): \(end)")
        fflush(stdout)
    }
    print("\(mutants.count - survivors.count) of \(mutants.count) mutants are killed.")
    if !survivors.isEmpty { exit(1) }
}

do {
    switch job {
    case "check": _ = try mutatedFiles()
    case "plant": try plant()
    case "kill": try kill()
    default: throw Failure(description: "There is no job \(job): check, plant or kill.")
    }
} catch {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
}
