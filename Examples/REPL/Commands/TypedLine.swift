/// A line of the prompt, for tools that inspect commands.
package struct TypedLine: Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// The name of the command that the line begins with; `nil` if it begins with none.
    package var commandName: String? { Command.name(in: text) }

    /// The completions that TAB offers at the end of the line.
    @MainActor package var completions: [String] {
        let word = text.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
        return Completion.words(String(word), after: String(text.dropLast(word.count)))
    }

    /// Performs the line without a connected user, and returns the output, or the error's text.
    @MainActor package func perform() async -> String {
        do {
            return try await Command.perform(text).shown
        } catch {
            return "error: \(sentence(of: error))"
        }
    }
}
