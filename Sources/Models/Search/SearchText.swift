import Foundation

/// A text, divided into words and folded as the search compares them.
///
/// - A word is a run of letters, digits and combining marks. All other characters separate words,
///   so `snake_case`, a URL and an e-mail address are several words each.
/// - An apostrophe between two letters does not end a word: `don't` is the word `dont`.
/// - A word is divided where it changes from lowercase to uppercase, between letters and digits,
///   and at apostrophes, and can be found by each part: `camelCase` by `camel` and by `case`.
/// - In Chinese, Japanese, Thai, Lao, Khmer and Burmese, which have no spaces between words, and in
///   Korean, whose words have endings, each character is a word, and so is each emoji.
/// - The signs `+` and `#` directly after a word belong to it, unless a single one is followed by a
///   letter or digit: `C++` and `C#` are words, `a+b` is two. Such a word is also found without the
///   signs.
///
/// The rules use neither a dictionary nor the locale: every platform finds the same words.
package struct SearchText: Hashable, Sendable {
    package let words: [Word]

    package struct Word: Hashable, Sendable {
        package let whole: Piece
        /// The parts of the word; empty if it is not divided.
        package let parts: [Piece]
    }

    package struct Piece: Hashable, Sendable {
        /// The folded letters; never empty.
        package let term: String
        package let range: Range<String.Index>

        fileprivate init?(_ text: String, _ range: Range<String.Index>) {
            term = SearchText.folded(text[range])
            self.range = range
            if term.isEmpty { return nil }
        }
    }

    package init(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        var words: [Word] = []
        let scalars = text.unicodeScalars
        var index = scalars.startIndex
        while index < scalars.endIndex {
            switch ScalarKind(scalars[index]) {
            case .separator: scalars.formIndex(after: &index)
            case .single:
                let end = text.index(after: index)
                if let piece = Piece(text, index..<end) {
                    words.append(Word(whole: piece, parts: []))
                }
                index = end
            case .letter:
                let run = WordRun(in: scalars, from: index)
                let end = scalars.endOfSigns(after: run.end)
                if let bare = Piece(text, index..<run.end) {
                    let parts = run.parts.compactMap { Piece(text, $0) }
                    let signed = end > run.end ? Piece(text, index..<end) : nil
                    words.append(
                        Word(whole: signed ?? bare, parts: parts + (signed == nil ? [] : [bare])))
                }
                index = end
            }
        }
        self.words = words
    }
}

// MARK: Runs of letters

private enum ScalarKind {
    case separator
    case letter
    /// The scalar begins a character that is a word by itself.
    case single

