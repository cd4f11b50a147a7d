// Texts of users and servers may contain control characters, which could clear the screen.
// Direction marks could change the order of characters.

extension Unicode.Scalar {
    /// `true` if the character changes how a terminal shows others, or begins a line in programs
    /// that follow Unicode.
    package var isControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: properties.isBidiControl
        }
    }
}

extension String {
    /// The text with escaped direction marks and control characters, except `\n`.
    package var visible: String { spelledOut { $0 != "\n" } }

    /// As ``visible``, but `\n` is escaped, too.
    package var oneLine: String { spelledOut { _ in true } }

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
