/// The words that a user searches for.
///
/// | text | meaning |
/// |---|---|
/// | `ship umbrella` | both words, in any order |
/// | `umbr` at the end of the query | words that begin with `umbr`; with a space after it, `umbr` |
/// | `"black umbrella"` | these words next to each other, in this order |
/// | `-rain`, `-"black umbrella"` | not this word or phrase |
/// | `snake_case`, `ann@example.com`, `雨傘`, `국어` | its words next to each other, in this order |
///
/// An unclosed quotation extends to the end of the query. Characters outside of words are ignored.
/// A query without a word to find matches nothing, even if it excludes words.
///
/// The search ignores differences of case, diacritics, width and other compatibility forms. In
/// scripts without spaces between words, such as Chinese and Thai, and in Korean, each character is
/// a word, and so is each emoji. A word such as `camelCase` is also found by its parts. Signs `+`
/// and `#` at the end of a word belong to it: `C++` finds only `C++`, and `C` finds it too.
public struct SearchQuery: Hashable, Sendable {
    /// The maximum number of words: 64.
    ///
    /// The query ends before the word or phrase that exceeds it.
    public static let maximumWordCount = 64

    package struct Phrase: Hashable, Sendable {
        /// The folded words; at least one.
        package let terms: [String]
        fileprivate let text: String
        package let isPrefix: Bool
    }

    package private(set) var required: [Phrase] = []
    package private(set) var excluded: [Phrase] = []
    /// A Boolean value that indicates whether the query had more than ``maximumWordCount`` words.
    public private(set) var isShortened = false

    /// A Boolean value that indicates whether the query requires no word and thus matches nothing.
    public var isEmpty: Bool { required.isEmpty }

    /// The words and phrases to find as they were typed, without quotes, for servers with their own
    /// query syntax.
    public var requiredTexts: [String] { required.map(\.text) }

    /// Parses a query in O(*n*); every text is valid.
    public init(_ text: String) {
        var rest = text[...]
        var wordCount = 0
        while !rest.isEmpty {
            rest = rest.drop { $0.isWhitespace }
            let isExcluded = rest.first == "-"
            if isExcluded { rest = rest.dropFirst() }
            let part: Substring
            let isOpen: Bool
            if rest.first?.isQuote == true {
                rest = rest.dropFirst()
                part = rest.prefix { !$0.isQuote }
                isOpen = part.endIndex == rest.endIndex
                rest = rest[part.endIndex...].dropFirst()
            } else {
                part = rest.prefix { !$0.isWhitespace && !$0.isQuote }
                rest = rest[part.endIndex...]
                isOpen = rest.isEmpty
            }
            let terms = SearchText(String(part)).words.map(\.whole.term)
            if terms.isEmpty { continue }
            guard wordCount + terms.count <= SearchQuery.maximumWordCount else {
                isShortened = true
                return
            }
            wordCount += terms.count
            if isExcluded {
                excluded.append(Phrase(terms: terms, text: String(part), isPrefix: false))
            } else {
                required.append(Phrase(terms: terms, text: String(part), isPrefix: isOpen))
            }
        }
    }
}

extension Character {
    /// A straight or a curly quote, which keyboards insert.
    fileprivate var isQuote: Bool { self == "\"" || self == "\u{201C}" || self == "\u{201D}" }
}

// MARK: Matching

/// A range in a text of a message that matches a query.
public struct SearchHit: Hashable, Sendable {
    /// A text of a message that the search reads.
    public enum Field: Hashable, Sendable {
        /// The text of the message.
        case text
        /// The name of a file, given by the file's index. A file message has one file, at index 0.
        case fileName(Int)
    }

    /// The text that contains the range.
    public let field: Field

    /// The range in that text: complete words or parts of words.
    public let range: Range<String.Index>
}

extension SearchQuery {
    private static let rangeLimit = 1_000

