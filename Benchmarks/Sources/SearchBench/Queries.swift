import Measuring

/// A query in Scrollback's syntax and in FTS5's.
struct Query {
    /// The texts to search for; more than one for a union, for which Scrollback has no syntax.
    let texts: [String]
    let fts: String

    init(_ texts: String..., fts: String) {
        self.texts = texts
        self.fts = fts
    }
}

/// The kinds of queries that are measured.
enum Kind: String, CaseIterable {
    case rareWord = "a rare word"
    case commonWord = "a common word"
    case twoCommonWords = "two common words"
    case union = "either of two common words"
    case negation = "a common word without another"
    case prefix = "a prefix of three letters"
    case phrase = "a phrase of two words"
}

/// Queries of each kind, made of words in the messages.
///
/// A rare word occurs in two to five messages. The hundred most frequent words are common.
struct Queries {
    private(set) var queries: [Kind: [Query]] = [:]

    init(_ lines: [Line], count: Int) {
        func isPlain(_ word: Substring) -> Bool {
            word.utf8.allSatisfy { 0x61...0x7A ~= $0 } && word.utf8.count > 1
        }
        var counts: [Substring: Int] = [:]
        for line in lines {
            for word in Set(line.text.lowercased().split(separator: " ")) where isPlain(word) {
                counts[word, default: 0] += 1
            }
        }
        let words = counts.sorted { $0.value == $1.value ? $0.key < $1.key : $0.value > $1.value }
            .map(\.key)
        let common = Array(words.prefix(100))
        let rare = words.filter { 2...5 ~= counts[$0, default: 0] }
        let long = words.prefix(20_000).filter { $0.utf8.count > 3 }
        var dice = Dice(2)
        func pick(_ words: [Substring]) -> String { String(words[dice.roll(below: words.count)]) }
        func pickTwo(_ words: [Substring]) -> (String, String) {
            let (first, second) = (pick(words), pick(words))
            return first == second ? pickTwo(words) : (first, second)
        }
        func exact(_ words: String...) -> Query {
            Query(
                words.joined(separator: " ") + " ",
                fts: words.map { "\"\($0)\"" }.joined(separator: " "))
        }
        func both() -> Query {
            let (word, other) = pickTwo(common)
            return exact(word, other)
        }
        func union() -> Query {
            let (word, other) = pickTwo(common)
            return Query("\(word) ", "\(other) ", fts: "\"\(word)\" OR \"\(other)\"")
        }
        func negation() -> Query {
            let (word, other) = pickTwo(common)
            return Query("\(word) -\(other) ", fts: "\"\(word)\" NOT \"\(other)\"")
        }
        func prefix() -> Query {
            let prefix = String(pick(long).prefix(3))
            return Query(prefix, fts: "\"\(prefix)\"*")
        }
        func phrase() -> Query {
            while true {
                let words = lines[dice.roll(below: lines.count)].text.lowercased()
                    .split(separator: " ")
                guard words.count > 2 else { continue }
                let start = dice.roll(below: words.count - 1)
                guard words[start...start + 1].allSatisfy(isPlain) else { continue }
                let text = "\"\(words[start]) \(words[start + 1])\""
                return Query(text + " ", fts: text)
            }
        }
        for kind in Kind.allCases {
            queries[kind] = (0..<count).map { _ in
                switch kind {
                case .rareWord: exact(pick(rare))
                case .commonWord: exact(pick(common))
                case .twoCommonWords: both()
                case .union: union()
                case .negation: negation()
                case .prefix: prefix()
                case .phrase: phrase()
                }
            }
        }
    }

    /// Returns the first queries of each kind.
    func prefix(_ count: Int) -> Queries {
        var first = self
        first.queries = queries.mapValues { Array($0.prefix(count)) }
        return first
    }

    subscript(_ kind: Kind) -> [Query] { queries[kind] ?? [] }
}
