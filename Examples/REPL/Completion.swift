/// What TAB offers.
enum Completion {
    /// Where the words come from that may follow a command.
    enum Source {
        case nothing
        case commands
        case types

        var words: [String] {
            switch self {
            case .nothing: []
            case .commands: Command.all.map(\.name)
            case .types: RecordType.names
            }
        }
    }

    /// The words that may stand where the cursor is.
    ///
    /// - Parameters:
    ///   - word: What is already typed of the word.
    ///   - before: The line before it.
    /// - Returns: The words, in alphabetical order; they may differ from `word` in their case.
    static func words(_ word: String, after before: String) -> [String] {
        let words = before.split(separator: " ")
        let candidates: [String]
        switch words.count {
        case 0: candidates = Source.commands.words
        case 1: candidates = Command.all.first { $0.name == words[0] }?.offers.words ?? []
        default: candidates = []
        }
        let word = word.lowercased()
        return candidates.filter { $0.lowercased().hasPrefix(word) }.sorted()
    }
}
