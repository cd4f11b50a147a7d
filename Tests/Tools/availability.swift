// Checks on Linux that the package uses nothing that is missing on the oldest Apple systems that
// Package.swift declares. `make availability` runs it after a debug build.
//
// The compiler type-checks every module once more with an Apple target, against copies of the
// modules of Linux in which the target is replaced. These copies have the `@available` attributes
// of the Swift project, so the compiler judges uses of newer declarations, `if #available`, and
// language features that need a newer runtime just as Xcode does. A second pass searches the text
// for names that only Linux has.
//
// Before the package, it checks a sample with planted errors. If the compiler does not report
// exactly these, the method does not work with this toolchain, and the check fails instead of
// passing.
//
// It cannot see:
// - declarations of Apple's own frameworks, and of Dispatch and the older part of Foundation, which
//   have no availability on Linux;
// - code under `#if canImport(Darwin)`, C and C++, linking, and behavior at run time.
//
// Arguments are the names of modules to check; without any, it checks all. Exits with 0 if nothing
// was found, with 1 if something was, and with 2 if it could not check.

import Foundation

/// The sample with the planted errors.
///
/// Each line that ends with the mark has one.
let sample = """
    import Foundation
    import Glibc  // error
    import Synchronization
    #if canImport(Glibc)
        import Glibc
    #endif
    let bytes: [UInt8] = [1, 2]
    func uses() {
        _ = bytes.span.count  // error
        _ = Mutex(0)  // error
        _ = "text".utf8Span  // error
        _ = String(validating: bytes, as: UTF8.self)  // error
        let values: InlineArray<2, Int> = [1, 2]  // error
        _ = values
    }
    func takes(_ sequence: any AsyncSequence<Int, Never>) {}  // error
    let typed: Any = { () throws(CancellationError) in }  // error
    actor Owner { isolated deinit {} }  // error
    func descriptor() -> Int32 { eventfd(0, 0) }  // error
    let thread: any Sendable = pthread_self()  // error
    func child() { _ = Process() }  // error
    @available(macOS 26, iOS 26, *) func count() -> Int { bytes.span.count }
    func guarded() {
        if #available(macOS 26, iOS 26, *) { _ = count() + bytes.span.count }
        guard #available(macOS 15, iOS 18, *) else { return }
        _ = Mutex(0)
    }
    func old() async throws {
        _ = ContiguousArray(bytes).span.count
        for try await _ in AsyncStream<Int>(unfolding: { nil }) {}
        try await Task.sleep(for: .seconds(1))
        _ = URL(filePath: "/tmp").appending(path: "file")
    }
    """
let mark = "  // error"

/// Modules that only Linux has.
let linuxModules = words(
    """
    FoundationEssentials FoundationInternationalization FoundationNetworking FoundationXML Glibc Musl
    """)

/// Functions and constants of Linux's C library that Apple's C library lacks or declares with other
/// parameters.
let linuxNames = words(
    """
    accept4 copy_file_range dup3 epoll_create1 epoll_ctl epoll_wait eventfd explicit_bzero fallocate
    fdatasync get_nprocs getrandom gettid inotify_init1 mallinfo2 malloc_trim malloc_usable_size
    memfd_create mempcpy memrchr mremap pipe2 posix_fadvise posix_fallocate prctl
    program_invocation_name qsort_r rawmemchr renameat2 sched_setaffinity secure_getenv sendfile
    signalfd splice statx strchrnul sync_file_range syncfs sysinfo timerfd_create
    MAP_POPULATE MSG_NOSIGNAL O_DIRECT O_NOATIME O_PATH O_TMPFILE SOCK_CLOEXEC SOCK_NONBLOCK
    st_atim st_ctim st_mtim
    """)

/// Types and properties of Foundation that iOS does not have.
///
/// The compiler on Linux accepts them.
let namesNotOnIOS = words("Process homeDirectoryForCurrentUser Host NSUserName")

func words(_ list: String) -> Set<Substring> { Set(list.split { $0 == " " || $0 == "\n" }) }

/// The reason why nothing could be checked.
struct CheckFailure: Error {
    let description: String

    init(_ description: String) { self.description = description }
}

struct Finding: Hashable {
    var file: String
    var line: Int
    let message: String
}

// MARK: Toolchain and package

struct TargetInfo: Decodable {
    struct Target: Decodable { let unversionedTriple, moduleTriple, arch: String }
    struct Paths: Decodable { let runtimeResourcePath: String }

