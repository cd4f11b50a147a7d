import Scrollback

/// A command of the prompt: its name, its help and its action.
///
/// To add a command, add an entry to one of the tables in ``groups``.
struct Command: Sendable {
    /// The words with which the line starts, such as `store open`.
    let name: String

    /// The arguments as help shows them, such as `MILLISECONDS`; empty if there are none.
    var usage = ""

    /// The number of words that precede free text; `nil` if the command has no free text.
    ///
    /// In free text, quotes and backslashes are ordinary characters.
    var freeTextAfter: Int?

    /// The help text, in one sentence.
    let summary: String

    /// Further lines of help.
    var notes: [String] = []

    /// A complete line as an example.
    let example: String

    /// The lines to perform before the example.
    var preparation: [String] = []

    /// The output of the example; `nil` if the output is not the same on all machines.
    var output: String?

    /// The completions that TAB offers for each argument, in order.
    var offers: [Completion.Source] = []

    /// A Boolean value that indicates whether the last completion applies to all further arguments.
    var offersForMore = false

    /// The API calls that the command demonstrates, by their symbol names.
    var covers: [String] = []

    /// The values that the command's result may have with `--json`.
    var gives: [Field] = []

    /// The action, which throws ``CommandError/usage`` if the arguments are wrong.
    let run: @MainActor @Sendable (Arguments) async throws -> Reply

    /// The result of a command.
    struct Reply: Sendable {
        /// The text for people; empty for none.
        var text = ""

        /// The result as values, for machines.
        var values: Values = [:]

        /// The events that arrived while the command ran.
        var events: [Event] = []

        /// A Boolean value that indicates whether the prompt ends after the command.
        var isLast = false

        var shown: String {
            ((text.isEmpty ? [] : [text]) + events.map(\.text)).joined(separator: "\n")
        }

        static func text(_ text: String, _ values: Values = [:]) -> Reply {
            Reply(text: text, values: values)
        }

        static let quit = Reply(isLast: true)
    }

    /// The part of a line after the command's name.
    struct Arguments {
        /// The arguments as typed, without the spaces around them.
        let text: String

        /// The devices and stores on which the command works.
        let workspace: Workspace

        private let parsed: ShellWords

        /// Reads the arguments of a command.
        ///
        /// - Throws: ``CommandError`` if a quote is not closed.
        init(_ text: String, of command: Command, in workspace: Workspace) throws {
            self.text = text
            self.workspace = workspace
            parsed = ShellWords(
                text, rawAfter: command.freeTextAfter ?? .max,
                findsJSON: command.freeTextAfter == nil && command.usage.contains("JSON"))
            guard let unfinished = parsed.unfinished else { return }
            throw CommandError.failed(
                unfinished == "\\"
                    ? #"nothing follows the last \: type \\ for the character itself"#
                    : "the quote \(unfinished) is not closed: "
                        + "type \\\(unfinished) for the character itself")
        }

        /// The words before the JSON object, if there is one, without their quotes and backslashes.
        var words: [String] { parsed.words }

        /// The JSON object at the end of the line; empty if there is none.
        var json: String { parsed.json }

        /// The text after the first word, as typed.
        var rest: String {
            parsed.starts.count > 1 ? String(text[parsed.starts[1]...]) : ""
        }
    }
}

/// The reason why a command failed.
enum CommandError: Error, CustomStringConvertible {
    /// The arguments do not match the usage of the command.
    ///
    /// Commands throw this error.
    case usage

    /// The arguments do not match the usage of the given command.
    ///
    /// The message of this error is that usage.
    case misused(Command)

    /// Any other failure, as a message for the user.
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

/// Returns the kind of an error as one word, for programs that read results.
func errorCode(of error: any Error) -> String {
    switch error {
    case CommandError.usage, CommandError.misused: "usage"
    case CommandError.failed: "failed"
    case CommandError.remarked(let error, _): errorCode(of: error)
    case let error as SyncError: "\(error.code)"
    case let error as BackendError: "\(error.code)"
    case let error as StoreError: "\(error.code)"
    case is CancellationError: "canceled"
    default: "failed"
    }
}

/// Returns the message of an error, in one line.
func sentence(of error: any Error) -> String {
    switch error {
    case let error where isSuspended(error): "the device is suspended: resume opens its files"
    case let error as SyncError: "\(error.code): \(error.message)"
    case let error as BackendError: "\(error.code): \(error.message)"
    case is CancellationError: "canceled"
    default: "\(error)"
    }
}

/// Returns a Boolean value that indicates whether an error says that the store's files are closed
/// until the command `resume`.
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
        ("Searching", searching),
        ("Sending messages", writing),
        ("Channels and members", managing),
        ("Synchronizing", sync + inspecting),
        ("The network and the server", network + importing),
        ("The store of the device, or one that is opened by hand", store + encryption + observing),
        ("Eviction", eviction),
        ("Messages in the store", messages),
        ("Gaps between them", history),
        ("Channels in the store", channels),
        ("The outbox", outbox),
        ("The file cache, without a store", fileCache),
        ("Records and times", records + time),
    ]

    static let all: [Command] = groups.flatMap(\.commands)

    static func named(_ name: String) throws -> Command {
        guard let command = all.first(where: { $0.name == name }) else { throw unknown(name) }
        return command
    }

    /// Returns the commands whose names start with the given words.
    static func beginning(with words: [String]) -> [Command] {
        all.filter { $0.words.starts(with: words, by: { $0 == $1 }) }
    }

    static func unknown(_ name: String) -> CommandError {
        let isBegun = all.contains { $0.name.hasPrefix("\(name) ") }
        return .failed(
            "there is no command '\(name)': "
                + (isBegun ? "help \(name) lists its commands" : "help lists them all"))
    }

    /// Returns the command that a line starts with; if there are several, the command with the
    /// longest name.
    static func command(for words: [Substring]) throws -> Command {
        let candidates = all.filter { words.starts(with: $0.words) }
        guard let command = candidates.max(by: { $0.words.count < $1.words.count }) else {
            return try named(words.first.map(String.init) ?? "")
        }
        // The first word is a command without arguments, but the next word shows that the user
        // meant a longer name.
        let count = command.words.count
        if command.usage.isEmpty, words.count > count, command.hasSubcommands {
            return try named(words[...count].joined(separator: " "))
        }
        return command
    }

    /// Performs a line.
    ///
    /// An empty line, or a comment, which starts with `#`, has no effect. The reply contains the
    /// events that arrived during the command.
    @MainActor static func perform(
        _ line: String, in workspace: Workspace = Workspace()
    ) async throws -> Reply {
        guard let first = line.split(whereSeparator: \.isWhitespace).first, !first.hasPrefix("#")
        else { return .text("") }
        var reply = try await workspace.perform { try await run(line, in: workspace) }
        reply.events = workspace.events()
        return reply
    }

    /// Runs a command.
    ///
    /// Commands also use this method to run other commands.
    @MainActor static func run(
        _ line: String, in workspace: Workspace
    ) async throws -> Reply {
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

    /// Returns the name of the command that a line starts with; `nil` if there is none.
    static func name(in line: String) -> String? {
        // Ignore the error: performing the line reports it.
        (try? command(for: line.split(whereSeparator: \.isWhitespace)))?.name
    }

    var title: String { usage.isEmpty ? name : "\(name) \(usage)" }

    var words: [Substring] { name.split(separator: " ") }

    /// A Boolean value that indicates whether the names of other commands start with this command's
    /// name.
    private var hasSubcommands: Bool {
        Command.all.contains { $0.name.hasPrefix("\(name) ") }
    }
}
