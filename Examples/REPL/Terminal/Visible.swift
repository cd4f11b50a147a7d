// Stored texts may contain control characters, which could move the cursor or clear the screen, and
// direction marks, which could show the characters of a line in another order.

extension Unicode.Scalar {
    /// A Boolean value that indicates whether a terminal, instead of showing the character, changes
    /// how it shows other characters.
    var isControl: Bool { properties.generalCategory == .control || properties.isBidiControl }
}

extension String {
    /// The text for a terminal, in which all control characters except line ends, and all direction
    /// marks, are escaped.
    var visible: String { spelledOut { $0 != "\n" } }

    /// The text in one line, in which all control characters, including line ends, and all direction
    /// marks are escaped.
    var oneLine: String { spelledOut { _ in true } }

    private func spelledOut(_ isMeant: (Unicode.Scalar) -> Bool) -> String {
        func isSpelledOut(_ scalar: Unicode.Scalar) -> Bool {
            scalar.isControl && isMeant(scalar)
        }
        guard unicodeScalars.contains(where: isSpelledOut) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            text += isSpelledOut(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return text
    }
}
