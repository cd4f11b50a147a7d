/// A line of the prompt, for tools.
package struct TypedLine: Sendable {
    private let text: String

    package init(_ text: String) { self.text = text }

    package var commandName: String? { Command.name(in: text) }

    @MainActor package var completions: [String] {
        let word = text.split(separator: " ", omittingEmptySubsequences: false).last ?? ""
        return Completion.words(String(word), after: String(text.dropLast(word.count)))
    }

    /// Performs the line without a user, and returns the output or the error.
    @MainActor package func perform() async -> String {
        do {
            return try await Command.perform(text).text
        } catch {
            return "error: \(sentence(of: error))"
        }
    }
}