    let compilerVersion: String
    let target: Target
    let paths: Paths
}

struct Manifest: Decodable {
    struct Platform: Decodable { let platformName, version: String }
    let platforms: [Platform]
}

/// SwiftPM's description of a build.
struct BuildDescription: Decodable {
    struct Module: Decodable {
        let moduleName: String
        let sources: [String]
        let otherArguments: [String]
    }

    let swiftCommands: [String: Module]
}

extension BuildDescription.Module {
    /// The arguments of the module's build that affect what the compiler accepts.
    var languageArguments: [String] {
        let withValue: Set = [
            "-Xcc", "-default-isolation", "-enable-experimental-feature",
            "-enable-upcoming-feature",
            "-module-alias", "-package-name", "-swift-version",
        ]
        let alone: Set = ["-enable-testing", "-parse-as-library", "-strict-memory-safety"]
        var kept = ["-module-name", moduleName]
        var rest = otherArguments[...]
        while let argument = rest.popFirst() {
            if withValue.contains(argument), let value = rest.popFirst() {
                kept += [argument, value]
            } else if argument == "-Xfrontend", let value = rest.popFirst() {
                kept.append(value)
            } else if alone.contains(argument) || argument.hasPrefix("-D") {
                kept.append(argument)
            }
        }
        return kept
    }
}

func run(_ arguments: [String]) throws -> (output: String, status: Int32) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: output, as: UTF8.self), process.terminationStatus)
}

func decode<Value: Decodable>(_ type: Value.Type, from arguments: String...) throws -> Value {
    let (output, status) = try run(arguments)
    guard status == 0, let json = output.firstIndex(of: "{") else {
        throw CheckFailure("\(arguments.joined(separator: " ")) failed:\n\(output)")
    }
    return try JSONDecoder().decode(type, from: Data(output[json...].utf8))
}

// MARK: Apple's systems

/// A compiler for one of Apple's systems.
///
/// It imports copies of Linux's modules.
struct AppleCompiler {
    let info: TargetInfo
    /// The name of the system in the target triple: "macos" or "ios".
    let system: String
    let version: String
    private let directory: URL

    private var triple: String { "arm64-apple-\(system)\(version)" }
    private var modules: URL { directory.appending(path: "modules") }
    private var resources: URL { directory.appending(path: "resources") }
    private var overlay: URL { directory.appending(path: "overlay.json") }

    /// Prepares the copies in a directory, so that later runs find them there.
    init(_ info: TargetInfo, for platform: Manifest.Platform, in parent: URL) throws {
        self.info = info
        system = platform.platformName
        version = platform.version
        directory = parent.appending(
            path: "\(system)\(version)-\(info.compilerVersion.filter(\.isNumber))")
        try copyResources()
        try writeOverlay()
    }

    /// Copies the modules that a build of the package has made.
    func copyModules(from built: URL) throws {
        try create(modules)
        for name in try names(in: built) where name.hasSuffix(".swiftmodule") {
            try retarget(built.appending(path: name), to: modules.appending(path: name))
        }
    }

    private func copyResources() throws {
        let original = URL(filePath: info.paths.runtimeResourcePath)
        let linux = original.appending(path: "linux")
        let apple = resources.appending(path: system == "macos" ? "macosx" : "iphoneos")
        try create(apple)
        for name in try names(in: original) {
            try link(resources.appending(path: name), to: original.appending(path: name))
        }
        for name in try names(in: linux) {
            let (source, copy) = (linux.appending(path: name), apple.appending(path: name))
            if name.hasSuffix(".swiftcrossimport") { try link(copy, to: source) }
            guard name.hasSuffix(".swiftmodule") else { continue }
            try create(copy)
            let file = source.appending(path: info.target.moduleTriple)
            let target = copy.appending(path: "arm64-apple-\(system)")
            let binary = file.appendingPathExtension("swiftmodule")
            if exists(binary) {
                try retarget(binary, to: target.appendingPathExtension("swiftmodule"))
            } else {
                // Swift Testing has only an interface file.
                let text = try String(
                    contentsOf: file.appendingPathExtension("swiftinterface"), encoding: .utf8)
                let old = "-target \(info.target.unversionedTriple)"
                guard text.contains(old) else {
                    throw CheckFailure("The interface of \(name) does not name its target.")
                }
                try write(
                    text.replacing(old, with: "-target \(triple)"),
                    to: target.appendingPathExtension("swiftinterface"))
            }
        }
    }

