// Stored text may have any characters: none of them may move the cursor or clear the screen.

extension String {
    /// The text as a terminal shows it: control characters, but for the ends of lines, are spelled out.
    var visible: String { spelledOut { $0 != "\n" } }

    /// The text on one line: the ends of lines are spelled out too.
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
