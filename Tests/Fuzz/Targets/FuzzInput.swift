import Foundation
import TestSupport

/// Takes values off the front of an input; where it is over, they are zero and empty.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Some bytes, or all that are left if there are fewer.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// Some bytes behind their number, which has two bytes.
    mutating func measured() -> [UInt8] {
        let high = Int(byte())
        return bytes(high << 8 | Int(byte()))
    }

    /// The bytes that are left, as the text that they are nearest to.
    var text: String { String(decoding: rest, as: UTF8.self) }
}

/// A directory for one input; gone when it is done.
struct FuzzDirectory: ~Copyable {
    private let directory = orTrap { try ScratchDirectory.made(in: ScratchDirectory.memory) }

    var url: URL { directory.url }

    // Not before: who has the URL alone still needs the directory.
    deinit { directory.remove() }

    func write(_ bytes: [UInt8], to path: String) {
        orTrap { try Data(bytes).write(to: url.appending(path: path)) }
    }

    func bytes(of path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: url.appending(path: path).path).map(Array.init)
    }

    /// What lies in it, at any depth, as paths from here.
    var contents: Set<String> { Set(directory.contents) }
}

/// Does what nothing in an input may make fail.
@discardableResult
func orTrap<Result>(_ body: () throws -> Result) -> Result {
    do {
        return try body()
    } catch {
        preconditionFailure("This was not to fail: \(error)")
    }
}

/// Waits for a task; on the main thread, lets the main actor go on meanwhile.
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
