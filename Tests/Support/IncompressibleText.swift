extension RandomNumberGenerator {
    /// A text that does not get smaller when it is compressed: some words of about a dozen letters.
    package mutating func incompressibleText(words count: Int) -> String {
        (0..<count).map { _ in String(next(), radix: 36) }.joined()
    }
}
