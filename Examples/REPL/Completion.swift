/// What TAB offers.
enum Completion {
    /// The words that may stand where the cursor is.
    ///
    /// - Parameters:
    ///   - word: What is already typed of the word.
    ///   - before: The line before it.
    /// - Returns: The words, in alphabetical order.
    static func words(_ word: String, after before: String) -> [String] {
        let commands = Command.all.map(\.name)
        let candidates: [String]
        switch before.split(separator: " ") {
        case [], ["help"]: candidates = commands
        default: candidates = []
        }
        return candidates.filter { $0.hasPrefix(word) }.sorted()
    }
}
