// Stored texts may contain control characters, which could move the cursor or clear the screen, and
// direction marks, which could show the characters of a line in another order.

extension Unicode.Scalar {
    /// `true` if a terminal, instead of showing the character, changes how it shows others.
    var isControl: Bool { properties.generalCategory == .control || properties.isBidiControl }
}

extension String {
    /// The text in which control characters except line ends, and direction marks, are escaped.
    var visible: String { spelledOut { $0 != "\n" } }

    /// The text in one line: as ``visible``, but line ends are escaped, too.
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
