public import Foundation

/// Runs this program in a new process, and returns what it prints; throws if it fails.
public func outputOfThisProgram(_ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw ProcessFailure(arguments: arguments) }
    return output
}

private struct ProcessFailure: Error, CustomStringConvertible {
    let arguments: [String]

    var description: String { "The process \(arguments.joined(separator: " ")) failed." }
}

/// Removes the pages of all files in a directory from the system's memory, on Linux.
public func forgetFiles(in directory: URL) {
    #if canImport(Glibc)
        for name in FileManager.default.subpaths(atPath: directory.path) ?? [] {
            let descriptor = open(directory.appending(path: name).path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            fsync(descriptor)
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
            close(descriptor)
        }
    #endif
}