    /// Returns the ranges in a message that contain the query's words; `nil` if the message does
    /// not match.
    ///
    /// The words may be in different texts, but each phrase must be in one. The ranges in a text
    /// are in order and do not overlap.
    ///
    /// At most 1,000 hits of a word are returned for a text.
    ///
    /// - Complexity: O(*n* ⋅ *w*) in the length of the message's texts and the number of words.
    public func hits(in message: Message) -> [SearchHit]? {
        if required.isEmpty { return nil }
        let texts = message.searchedTexts.map { (field: $0.field, text: SearchText($0.text)) }
        guard excluded.allSatisfy({ phrase in texts.allSatisfy { !$0.text.contains(phrase) } })
        else { return nil }
        var ranges: [[Range<String.Index>]] = texts.map { _ in [] }
        for phrase in required {
            var isFound = false
            for (index, text) in texts.enumerated() {
                text.text.forEachRange(of: phrase) { range in
                    isFound = true
                    ranges[index].append(range)
                    return ranges[index].count < SearchQuery.rangeLimit
                }
            }
            if !isFound { return nil }
        }
        return zip(texts, ranges).flatMap { text, ranges in
            ranges.merged.map { SearchHit(field: text.field, range: $0) }
        }
    }
}

extension SearchQuery {
    package func matches(_ texts: [String]) -> Bool {
        let texts = texts.map { SearchText($0) }
        return !required.isEmpty
            && excluded.allSatisfy { phrase in !texts.contains { $0.contains(phrase) } }
            && required.allSatisfy { phrase in texts.contains { $0.contains(phrase) } }
    }
}

// MARK: Ranking

extension SearchQuery {
    /// Returns the rank of a matching message: 1,000 for each required phrase that it contains as
    /// complete words, plus the proportion of its texts that the hits cover, in thousandths.
    package func rank(of hits: [SearchHit], in message: Message) -> Int {
        let texts = message.searchedTexts
        let words = texts.map { SearchText($0.text) }
        let complete = required.filter { phrase in
            let phrase = Phrase(terms: phrase.terms, text: phrase.text, isPrefix: false)
            return words.contains { $0.contains(phrase) }
        }.count
        let covered = hits.reduce(0) { count, hit in
            guard let text = texts.first(where: { $0.field == hit.field })?.text else {
                return count
            }
            return count + text.utf8.distance(from: hit.range.lowerBound, to: hit.range.upperBound)
        }
        let length = texts.reduce(0) { $0 + $1.text.utf8.count }
        return complete * 1_000 + min(999, covered * 1_000 / max(1, length))
    }
}

extension Message {
    /// The texts that a search reads: the message's text and the names of its files.
    package var searchedTexts: [(field: SearchHit.Field, text: String)] {
        var texts: [(field: SearchHit.Field, text: String)] = []
        if !text.isEmpty { texts.append((.text, text)) }
        for (index, file) in files.enumerated() {
            if let name = file.name, !name.isEmpty { texts.append((.fileName(index), name)) }
        }
        return texts
    }
}

extension SearchText {
    fileprivate func contains(_ phrase: SearchQuery.Phrase) -> Bool {
        var isFound = false
        forEachRange(of: phrase) { _ in
            isFound = true
            return false
        }
        return isFound
    }

    fileprivate func forEachRange(
        of phrase: SearchQuery.Phrase, _ body: (Range<String.Index>) -> Bool
    ) {
        let last = phrase.terms.count - 1
        guard words.count > last else { return }
        for start in 0..<words.count - last {
            var range: Range<String.Index>?
            for (offset, term) in phrase.terms.enumerated() {
                let isPrefix = phrase.isPrefix && offset == last
                guard let piece = words[start + offset].piece(matching: term, isPrefix: isPrefix)
                else {
                    range = nil
                    break
                }
                range = (range?.lowerBound ?? piece.range.lowerBound)..<piece.range.upperBound
            }
            if let range, !body(range) { return }
        }
    }
}

extension SearchText.Word {
    /// Returns the whole word if it matches a term, otherwise the first matching part.
    fileprivate func piece(matching term: String, isPrefix: Bool) -> SearchText.Piece? {
        func matches(_ piece: SearchText.Piece) -> Bool {
            isPrefix
                ? piece.term.utf8.starts(with: term.utf8)
                : piece.term.utf8.elementsEqual(term.utf8)
        }
        return matches(whole) ? whole : parts.first(where: matches)
    }
}

extension [Range<String.Index>] {
    fileprivate var merged: [Range<String.Index>] {
        var merged: [Range<String.Index>] = []
        for range in sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound < last.upperBound {
                merged[merged.count - 1] =
                    last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }
}
