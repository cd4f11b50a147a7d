import Models
import ScrollbackTesting
import Testing

@Suite struct SearchTextTests {
    /// Returns the words of a text.
    ///
    /// The parts of a word follow it in parentheses.
    private func words(_ text: String) -> String {
        SearchText(text).words.map { word in
            let parts = word.parts.map(\.term).joined(separator: " ")
            return parts.isEmpty ? word.whole.term : "\(word.whole.term)(\(parts))"
        }
        .joined(separator: " ")
    }

    @Test(arguments: [
        ("The quick, brown FOX!", "the quick brown fox"),
        ("snake_case camelCase", "snake case camelcase(camel case)"),
        ("HTTPServer iPhone15 x", "httpserver(http server) iphone15(i phone 15) x"),
        ("mcDonald ALLCAPS Word", "mcdonald(mc donald) allcaps word"),
        ("don't l\u{2019}eau 'quoted' '", "dont(don t) leau(l eau) quoted"),
        ("ann.b@example.com", "ann b example com"),
        ("https://example.org/a?b=1", "https example org a b 1"),
        ("@alice #tag 1,000.50", "alice tag 1 000 50"),
        ("C++, C# or c", "c++(c) c#(c) or c"), ("g++-12 f(a+b) C++11", "g++(g) 12 f a b c++(c) 11"),
        ("a#b a##b + ++ #", "a b a##(a) b"), ("myC# Ｃ＃で", "myc#(my c myc) c#(c) で"),
        ("", ""), ("\u{0}\u{1} \n\t-–\"", ""),
    ]) func lettersAndDigitsMakeWords(text: String, expected: String) {
        #expect(words(text) == expected)
    }

    @Test(arguments: [
        ("雨傘を買う", "雨 傘 を 買 う"),
        ("ภาษา", "ภ า ษ า"),
        ("abc雨1", "abc 雨 1"),
        ("한국어 검색", "한 국 어 검 색"), ("C#으로", "C# 으 로"),
        ("ㅋㅋ \u{1112}\u{1161}\u{11AB}\u{1100}", "ㅋ ㅋ 한 \u{1100}"),
        ("👍🏽ok👨‍👩‍👧🇩🇪", "👍 ok 👨‍👩‍👧 🇩🇪"),
    ]) func charactersOfScriptsWithoutSpacesAndEmojiAreWords(text: String, expected: String) {
        #expect(words(text) == words(expected))
        #expect(
            SearchText(text).words.map(\.whole.term)
                == expected.split(separator: " ").map { SearchText.folded($0) })
    }

    @Test(arguments: [
        ("Straße", "STRASSE"), ("ẞ", "ss"), ("İstanbul", "istanbul"), ("Ångström", "angstrom"),
        ("caf\u{E9}", "cafe\u{301}"), ("ΣΊΣΥΦΟΣ", "σισυφος"), ("ﬁsh", "fish"), ("ＡＢＣ１", "abc1"),
        ("ｶﾞ", "ガ"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"), ("❤\u{FE0F}", "❤"),
        ("Łukasz", "lukasz"), ("Smørrebrød", "smorrebrod"), ("Đorđe", "dorde"), ("Ħal", "hal"),
        ("Æsop", "aesop"), ("œuvre", "oeuvre"), ("ǿ", "o"),
        ("co\u{AD}operate", "cooperate"), ("a\u{200B}b", "a b"), ("می\u{200C}خواهم", "میخواهم"),
    ]) func differencesThatPeopleDoNotTypeAreFolded(left: String, right: String) {
        #expect(words(left) == words(right))
        #expect(!words(left).isEmpty)
    }

    @Test(arguments: [("か", "が"), ("กี", "กา"), ("ก่า", "กา"), ("क", "कि"), ("ł", "i")])
    func marksThatMakeAnotherLetterAreKept(left: String, right: String) {
        #expect(words(left) != words(right))
    }

    /// Decomposing a text with thousands of marks in a row would take seconds.
    @Test(arguments: ["\u{3099}", "\u{334}\u{3099}", "\u{F73}", "\u{FF9E}\u{334}"])
    func longRunsOfMarksAreShortened(marks: String) throws {
        let text = "か" + String(repeating: marks, count: 500)
        let counts = SearchText(text).words.map(\.whole.term.unicodeScalars.count)
        #expect(counts.reduce(0, +) <= 1 + 2 * 30, "\(counts)")
        let short = "か" + String(repeating: marks, count: 5)
        let all = SearchText(short).words.map(\.whole.term.unicodeScalars.count)
        #expect(all.reduce(0, +) >= 1 + 5, "\(all)")
    }

    @Test func foldingTwiceIsFoldingOnce() {
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value), !scalar.properties.isIdeographic,
                ![.unassigned, .privateUse].contains(scalar.properties.generalCategory)
            else { continue }
            let once = SearchText.folded(String(scalar)[...])
            let twice = SearchText.folded(once[...])
            guard once.utf8.elementsEqual(twice.utf8) else {
                Issue.record("U+\(String(value, radix: 16))")
                return
            }
        }
    }

    @Test func rangesAreThePiecesOfTheText() {
        let text = "Große snake_Case 雨 👍🏽, don't"
        let pieces = SearchText(text).words.flatMap { [$0.whole] + $0.parts }
        #expect(
            pieces.map { String(text[$0.range]) } == [
                "Große", "snake", "Case", "雨", "👍🏽", "don't", "don", "t",
            ])
        for piece in pieces { #expect(SearchText.folded(text[piece.range]) == piece.term) }
    }
}

@Suite struct SearchTermsTests {
    private func check(_ text: String) {
        var reader = SearchTerms()
        var found: [String] = []
        let next = reader.forEach(in: text, from: 5) { term, number in
            found.append("\(number) \(String(decoding: term, as: UTF8.self))")
        }
        let words = SearchText(text).words
        let expected = words.enumerated().flatMap { number, word in
            ([word.whole] + word.parts).map { "\(number + 5) \($0.term)" }
        }
        #expect(found == expected, "\(text.debugDescription)")
        #expect(next == words.count + 5)
    }

    @Test(arguments: 1...300) func termsAreTheWordsOfTheText(seed: Int) {
        var random = SeededRandom(seed: seed)
        let pieces = [
            "a", "B", "7", "'", "’", " ", "\n", "\u{0}", "_", "-", ".", "cat", "Cat", "CAT", "é",
            "e\u{301}", "ß", "雨", "ภ", "👍🏽", "\u{200D}", "\u{200B}", "\u{301}", "\u{0600}", "ﬁ", "ｶﾞ",
            "\r\n", "\u{A0}", "İ", "\u{AD}", "🇩🇪", "1️⃣", "+", "#", "한", "Ł", "＃",
        ]
        check((0..<random.number(below: 12)).map { _ in random.pick(pieces) }.joined())
    }

    @Test(arguments: 1...300) func aMessageThatCannotMatchDoesNot(seed: Int) {
        var random = SeededRandom(seed: seed)
        let pieces = ["cat", "Cat", "s", "'", " ", "a", "é", "7", "\"", "-", "+", "#"]
        func text(_ count: Int) -> String {
            (0..<random.number(below: count)).map { _ in random.pick(pieces) }.joined()
        }
        let message = Message(id: "1", channelURL: "general", text: text(12), createdAt: 1)
        let query = SearchQuery(text(6))
        if query.hits(in: message) != nil { #expect(query.mayMatch(message)) }
    }
}

extension SeededRandom {
    fileprivate mutating func pick<Value>(_ values: [Value]) -> Value {
        values[number(below: values.count)]
    }
}
