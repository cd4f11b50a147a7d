import Foundation
import Scrollback
import Sync

/// A command of the prompt: its name, its help and its action.
///
/// To add a command, add an entry to a table in ``groups``.
struct Command: Sendable {
    /// The first words of the line, such as `store open`.
    let name: String

    /// The arguments for help and ``Completion``, such as `CHANNEL [limit N | all]`; empty if there
    /// are none.
    let usage: String

    /// The number of words before free text, in which quotes and backslashes are ordinary
    /// characters; `nil` if there is none.
    let freeTextAfter: Int?

    let summary: String

    let notes: [String]

    let example: String?

    /// Returns the reply, and throws ``CommandError/usage`` for wrong arguments.
    let run: Action

    typealias Action = @MainActor @Sendable (Arguments) async throws -> any Reply

    /// Creates a command; `title` is its name and usage.
    ///
    /// The usage starts at the first word with other characters than lowercase letters and hyphens.
    init(
        _ title: String, freeTextAfter: Int? = nil, _ summary: String, notes: [String] = [],
        example: String? = nil, run: @escaping Action
    ) {
        let words = title.split(separator: " ")
        let name = words.prefix { $0.allSatisfy { $0.isLowercase || $0 == "-" } }
        self.name = name.joined(separator: " ")
        usage = words.dropFirst(name.count).joined(separator: " ")
        self.freeTextAfter = freeTextAfter
        self.summary = summary
        self.notes = notes
        self.example = example
        self.run = run
    }

    struct Arguments {
        /// The arguments as typed, trimmed.
        let text: String

        let workspace: Workspace

        /// The words before the JSON object and the option `limit N` or `all`, unquoted.
        let words: [String]

        /// The number of rows from the option `limit N` or `all`, if any.
        let limit: Int?

        private let parsed: ShellWords

        init(_ text: String, of command: Command, in workspace: Workspace) throws {
            self.text = text
            self.workspace = workspace
            parsed = ShellWords(
                text, rawAfter: command.freeTextAfter ?? .max,
                findsJSON: command.freeTextAfter == nil && command.usage.contains("JSON"))
            let all = parsed.words
            if command.usage.contains("all]"), all.last == "all" {
                (words, limit) = (all.dropLast(), .everything)
            } else if command.usage.contains("limit N"), all.dropLast().last == "limit" {
                (words, limit) = (all.dropLast(2), try Arguments.count(all[all.count - 1]))
            } else {
                (words, limit) = (all, nil)
            }
            guard let unfinished = parsed.unfinished else { return }
            throw CommandError.failed(
                unfinished == "\\"
                    ? #"nothing follows the last \: type \\ for the character itself"#
                    : "the quote \(unfinished) is not closed: "
                        + "type \\\(unfinished) for the character itself")
        }

        /// The JSON object at the end of the line; otherwise empty.
        var json: String { parsed.json }

        /// The text after the first word, as typed.
        var rest: String { rest(after: 1) }

        /// The text after the first words, as typed.
        func rest(after count: Int) -> String {
            parsed.starts.count > count ? String(text[parsed.starts[count]...]) : ""
        }
    }
}

enum CommandError: Error, CustomStringConvertible {
    /// The arguments do not match the command's usage.
    case usage

    /// The arguments do not match the usage of the given command.
    case misused(Command)

    case failed(String)

    /// An error of another module, and a remark on its consequences.
    case remarked(any Error, String)

    var description: String {
        switch self {
        case .usage: "the arguments are wrong"
        case .misused(let command): "usage: \(command.title)"
        case .failed(let message): message
        case .remarked(let error, let remark): "\(sentence(of: error)); \(remark)"
        }
    }
}

func errorCode(of error: any Error) -> String {
    switch error {
    case CommandError.usage, CommandError.misused: "usage"
    case CommandError.remarked(let error, _): errorCode(of: error)
    case let error as SyncError: "\(error.code)"
    case let error as BackendError: "\(error.code)"
    case let error as StoreError: "\(error.code)"
    case is CancellationError: "canceled"
    default: "failed"
    }
}