    init(_ scalar: Unicode.Scalar) {
        switch scalar.value {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: self = .letter
        case ..<0x80: self = .separator
        // Thai and Lao; Burmese; Khmer; kana, Bopomofo and Hangul letters.
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x318F, 0x31F0...0x31FF,
            0xFF66...0xFFDC,
            // Hangul, in letters and in syllables.
            0x1100...0x11FF, 0xA960...0xA97F, 0xAC00...0xD7FF:
            self = scalar.isLetter ? .single : .separator
        default:
            if scalar.properties.isIdeographic {
                self = .single
            } else if scalar.isLetter {
                self = .letter
            } else {
                self = scalar.properties.isEmoji ? .single : .separator
            }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isLetter: Bool {
        if properties.isAlphabetic || properties.numericType != nil { return true }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }

    fileprivate var isApostrophe: Bool { self == "'" || self == "\u{2019}" }

    fileprivate var isSign: Bool {
        self == "+" || self == "#" || self == "\u{FF0B}" || self == "\u{FF03}"
    }
}

extension String.UnicodeScalarView {
    fileprivate func endOfSigns(after start: Index) -> Index {
        let end = self[start...].firstIndex { !$0.isSign } ?? endIndex
        guard end > start, end < endIndex, index(after: start) == end,
            ScalarKind(self[end]) == .letter
        else { return end }
        return start
    }
}

private struct WordRun {
    private(set) var end: String.Index
    private(set) var parts: [Range<String.Index>] = []

    fileprivate enum Case { case upper, lower, digit, caseless }

    init(in scalars: String.UnicodeScalarView, from start: String.Index) {
        var partStart = start
        var previousIndex = start
        var previous = Case.caseless
        end = start
        while end < scalars.endIndex {
            let scalar = scalars[end]
            let next = scalars.index(after: end)
            if scalar.isApostrophe {
                guard end > start, next < scalars.endIndex, ScalarKind(scalars[next]) == .letter
                else { break }
                parts.append(partStart..<end)
                (partStart, previous) = (next, .caseless)
                (previousIndex, end) = (next, next)
                continue
            }
            // Joiners and soft hyphens inside a word are ignored, unlike a zero-width space.
            let isIgnored =
                !scalar.isASCII && scalar.properties.isDefaultIgnorableCodePoint
                && scalar != "\u{200B}"
            guard isIgnored || ScalarKind(scalar) == .letter else { break }
            if let current = Case(scalar, isIgnored: isIgnored) {
                switch (previous, current) {
                case (.lower, .upper), (.digit, .upper), (.digit, .lower), (.digit, .caseless),
                    (.upper, .digit), (.lower, .digit):
                    parts.append(partStart..<end)
                    partStart = end
                case (.upper, .lower) where previousIndex > partStart:
                    // "HTTPServer" has the parts "HTTP" and "Server".
                    parts.append(partStart..<previousIndex)
                    partStart = previousIndex
                default: break
                }
                previous = current
                previousIndex = end
            }
            end = next
        }
        if partStart > start { parts.append(partStart..<end) }
    }
}

extension WordRun.Case {
    /// Returns `nil` for marks, which belong to the preceding letter.
    fileprivate init?(_ scalar: Unicode.Scalar, isIgnored: Bool) {
        if isIgnored { return nil }
        // Looking up Unicode properties takes longer.
        switch scalar.value {
        case 0x61...0x7A: self = .lower
        case 0x41...0x5A: self = .upper
        case 0x30...0x39: self = .digit
        default: self.init(properties: scalar.properties)
        }
    }

    private init?(properties: Unicode.Scalar.Properties) {
        if properties.isUppercase {
            self = .upper
        } else if properties.isLowercase {
            self = .lower
        } else if properties.numericType != nil {
            self = .digit
        } else if properties.isAlphabetic {
            self = .caseless
        } else {
            return nil
        }
    }
}

// MARK: Folding

extension SearchText {
    /// Returns a text without differences of case, diacritics, composition, width and other
    /// compatibility forms, and without skin tones, invisible characters and apostrophes.
    ///
    /// Unicode's canonical combining class determines which marks are removed: vowel points of
    /// Hebrew and Arabic, and marks above and below letters. Marks that make another letter are
    /// kept, such as the voiced sound mark of kana, and vowels of Thai and Devanagari. Latin
    /// letters with a mark that Unicode does not separate become the plain letter: "ł" becomes "l".
    package static func folded(_ text: Substring) -> String {
        var text = text
        let plain = text.withUTF8 { utf8 -> String? in
            guard utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
            return String(unsafeUninitializedCapacity: utf8.count) { folded in
                var count = 0
                for byte in utf8 where byte != 0x27 {
                    folded[count] = byte.lowercased
                    count += 1
                }
                return count
            }
        }
        if let plain { return plain }
        // "ẞ" becomes "ß", then "SS", then "ss"; both lowercase sigmas become the same letter.
        let cased = text.withoutExcessMarks.decomposedStringWithCompatibilityMapping
            .lowercased().uppercased().lowercased()
        // Some case mappings produce composed letters.
        var folded = cased.decomposedStringWithCompatibilityMapping.unicodeScalars
        folded.removeAll { $0.isIgnoredBySearch }
        guard folded.contains(where: { $0.plainLetters != nil }) else { return String(folded) }
        return folded.reduce(into: "") { $0 += $1.plainLetters ?? String($1) }
    }
}

extension Substring {
    /// As in Unicode's stream-safe text format.
    private static let longestRunOfMarks = 30

    /// The text without excess marks in a row: sorting a long run, which a decomposition does,
    /// takes quadratic time.
    fileprivate var withoutExcessMarks: String {
        guard utf8.count > 256 else { return String(self) }
        var (count, kept) = (0, String.UnicodeScalarView())
        for scalar in unicodeScalars {
            count = scalar.isDecomposedToMarks ? count + 1 : 0
            if count <= Self.longestRunOfMarks { kept.append(scalar) }
        }
        return String(kept)
    }
}

extension Unicode.Scalar {
    fileprivate var isDecomposedToMarks: Bool {
        !isASCII
            && (properties.generalCategory == .nonspacingMark
                || properties.canonicalCombiningClass != .notReordered
                // The halfwidth sound marks of kana.
                || (0xFF9E...0xFF9F).contains(value))
    }

    /// The plain letters of a ligature or of a lowercase Latin letter with a mark that Unicode does
    /// not separate.
    ///
    /// The letter's name contains them, as "LATIN SMALL LETTER L WITH STROKE" does.
    fileprivate var plainLetters: String? {
        switch value {
        case 0xE6: return "ae"
        case 0x153: return "oe"
        case 0xF8, 0x100...0x2AF, 0x1D6C...0x1D9A, 0x1E00...0x1EFF, 0x2C60...0x2C7F,
            0xA720...0xA7FF, 0xAB30...0xAB6F:
            let words = properties.name?.split(separator: " ").map(String.init) ?? []
            guard words.count > 5, words[..<3] == ["LATIN", "SMALL", "LETTER"],
                words[3].utf8.count == 1, words[4] == "WITH"
            else { return nil }
            return words[3].lowercased()
        default: return nil
        }
    }

    fileprivate var isIgnoredBySearch: Bool {
        if isApostrophe || properties.isDefaultIgnorableCodePoint || properties.isEmojiModifier {
            return true
        }
        switch properties.canonicalCombiningClass.rawValue {
        case 10...36, 200...: return true
        default: return false
        }
    }
}
