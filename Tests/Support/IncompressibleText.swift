extension RandomNumberGenerator {
    /// Returns words of about a dozen random letters each, which cannot be compressed.
    package mutating func incompressibleText(words count: Int) -> String {
        (0..<count).map { _ in String(next(), radix: 36) }.joined()
    }
}