/// Returns an error's message in one line, with commands in place of Swift calls.
func sentence(of error: any Error) -> String {
    // A server determines a part of some errors, and must not add lines.
    let text = message(of: error).oneLine
    return adviceByCall.first { text.contains($0.call) }
        .map { text.replacing($0.call, with: $0.command) } ?? text
}

/// Advice in errors of the package, and the commands that a user can run instead.
let adviceByCall: [(call: String, command: String)] = [
    ("call connect(as:) first", "type connect USER"),
    ("there is no network", "there is no network: online ends that"),
    ("call connect(as:) or open(as:) first", "type connect USER"),
    ("call of connect(as:)", "connect"),
    ("call start() first", "open it again"),
    ("start() or loadMore() is already in progress", "the next page is being fetched"),
    ("call resume() first", "type resume"),
    (
        "call ChatClient.encryptStoredData(of:options:) once, or remove it",
        "client encrypt HOME FILE USER encrypts it, and wipe-user removes it"
    ),
    ("finish ChatStore.reencrypt(at:from:to:)", "store reencrypt finishes it"),
    ("encrypt it with ChatStore.reencrypt(at:from:to:)", "store reencrypt encrypts it"),
    (
        "reopen it with encryptionKey to encrypt its data",
        "start with --key-file FILE to encrypt it"
    ),
    (
        "call clearCachedData(), or removeStoredData(of:wiping:options:) if the user cannot connect",
        "type cache clear, or wipe-user USER cache if the user cannot connect"
    ),
    ("SyncOptions.resendPolicy is off", "option sync.resendPolicy is off"),
    ("send it without keepsCopies", "start with --home DIRECTORY"),
    ("pass the time or token to start from", "give a TIME to start from"),
]

private func message(of error: any Error) -> String {
    switch error {
    case let error where isSuspended(error): "the device is suspended: resume opens its files"
    case let error as SyncError:
        // Name the file or directory for the user.
        ["\(error.code)", (error.cause as? StoreError)?.path, error.message]
            .compactMap(\.self).joined(separator: ": ") + advice(for: error.cause)
    case let error as StoreError: "\(error)\(advice(for: error))"
    case let error as BackendError: "\(error.code): \(error.message)"
    case is CancellationError: "canceled"
    case let error as CocoaError:
        [error.filePath, error.localizedDescription].compactMap(\.self).joined(separator: ": ")
    default: "\(error)"
    }
}

private func advice(for error: (any Error)?) -> String {
    guard let error = error as? StoreError, error.code == .wrongKey else { return "" }
    return "; --key-file FILE opens encrypted data, --home DIRECTORY opens other data"
}

private func isSuspended(_ error: any Error) -> Bool {
    switch error {
    case let error as StoreError: error.code == .suspended
    case let error as SyncError: error.cause.map(isSuspended) ?? false
    default: false
    }
}

extension Command {
    static let groups: [(title: String, commands: [Command])] = [
        ("The prompt", general),
        ("Users and devices", users),
        ("The open channel", window),
        ("Searching", searching + kinds),
        ("Sending messages", writing),
        ("Channels", managing + requests),
        ("Members", members),
        ("Synchronizing", sync + inspecting),
        ("The network and the server", network + importing),
        ("The store of the device, or one that is opened by hand", store + encryption + observing),
        ("Tables of the app", tables),
        ("Eviction", eviction),
        ("Messages in the store", messages),
        ("Gaps between them", history),
        ("Channels in the store", channels + labels),
        ("The outbox", outbox),
        ("The file cache, without a store", fileCache),
        ("Records and times", records),
    ]

    static let all: [Command] = groups.flatMap(\.commands)

    static func named(_ name: String) throws -> Command {
        guard let command = all.first(where: { $0.name == name }) else { throw unknown(name) }
        return command
    }

    static func beginning(with words: [String]) -> [Command] {
        all.filter { $0.words.starts(with: words, by: { $0 == $1 }) }
    }

