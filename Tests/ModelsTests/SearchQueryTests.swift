import Models
import Testing

@Suite struct SearchQueryTests {
    /// Returns the phrases of a query, with `+` before required ones, `-` before excluded ones, and
    /// `*` after a prefix.
    private func picture(_ text: String) -> String {
        let query = SearchQuery(text)
        return (query.required.map { ("+", $0) } + query.excluded.map { ("-", $0) })
            .map { $0 + $1.terms.joined(separator: "_") + ($1.isPrefix ? "*" : "") }
            .joined(separator: " ")
    }

    @Test(arguments: [
        ("umbrella kitch", "+umbrella +kitch*"), ("umbrella kitch ", "+umbrella +kitch"),
        ("\"Black  Umbrella\" rain", "+black_umbrella +rain*"),
        ("\u{201C}black umbrella\u{201D}", "+black_umbrella"),
        ("\"black umb", "+black_umb*"), ("a\"b c\"d", "+a +b_c +d*"),
        ("ship -rain -\"black umbrella\"", "+ship -rain -black_umbrella"),
        ("ann@example.com ", "+ann_example_com"), ("雨傘", "+雨_傘*"), ("camelCase", "+camelcase*"),
        ("", ""), ("   ", ""), ("-", ""), ("\"", ""), ("\"\"\"", ""), ("- rain", "+rain*"),
        ("\u{0}\u{7F}!?", ""), ("--rain", "-rain"), ("well-known ", "+well_known"),
    ]) func textHasOneMeaning(text: String, expected: String) {
        #expect(picture(text) == expected)
    }

    @Test(arguments: [
        ("Straße Kitch", ["Straße", "Kitch"]), ("a \"Black  Umbrella", ["a", "Black  Umbrella"]),
        ("ship -rain !? -\"black umbrella\" x-y", ["ship", "x-y"]), ("-rain", []),
    ]) func requiredTextsAreAsTyped(text: String, expected: [String]) {
        #expect(SearchQuery(text).requiredTexts == expected)
    }

    @Test func wordsBeyondTheLimitAreIgnored() {
        let words = Array(repeating: "a", count: SearchQuery.maximumWordCount)
        let exact = SearchQuery(words.joined(separator: " "))
        #expect(exact.required.count == words.count && !exact.isShortened)
        let longer = SearchQuery((words + ["b"]).joined(separator: " "))
        #expect(longer.required.count == words.count && longer.isShortened)
        let characters = SearchQuery(String(repeating: "雨", count: 10_000))
        #expect(characters.required.isEmpty && characters.isShortened)
        let letters = SearchQuery(String(repeating: "x", count: 10_000))
        #expect(letters.required.map(\.terms.count) == [1] && !letters.isShortened)
    }

    /// Returns the texts of a message with the hits in brackets, or `nil` if the message does not
    /// match.
    private func match(_ query: String, _ text: String, files: [String] = []) -> String? {
        var message = Message(id: "1", channelURL: "general", text: text, createdAt: 1)
        message.files = files.map { name in
            var file = FileInfo()
            file.name = name
            return file
        }
        guard let hits = SearchQuery(query).hits(in: message) else { return nil }
        return message.searchedTexts.map { field, text in
            hits.filter { $0.field == field }.reversed().reduce(into: text) { text, hit in
                text.insert("]", at: hit.range.upperBound)
                text.insert("[", at: hit.range.lowerBound)
            }
        }
        .joined(separator: " | ")
    }

    @Test(arguments: [
        (
            "kitchen umbrella ", "The Umbrella is in the kitchen.",
            "The [Umbrella] is in the [kitchen]."
        ),
        ("umb", "umbrella, album", "[umbrella], album"),
        ("umb ", "umbrella", nil),
        ("\"black umbrella\"", "a black umbrella", "a [black umbrella]"),
        ("\"black umbrella\"", "umbrella black", nil),
        ("\"black umbrella\"", "black, umbrella", "[black, umbrella]"),
        ("ship -rain", "ship in the rain", nil), ("ship -rain", "ship rains", "[ship] rains"),
        ("ship -\"in rain\"", "rain in ship", "rain in [ship]"),
        ("-rain", "ship", nil), ("", "ship", nil),
        ("case ", "camelCase", "camel[Case]"), ("camelcase ", "camelCase", "[camelCase]"),
        ("ca", "camelCase", "[camelCase]"), ("cas", "camelCase", "camel[Case]"),
        ("snake_case ", "a snake_case", "a [snake_case]"),
        ("傘", "雨傘を買う", "雨[傘]を買う"), ("雨傘", "雨傘を買う", "[雨傘]を買う"), ("傘雨", "雨傘", nil),
        ("strasse ", "Große Straße", "Große [Straße]"), ("👍", "ok 👍🏽", "ok [👍🏽]"),
        ("a_a ", "a a a", "[a a a]"),
        ("ann@example.com ", "to ann@example.com", "to [ann@example.com]"),
    ]) func queryFindsWords(query: String, text: String, expected: String?) {
        #expect(match(query, text) == expected)
    }

    @Test func wordsMayBeInDifferentTextsOfAMessageButAPhraseMayNot() {
        let files = ["umbrella.pdf", "Bill 7.pdf"]
        #expect(match("see bill ", "See", files: files) == "[See] | umbrella.pdf | [Bill] 7.pdf")
        #expect(match("\"see umbrella\"", "See", files: files) == nil)
        #expect(match("pdf ", "", files: files) == "umbrella.[pdf] | Bill 7.[pdf]")
        #expect(match("see -bill", "See", files: files) == nil)
    }
}
