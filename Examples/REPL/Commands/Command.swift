import Scrollback

/// One command: its name, what help says about it, and what it does.
///
/// To add one, write an entry in one of the tables that ``groups`` lists.
struct Command: Sendable {
    /// How the line begins: a word, or several, such as `store open`.
    let name: String

    /// The arguments as help shows them, such as `MILLISECONDS`; empty if there are none.
    var usage = ""

    /// What it does, in one sentence.
    let summary: String

    /// What more there is to know, a line each.
    var notes: [String] = []

    /// A whole line to try.
    let example: String

    /// Lines that the example needs before it.
    var preparation: [String] = []

    /// What the example says; `nil` where that differs from one machine to another.
    var output: String?

    /// What TAB offers for each of its arguments, from the first on.
    var offers: [Completion.Source] = []

    /// Whether TAB offers the same for all that follow.
    var offersForMore = false

    /// What of the API it is for, as the modules' symbols name it.
    var covers: [String] = []

    /// What its result may hold as values, as `--json` writes it.
    var gives: [Field] = []

    /// Performs it, or throws ``CommandError/usage`` if the arguments do not fit.
    let run: @MainActor @Sendable (Arguments) async throws -> Reply

    /// What comes out of a command.
    struct Reply: Sendable {
        /// What people see; empty for nothing.
        var text = ""

        /// The same as values, for machines.
        var values: Values = [:]

        /// What was told meanwhile.
        var events: [Event] = []

        /// Whether the prompt is to end.
        var isLast = false

        /// All of it for people: the text, and the events below it.
        var shown: String {
            ((text.isEmpty ? [] : [text]) + events.map(\.text)).joined(separator: "\n")
        }

        static func text(_ text: String, _ values: Values = [:]) -> Reply {
            Reply(text: text, values: values)
        }

        static let quit = Reply(isLast: true)
    }

    /// What follows the name of the command in its line.
    struct Arguments {
        /// All of it as it was typed, without the spaces around it.
        let text: String

        /// Its words, as spaces separate them.
        let words: [String]

        /// What the command works on.
        let workspace: Workspace

        /// What follows the first word, as it was typed.
        var rest: String { text(behind: 1) }

        /// What follows some words, as it was typed.
        func text(behind count: Int) -> String {
            var text = text[...]
            for _ in 0..<count {
                text = text.trimmingPrefix { !$0.isWhitespace }
                    .trimmingPrefix(while: \.isWhitespace)
            }
            return String(text)
        }
    }
}

/// Why a command did not do what was asked.
enum CommandError: Error, CustomStringConvertible {
    /// The arguments do not fit; the answer is how the command is used.
    case usage

    /// The same, once it is known of which command.
    case misused(Command)

    /// Anything else, as a sentence for the one who typed it.
    case failed(String)

    /// What somebody else threw, and what it means here.
    case remarked(any Error, String)

    var description: String {
        switch self {
        case .usage: "the arguments do not fit"
        case .misused(let command): "usage: \(command.title)"
        case .failed(let message): message
        case .remarked(let error, let remark): "\(sentence(of: error)); \(remark)"
        }
    }
}

/// What kind of error it is, in one word for machines.
func errorCode(of error: any Error) -> String {
    switch error {
    case CommandError.usage, CommandError.misused: "usage"
    case CommandError.failed: "failed"
    case CommandError.remarked(let error, _): errorCode(of: error)
    case let error as SyncError: "\(error.code)"
    case let error as CollectionError: "\(error.code)"
    case let error as BackendError: "\(error.code)"
    case let error as StoreError: "\(error.code)"
    case is CancellationError: "canceled"
    default: "failed"
    }
}

/// What went wrong, in one line.
func sentence(of error: any Error) -> String {
    switch error {
    case let error as SyncError: "\(error.code): \(error.message)"
    case let error as CollectionError: "\(error.code): \(error.message)"
    case let error as BackendError: "\(error.code): \(error.message)"
    case is CancellationError: "canceled"
    default: "\(error)"
    }
}

