import Models

extension FuzzTarget {
    /// A search query and the text of a message.
    ///
    /// The input is the length of the query, the query, and the text.
    ///
    /// The ranges of all hits must be in the text, in order and not empty. Each word of a text must
    /// find the text. Folding a folded word must change nothing.
    static let search = FuzzTarget("Search") { input in
        var input = FuzzInput(input)
        let query = SearchQuery(String(decoding: input.measured(), as: UTF8.self))
        let text = input.text
        let message = Message(id: "1", channelURL: "general", text: text, createdAt: 1)
        if let hits = query.hits(in: message) {
            precondition(!hits.isEmpty, "A message matches without a hit.")
            var end = text.startIndex
            for hit in hits {
                precondition(hit.field == .text && !hit.range.isEmpty)
                precondition(hit.range.lowerBound >= end, "Hits overlap or are not in order.")
                end = hit.range.upperBound
            }
            precondition(end <= text.endIndex, "A hit is outside of its text.")
        }
        if !query.mayMatch(message) {
            precondition(query.hits(in: message) == nil, "A message that matches was left out.")
        }
        var reader = SearchTerms()
        var terms: [[UInt8]] = []
        _ = reader.forEach(in: text, from: 0) { term, _ in terms.append(Array(term)) }
        precondition(
            terms
                == SearchText(text).words.flatMap { word in
                    ([word.whole] + word.parts).map { Array($0.term.utf8) }
                }, "The terms of the index are not those of the text.")
        for word in SearchText(text).words.prefix(20) {
            for piece in [word.whole] + word.parts {
                let again = SearchText.folded(piece.term[...])
                precondition(again.utf8.elementsEqual(piece.term.utf8), "Folding is not stable.")
                precondition(
                    SearchText.folded(text[piece.range]).utf8.elementsEqual(piece.term.utf8))
            }
            let phrase = "\"\(text[word.whole.range])\""
            precondition(
                SearchQuery(phrase).hits(in: message) != nil, "A text is not found by its word.")
        }
    }
}
