/// One command: its name, what help says about it, and what it does.
///
/// To add one, write an entry in one of the tables that ``all`` is made of.
struct Command: Sendable {
    /// The first word of the line.
    let name: String

    /// The arguments as help shows them, such as `MILLISECONDS`; empty if there are none.
    var usage = ""

    /// What it does, in one sentence.
    let summary: String

    /// A whole line to try.
    let example: String

    /// What TAB offers for its first argument.
    var offers = Completion.Source.nothing

    /// Performs it, or throws ``CommandError/usage`` if the arguments do not fit.
    let run: @MainActor @Sendable (Arguments) async throws -> Reply

    /// What comes out of a command.
    enum Reply: Equatable {
        case text(String)
        case quit
    }

    /// What follows the name of the command in its line.
    struct Arguments {
        /// All of it as it was typed, without the spaces around it.
        let text: String

        /// Its words, as spaces separate them.
        let words: [String]

        /// What follows the first word, as it was typed.
        var rest: String {
            String(text.dropFirst(words.first?.count ?? 0).trimmingPrefix(while: \.isWhitespace))
        }
    }
}

/// Why a command did not do what was asked.
enum CommandError: Error, CustomStringConvertible {
    /// The arguments do not fit; the answer is how the command is used.
    case usage

    /// Anything else, as a sentence for the one who typed it.
    case failed(String)

    var description: String {
        switch self {
        case .usage: "the arguments do not fit"
        case .failed(let message): message
        }
    }
}

extension Command {
    /// Every command there is.
    static let all: [Command] = general + time + records

    /// The command of that name.
    static func named(_ name: String) throws -> Command {
        guard let command = all.first(where: { $0.name == name }) else {
            throw CommandError.failed("there is no command '\(name)': help lists them all")
        }
        return command
    }

    /// Performs one line; an empty one and a comment, which begins with `#`, do nothing.
    @MainActor static func perform(_ line: String) async throws -> Reply {
        let words = line.split(whereSeparator: \.isWhitespace)
        guard let name = words.first, !name.hasPrefix("#") else { return .text("") }
        let command = try named(String(name))
        let arguments = Arguments(
            text: words.count > 1 ? String(line[words[1].startIndex..<words.last!.endIndex]) : "",
            words: words.dropFirst().map(String.init)
        )
        do {
            return try await command.run(arguments)
        } catch CommandError.usage {
            throw CommandError.failed("usage: \(command.title)")
        }
    }

    /// The name and the arguments: how the command is typed.
    var title: String { usage.isEmpty ? name : "\(name) \(usage)" }
}