extension Command {
    /// Every command there is, by what it is about.
    static let groups: [(title: String, commands: [Command])] = [
        ("The prompt", general),
        ("Users and their devices", users),
        ("The channel that is open", window),
        ("Writing", writing),
        ("Channels and their members", managing),
        ("In step with the server", sync),
        ("The network and the server", network + importing),
        ("The store: of the device, or one that is opened by hand", store + encryption + observing),
        ("What the cache may lose", eviction),
        ("Messages in the store", messages),
        ("What is missing between them", history),
        ("Channels in the store", channels),
        ("What is not sent yet", outbox),
        ("The file cache, without a store", fileCache),
        ("Records and times", records + time),
    ]

    /// Every command there is.
    static let all: [Command] = groups.flatMap(\.commands)

    /// The command of that name.
    static func named(_ name: String) throws -> Command {
        guard let command = all.first(where: { $0.name == name }) else { throw unknown(name) }
        return command
    }

    /// The commands whose names begin with these words.
    static func beginning(with words: [String]) -> [Command] {
        all.filter { $0.words.starts(with: words, by: { $0 == $1 }) }
    }

    /// What is said of a name that no command has.
    static func unknown(_ name: String) -> CommandError {
        let isBegun = all.contains { $0.name.hasPrefix("\(name) ") }
        return .failed(
            "there is no command '\(name)': "
                + (isBegun ? "help \(name) lists what begins so" : "help lists them all"))
    }

    /// The command that a line begins with; of two, the one with the longer name.
    static func command(for words: [Substring]) throws -> Command {
        let candidates = all.filter { words.starts(with: $0.words) }
        guard let command = candidates.max(by: { $0.words.count < $1.words.count }) else {
            return try named(words.first.map(String.init) ?? "")
        }
        // Where nothing may follow, what follows was meant to be another command's name.
        let count = command.words.count
        if command.usage.isEmpty, words.count > count, command.hasSubcommands {
            return try named(words[...count].joined(separator: " "))
        }
        return command
    }

    /// Performs one line; an empty one and a comment, which begins with `#`, do nothing.
    ///
    /// What somebody observes is told below the reply.
    @MainActor static func perform(
        _ line: String, in workspace: Workspace = Workspace()
    ) async throws -> Reply {
        guard let first = line.split(whereSeparator: \.isWhitespace).first, !first.hasPrefix("#")
        else { return .text("") }
        var reply = try await workspace.perform { try await run(line, in: workspace) }
        reply.events = workspace.news()
        return reply
    }

    /// Runs a command by itself, within another one too.
    @MainActor static func run(
        _ line: String, in workspace: Workspace
    ) async throws -> Reply {
        let words = line.split(whereSeparator: \.isWhitespace)
        let command = try command(for: words)
        let rest = words.dropFirst(command.words.count)
        guard rest.isEmpty || !command.usage.isEmpty else { throw CommandError.misused(command) }
        let arguments = Arguments(
            text: rest.isEmpty
                ? "" : String(line[rest.first!.startIndex..<rest.last!.endIndex]),
            words: rest.map(String.init), workspace: workspace
        )
        do {
            return try await command.run(arguments)
        } catch CommandError.usage {
            throw CommandError.misused(command)
        }
    }

    /// The name of the command that a line begins with; `nil` if it begins with none.
    static func name(in line: String) -> String? {
        // What is wrong with such a line, performing it tells.
        (try? command(for: line.split(whereSeparator: \.isWhitespace)))?.name
    }

    /// The name and the arguments: how the command is typed.
    var title: String { usage.isEmpty ? name : "\(name) \(usage)" }

    /// The words of the name.
    var words: [Substring] { name.split(separator: " ") }

    /// Whether the names of other commands begin with this one's.
    private var hasSubcommands: Bool {
        Command.all.contains { $0.name.hasPrefix("\(name) ") }
    }
}
