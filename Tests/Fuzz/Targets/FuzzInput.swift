import Foundation
import ScrollbackTestSupport

/// Reads values from the beginning of an input.
///
/// At the end of the input, values are zero or empty.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Returns the next `count` bytes, or fewer if the input is shorter.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Returns bytes that follow their number in the input.
    ///
    /// The number has two bytes.
    mutating func measured() -> [UInt8] {
        let high = Int(byte())
        return bytes(high << 8 | Int(byte()))
    }

    /// The remaining bytes as text.
    ///
    /// Invalid UTF-8 is replaced.
    var text: String { String(decoding: rest, as: UTF8.self) }
}

/// A temporary directory for one input.
///
/// It is removed at the end of the value's lifetime.
struct FuzzDirectory: ~Copyable {
    private let directory = orTrap { try ScratchDirectory.made(in: ScratchDirectory.memory) }

    var url: URL { directory.url }

    // Removes the directory at the end of this value's lifetime, and not after the last use of
    // `directory`, because callers also use the directory through `url`.
    deinit { directory.remove() }

    func write(_ bytes: [UInt8], to path: String) {
        orTrap { try Data(bytes).write(to: url.appending(path: path)) }
    }

    func bytes(of path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: url.appending(path: path).path).map(Array.init)
    }

    /// The relative paths of all files in the directory and its subdirectories.
    var contents: Set<String> { Set(directory.contents) }
}

/// Runs a call that must succeed for every input.
@discardableResult
func orTrap<Result>(_ body: () throws -> Result) -> Result {
    do {
        return try body()
    } catch {
        preconditionFailure("This was not to fail: \(error)")
    }
}

/// Blocks the thread until a task has ended.
///
/// If it is the main thread, the main actor continues to run.
func wait(for body: @escaping @Sendable () async -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        await body()
        isDone.signal()
    }
    while isDone.wait(timeout: Thread.isMainThread ? .now() : .distantFuture) == .timedOut {
        _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.001))
    }
}