    static func unknown(_ name: String) -> CommandError {
        let isBegun = all.contains { $0.name.hasPrefix("\(name) ") }
        if !isBegun, let near = all.map(\.name).nearest(to: name) {
            return .failed("there is no command '\(name)': did you mean \(near)?")
        }
        return .failed(
            "there is no command '\(name)': "
                + (isBegun ? "help \(name) lists its commands" : "help lists them all"))
    }

    /// Returns the command at the start of a line; of several, the one with the longest name.
    static func command(for words: [Substring]) throws -> Command {
        let candidates = all.filter { words.starts(with: $0.words) }
        guard let command = candidates.max(by: { $0.words.count < $1.words.count }) else {
            return try named(words.first.map(String.init) ?? "")
        }
        // The next word after a command without arguments shows that a longer name was meant.
        let count = command.words.count
        if command.usage.isEmpty, words.count > count, command.hasSubcommands {
            return try named(words[...count].joined(separator: " "))
        }
        return command
    }

    /// A reply, and the events that arrived during the command.
    struct Outcome {
        /// The reply; `nil` if there was no command.
        var reply: (any Reply)?

        var events: [Event] = []

        var text: String {
            ([reply?.text ?? ""].filter { !$0.isEmpty } + events.map(\.text.oneLine))
                .joined(separator: "\n")
        }
    }

    /// Performs a line, unless it is empty or starts with `#`.
    @MainActor static func perform(
        _ line: String, in workspace: Workspace = Workspace()
    ) async throws -> Outcome {
        guard let first = line.split(whereSeparator: \.isWhitespace).first, !first.hasPrefix("#")
        else { return Outcome() }
        let reply = try await workspace.perform { try await run(line, in: workspace) }
        return Outcome(reply: reply, events: workspace.events())
    }

    static func name(in line: String) -> String? {
        // Ignore the error: there is no such command.
        try? command(for: line.split(whereSeparator: \.isWhitespace)).name
    }

    @MainActor static func run(
        _ line: String, in workspace: Workspace
    ) async throws -> any Reply {
        let words = line.split(whereSeparator: \.isWhitespace)
        let command = try command(for: words)
        let rest = words.dropFirst(command.words.count)
        guard rest.isEmpty || !command.usage.isEmpty else { throw CommandError.misused(command) }
        var text = ""
        if let first = rest.first, let last = rest.last {
            text = String(line[first.startIndex..<last.endIndex])
        }
        let arguments = try Arguments(text, of: command, in: workspace)
        do {
            return try await command.run(arguments)
        } catch CommandError.usage {
            throw CommandError.misused(command)
        }
    }

    var title: String { usage.isEmpty ? name : "\(name) \(usage)" }

    var words: [Substring] { name.split(separator: " ") }

    private var hasSubcommands: Bool {
        Command.all.contains { $0.name.hasPrefix("\(name) ") }
    }
}

extension [String] {
    func nearest(to typed: String) -> String? {
        let found = self.map { (name: $0, distance: $0.distance(to: typed)) }
            .min { $0.distance < $1.distance }
        // In a short word, typing errors leave too little.
        let limit = typed.count > 7 ? 2 : typed.count > 3 ? 1 : 0
        return found.flatMap { $0.distance <= limit ? $0.name : nil }
    }
}

extension String {
    /// The number of characters to insert, remove, replace, or exchange with the next one to turn
    /// one text into another.
    fileprivate func distance(to other: String) -> Int {
        let (from, to) = (Array(lowercased()), Array(other.lowercased()))
        var rows = [Array(0...to.count)]
        for (row, character) in from.enumerated() {
            var next = [row + 1]
            for (column, typed) in to.enumerated() {
                var best = Swift.min(
                    rows[row][column] + (character == typed ? 0 : 1), rows[row][column + 1] + 1,
                    next[column] + 1)
                if row > 0, column > 0, character == to[column - 1], from[row - 1] == typed {
                    best = Swift.min(best, rows[row - 1][column - 1] + 1)
                }
                next.append(best)
            }
            rows.append(next)
        }
        return rows[from.count][to.count]
    }
}
