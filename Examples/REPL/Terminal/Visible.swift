// Stored texts may contain control characters, which could move the cursor or clear the screen.

extension String {
    /// The text for a terminal, in which all control characters except line ends are escaped.
    var visible: String { spelledOut { $0 != "\n" } }

    /// The text in one line, in which all control characters, including line ends, are escaped.
    var oneLine: String { spelledOut { _ in true } }

    private func spelledOut(_ isMeant: (Unicode.Scalar) -> Bool) -> String {
        func isSpelledOut(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.generalCategory == .control && isMeant(scalar)
        }
        guard unicodeScalars.contains(where: isSpelledOut) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            text += isSpelledOut(scalar) ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return text
    }
}