    /// Copies a compiled module.
    ///
    /// Replaces the target triple in the copy with one of the same length.
    private func retarget(_ source: URL, to copy: URL) throws {
        let date = try modificationDate(of: source)
        if exists(copy), try modificationDate(of: copy) == date { return }
        let old = info.target.unversionedTriple
        // A module must not need a newer system than a module that imports it. Therefore the
        // version in the triple is low: 10.0, with as many zeros as the length requires.
        let prefix = "arm64-apple-\(system)10."
        let new = prefix + String(repeating: "0", count: max(1, old.utf8.count - prefix.utf8.count))
        var bytes = try Data(contentsOf: source)
        guard let range = bytes.prefix(1 << 20).range(of: Data(old.utf8)),
            range.count == new.utf8.count
        else { throw CheckFailure("The target in \(source.path) cannot be replaced.") }
        bytes.replaceSubrange(range, with: Data(new.utf8))
        try bytes.write(to: copy, options: .atomic)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: copy.path)
    }

    /// Adds the module map of the C library to /usr/include.
    ///
    /// The compiler does this only for Linux.
    ///
    /// Two headers get Apple's definitions of some types.
    private func writeOverlay() throws {
        let maps = URL(filePath: info.paths.runtimeResourcePath)
            .appending(path: "linux/\(info.target.arch)")
        var files = [
            "/usr/include/module.modulemap": maps.appending(path: "glibc.modulemap"),
            "/usr/include/SwiftGlibc.h": maps.appending(path: "SwiftGlibc.h"),
        ]
        let replacements = [
            (
                "pthreadtypes.h", #/typedef unsigned long int pthread_t;/#,
                "typedef struct _opaque_pthread *_Nonnull pthread_t;"
            ),
            ("typesizes.h", #/#define\s+__OFF_T_TYPE\s+\S+/#, "#define __OFF_T_TYPE long long"),
        ]
        for (name, old, new) in replacements {
            let candidates = ["\(info.target.arch)-linux-gnu/bits", "bits"]
                .map { URL(filePath: "/usr/include/\($0)/\(name)") }
            guard let header = candidates.first(where: exists),
                case let text = try String(contentsOf: header, encoding: .utf8), text.contains(old)
            else { throw CheckFailure("bits/\(name) of the C library is not as expected.") }
            let copy = directory.appending(path: name)
            try write(text.replacing(old, with: new), to: copy)
            files[header.path] = copy
        }
        let roots = files.sorted { $0.key < $1.key }.map { path, file in
            ["name": path, "type": "file", "external-contents": file.path]
        }
        let json = try JSONSerialization.data(
            withJSONObject: ["version": 0, "roots": roots], options: .sortedKeys)
        try write(String(decoding: json, as: UTF8.self), to: overlay)
    }

    /// Checks the sources of a module.
    ///
    /// - Parameters:
    ///   - sources: The paths of the sources.
    ///   - arguments: The module's own arguments for the compiler.
    ///   - analyzesFlow: True to run the checks that follow the type checks, such as the check that
    ///     a value may be sent to another actor.
    ///   - target: The target of Linux's own modules, or `nil` for this system with the copies.
    /// - Returns: The compiler's diagnostics.
    /// - Throws: ``CheckFailure`` if the compiler fails without a diagnostic.
    func check(
        _ sources: [String], _ arguments: [String], analyzesFlow: Bool, as target: String? = nil
    ) throws -> [Finding] {
        let plugins = info.paths.runtimeResourcePath + "/host/plugins"
        var command = ["swiftc", "-frontend", "-target", target ?? triple]
        command += analyzesFlow ? ["-emit-sil", "-o", "/dev/null"] : ["-typecheck"]
        if target == nil {
            command += [
                "-clang-target", info.target.unversionedTriple, "-disable-objc-interop",
                "-resource-dir", resources.path, "-vfsoverlay", overlay.path, "-I", modules.path,
                "-module-cache-path", directory.appending(path: "cache").path,
            ]
        }
        command += [
            "-plugin-path", plugins, "-plugin-path", plugins + "/testing",
            "-diagnostic-style", "llvm",
        ]
        let (output, status) = try run(command + arguments + sources)
        let found = findings(in: output)
        guard status == 0 || !found.isEmpty else {
            throw CheckFailure("The compiler failed for \(triple):\n\(output.suffix(4000))")
        }
        return found
    }
}

func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

func names(in directory: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
}

func create(_ directory: URL) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
}

