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
        let typed = before.split(separator: " ")
        var candidates = Source.commands.words.nextWords(after: typed)
        if let command = try? Command.command(for: typed), typed.count == command.words.count {
            candidates += command.offers.words
        }
        if let first = typed.first, first == "help" {
            candidates = Source.commands.words.nextWords(after: typed.dropFirst())
        }
        let word = word.lowercased()
        return Set(candidates).filter { $0.lowercased().hasPrefix(word) }.sorted()
    }
}

extension [String] {
    /// The words that follow some others in these texts.
    fileprivate func nextWords(after words: some Collection<Substring>) -> [String] {
        compactMap { text in
            let all = text.split(separator: " ")
            guard all.starts(with: words), all.count > words.count else { return nil }
            return String(all[words.count])
        }
    }
}