func link(_ url: URL, to destination: URL) throws {
    if exists(url) { return }
    try FileManager.default.createSymbolicLink(at: url, withDestinationURL: destination)
}

func modificationDate(of url: URL) throws -> Date {
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    return attributes[.modificationDate] as? Date ?? .distantPast
}

/// Writes a text, unless the file already has it: if the file's date changed, the compiler would
/// build all dependents again.
func write(_ text: String, to url: URL) throws {
    if (try? String(contentsOf: url, encoding: .utf8)) == text { return }
    try text.write(to: url, atomically: true, encoding: .utf8)
}

// MARK: Findings

/// Returns the errors in the compiler's output, and its warnings about availability.
func findings(in output: String) -> [Finding] {
    let lines = output.split(separator: "\n")
    return lines.indices.compactMap { index in
        guard let match = lines[index].wholeMatch(of: #/(.+?):(\d+):\d+: (error|warning): (.*)/#),
            match.3 == "error" || match.4.contains("is only available in")
        else { return nil }
        var finding = Finding(
            file: String(match.1), line: Int(match.2) ?? 0, message: String(match.4))
        // If an error is in the expansion of a macro, report it at the use of the macro.
        if finding.file.contains("@__swiftmacro_"),
            let note = lines[index...].lazy.compactMap({ line in
                line.wholeMatch(of: #/(.+?):(\d+):\d+: note: in expansion of macro .*/#)
            }).first
        {
            (finding.file, finding.line) = (String(note.1), Int(note.2) ?? 0)
        }
        return finding
    }
}

/// Returns findings in the text of a source file that the compiler cannot report.
func findingsInText(
    of file: String, _ text: String, isForIOS: Bool, platforms: [Manifest.Platform]
) -> [Finding] {
    func isOlder(_ system: String, than version: String) -> Bool {
        platforms.contains {
            $0.platformName == system
                && $0.version.compare(version, options: .numeric) == .orderedAscending
        }
    }

    let lacksIsolatedDeinit = isOlder("macos", than: "15.4") || isOlder("ios", than: "18.4")
    var findings: [Finding] = []
    var conditions = 0
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
        let code = line.drop { $0 == " " }
        if code.hasPrefix("//") { continue }
        if code.hasPrefix("#if ") { conditions += 1 }
        if code.hasPrefix("#endif") { conditions -= 1 }
        if conditions > 0 { continue }

        func add(_ message: String) {
            findings.append(Finding(file: file, line: index + 1, message: message))
        }
        let words = code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        if words.contains("import"), let module = words.first(where: linuxModules.contains) {
            add("only Linux has the module \(module)")
        }
        for word in words where linuxNames.contains(word) {
            // Only these uses count: a call of a function, a member after a point, and a constant
            // in upper case.
            if code.contains("\(word)(") || code.contains(".\(word)") || word == word.uppercased() {
                add("only Linux has \(word)")
            }
        }
        if isForIOS {
            for word in words where namesNotOnIOS.contains(word) && !code.contains("\"\(word)\"") {
                add("iOS does not have \(word)")
            }
        }
        if lacksIsolatedDeinit, code.contains("isolated deinit"), !code.contains("nonisolated") {
            // The compiler accepts this, and then crashes or produces a program that crashes
            // (github.com/swiftlang/swift/issues/90625 and 87316).
            add("'isolated deinit' crashes before macOS 15.4 and iOS 18.4")
        }
    }
    return findings
}

// MARK: Self-test

/// Throws an error unless exactly the planted errors of the sample are found.
func testMethod(of compiler: AppleCompiler, in directory: URL) throws {
    let file = directory.appending(path: "Sample.swift")
    try write(sample.replacing(mark, with: ""), to: file)
    let arguments = ["-parse-as-library", "-module-name", "Sample", "-swift-version", "6"]
    let lines = sample.split(separator: "\n", omittingEmptySubsequences: false)
    let planted = Set(lines.indices.filter { lines[$0].hasSuffix(mark) }.map { $0 + 1 })
    let oldest = [
        Manifest.Platform(platformName: "macos", version: "14.0"),
        Manifest.Platform(platformName: "ios", version: "17.0"),
    ]

    func misjudged(as target: String? = nil) throws -> [Int] {
        let found =
            try compiler.check([file.path], arguments, analyzesFlow: false, as: target)
            + findingsInText(of: file.path, sample, isForIOS: true, platforms: oldest)
        return planted.symmetricDifference(found.map(\.line)).sorted()
    }

    let wrong = try misjudged()
    guard wrong.isEmpty else {
        throw CheckFailure(
            "The method does not work with \(compiler.info.compilerVersion) for \(compiler.system): "
                + "lines \(wrong) of \(file.path) are misjudged.")
    }
    // The self-test must fail with a compiler for Linux, which reports none of the errors.
    guard try !misjudged(as: compiler.info.target.unversionedTriple).isEmpty else {
        throw CheckFailure("The self-test passes with a compiler for Linux, so it tests nothing.")
    }
}

// MARK: The check

func check() throws -> Bool {
    let root = FileManager.default.currentDirectoryPath + "/"
    let info = try decode(TargetInfo.self, from: "swiftc", "-print-target-info")
    let platforms = try decode(Manifest.self, from: "swift", "package", "dump-package").platforms
        .filter { ["macos", "ios"].contains($0.platformName) }
    guard platforms.count == 2 else {
        throw CheckFailure("Package.swift does not declare macOS and iOS.")
    }

    let build = URL(filePath: root + ".build/debug")
    guard let json = try? Data(contentsOf: build.appending(path: "description.json")) else {
        throw CheckFailure("The package was not built: run swift build --build-tests.")
    }
    let all = try JSONDecoder().decode(BuildDescription.self, from: json).swiftCommands.values
        .filter { $0.sources[0].hasPrefix(root) && !$0.sources[0].hasPrefix(root + ".build/") }
    for directory in ["Sources/", "Examples/", "Tests/"]
    where !all.contains(where: { $0.sources[0].hasPrefix(root + directory) }) {
        throw CheckFailure("No module of \(directory) was built.")
    }
    let names = Set(CommandLine.arguments.dropFirst())
    if let unknown = names.subtracting(all.map(\.moduleName)).first {
        throw CheckFailure("The package has no module \(unknown).")
    }
    let modules = names.isEmpty ? all : all.filter { names.contains($0.moduleName) }

    let directory = URL(filePath: root + ".build/availability")
    let compilers = try platforms.map { platform in
        let oldest = platform.platformName == "ios" ? "17.0" : "14.0"
        let known = Manifest.Platform(platformName: platform.platformName, version: oldest)
        try testMethod(of: AppleCompiler(info, for: known, in: directory), in: directory)
        let compiler = try AppleCompiler(info, for: platform, in: directory)
        try compiler.copyModules(from: build.appending(path: "Modules"))
        return compiler
    }

    // On iOS, only the libraries are checked. The largest modules are first, so that no core waits
    // for a large one at the end.
    let jobs = compilers.flatMap { compiler in modules.map { (compiler, $0) } }
        .filter { $0.system == "macos" || $1.sources[0].hasPrefix(root + "Sources/") }
        .sorted { $0.1.sources.count > $1.1.sources.count }
    let lock = NSLock()
    nonisolated(unsafe) var findings: Set<Finding> = []
    nonisolated(unsafe) var failures: [String] = []
    DispatchQueue.concurrentPerform(iterations: jobs.count) { index in
        let (compiler, module) = jobs[index]
        let analyzesFlow =
            compiler.system == "macos" && !module.sources[0].hasPrefix(root + "Tests/")
        let result = Result {
            try compiler.check(
                module.sources, module.languageArguments, analyzesFlow: analyzesFlow)
        }
        lock.withLock {
            switch result {
            case .success(let found): findings.formUnion(found)
            case .failure(let error): failures.append("\(module.moduleName): \(error)")
            }
        }
    }
    guard failures.isEmpty else { throw CheckFailure(failures.joined(separator: "\n")) }
    for file in modules.flatMap(\.sources) {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        findings.formUnion(
            findingsInText(
                of: file, text, isForIOS: file.hasPrefix(root + "Sources/"), platforms: platforms))
    }

    let lines = findings.map {
        "\($0.file.replacing(root, with: "")):\($0.line): error: \($0.message)"
    }
    for line in lines.sorted(using: String.Comparator(options: .numeric)) { print(line) }
    let systems = platforms.map { "\($0.platformName) \($0.version)" }.joined(separator: " and ")
    if lines.isEmpty { print("\(modules.count) modules use nothing newer than \(systems).") }
    return lines.isEmpty
}

do {
    exit(try check() ? 0 : 1)
} catch {
    let text = (error as? CheckFailure)?.description ?? "\(error)"
    FileHandle.standardError.write(Data("error: could not check the availability: \(text)\n".utf8))
    exit(2)
}
