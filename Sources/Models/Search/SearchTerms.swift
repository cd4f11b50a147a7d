/// Reads the terms under which an index stores a text: the folded bytes of each word and of the
/// words' parts.
///
/// The terms are those of ``SearchText``. ASCII words, which are the majority in most chats, are
/// read from the bytes, without creating a `String` for each word.
package struct SearchTerms: Sendable {
    /// The memory for the term that is being read.
    ///
    /// The array is a property so that its memory is reused.
    private var term: [UInt8] = []

    package init() {}

    /// Calls a closure with each term of a text and the number of the term's word.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - first: The number of the text's first word. Further words have consecutive numbers; the
    ///     parts of a word have the word's number.
    ///   - body: A closure that receives the term's bytes, which are valid only during the call.
    /// - Returns: The number that follows the number of the last word.
    /// - Complexity: O(*n*) in the length of the text.
    package mutating func forEach(
        in text: String, from first: Int, _ body: (UnsafeBufferPointer<UInt8>, Int) -> Void
    ) -> Int {
        var text = text
        var number = first
        text.withUTF8 { utf8 in
            var start = 0
            while start < utf8.count {
                // Read the pieces between white space separately, because no word contains white
                // space.
                if utf8[start] <= 0x20 {
                    start += 1
                    continue
                }
                var end = start
                var bits: UInt8 = 0
                while end < utf8.count, utf8[end] > 0x20 {
                    bits |= utf8[end]
                    end += 1
                }
                let piece = UnsafeBufferPointer(rebasing: utf8[start..<end])
                number =
                    bits < 0x80
                    ? readASCII(piece, number, body) : SearchTerms.read(piece, number, body)
                start = end
            }
        }
        return number
    }

    private static func read(
        _ piece: UnsafeBufferPointer<UInt8>, _ first: Int,
        _ body: (UnsafeBufferPointer<UInt8>, Int) -> Void
    ) -> Int {
        var number = first
        for word in SearchText(String(decoding: piece, as: UTF8.self)).words {
            for var term in [word.whole.term] + word.parts.map(\.term) {
                term.withUTF8 { body($0, number) }
            }
            number += 1
        }
        return number
    }

    private mutating func readASCII(
        _ piece: UnsafeBufferPointer<UInt8>, _ first: Int,
        _ body: (UnsafeBufferPointer<UInt8>, Int) -> Void
    ) -> Int {
        if term.count < piece.count { term = [UInt8](repeating: 0, count: 2 * piece.count) }
        var (number, index) = (first, 0)
        // The offsets in the term at which its parts begin, except for the first part.
        var parts: [Int] = []
        // All words of the piece are read in one access, which is faster than appending each byte.
        term.withUnsafeMutableBufferPointer { term in
            while index < piece.count {
                guard Letter(piece[index]) != nil else {
                    index += 1
                    continue
                }
                let count = SearchTerms.readWord(in: piece, from: &index, to: term, &parts)
                let whole = SearchTerms.readSigns(in: piece, from: &index, to: term, at: count)
                body(UnsafeBufferPointer(rebasing: term[..<whole]), number)
                if !parts.isEmpty {
                    var start = 0
                    for end in parts {
                        body(UnsafeBufferPointer(rebasing: term[start..<end]), number)
                        start = end
                    }
                    body(UnsafeBufferPointer(rebasing: term[start..<count]), number)
                    parts.removeAll(keepingCapacity: true)
                }
                if whole > count { body(UnsafeBufferPointer(rebasing: term[..<count]), number) }
                number += 1
            }
        }
        return number
    }

    /// Reads a word that begins at `index`, by the rules of ``SearchText``, and moves `index` to
    /// the end of the word.
    ///
    /// The folded word is written to `term`, which is at least as large as `piece`. The offsets of
    /// its parts are appended to `parts`. The result is the size of the folded word.
    @inline(__always)
    private static func readWord(
        in piece: UnsafeBufferPointer<UInt8>, from index: inout Int,
        to term: UnsafeMutableBufferPointer<UInt8>, _ parts: inout [Int]
    ) -> Int {
        var count = 0
        var (partStart, previousOffset) = (0, 0)
        var previous: Letter?
        while index < piece.count {
            let byte = piece[index]
            guard let current = Letter(byte) else {
                // An apostrophe between two letters.
                guard byte == 0x27, index + 1 < piece.count, Letter(piece[index + 1]) != nil
                else { break }
                (partStart, previousOffset) = (count, count)
                parts.append(partStart)
                previous = nil
                index += 1
                continue
            }
            if current != previous {
                switch (previous, current) {
                case (.lower, .upper), (.digit, .upper), (.digit, .lower), (.upper, .digit),
                    (.lower, .digit):
                    partStart = count
                    parts.append(partStart)
                case (.upper, .lower) where previousOffset > partStart:
                    partStart = previousOffset
                    parts.append(partStart)
                default: break
                }
                previous = current
            }
            previousOffset = count
            term[count] = byte.lowercased
            count += 1
            index += 1
        }
        return count
    }
}

extension SearchTerms {
    /// Reads the signs that belong to the word before them, and appends them to the word.
    ///
    /// - Returns: The size of the word with its signs.
    @inline(__always)
    private static func readSigns(
        in piece: UnsafeBufferPointer<UInt8>, from index: inout Int,
        to term: UnsafeMutableBufferPointer<UInt8>, at count: Int
    ) -> Int {
        var end = index
        while end < piece.count, piece[end] == 0x2B || piece[end] == 0x23 { end += 1 }
        guard end > index, end > index + 1 || end == piece.count || Letter(piece[end]) == nil
        else { return count }
        for offset in 0..<end - index { term[count + offset] = piece[index + offset] }
        defer { index = end }
        return count + end - index
    }
}

/// An ASCII character that belongs to a word.
private enum Letter {
    case upper, lower, digit

    @inline(__always)
    init?(_ byte: UInt8) {
        switch byte {
        case 0x61...0x7A: self = .lower
        case 0x41...0x5A: self = .upper
        case 0x30...0x39: self = .digit
        default: return nil
        }
    }
}

extension UInt8 {
    /// The lowercase letter if this is an uppercase ASCII letter; otherwise the byte itself.
    @inline(__always)
    var lowercased: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }
}

// MARK: Excluding messages

extension SearchQuery {
    /// Returns `false` if a message certainly does not match the query.
    ///
    /// If the result is `true`, ``hits(in:)`` determines whether the message matches. This method
    /// is faster than ``hits(in:)``, because it does not divide the texts into words.
    ///
    /// - Complexity: O(*n* ⋅ *w*) in the length of the message's texts and the number of words.
    package func mayMatch(_ message: Message) -> Bool {
        var texts = message.searchedTexts.map { $0.text }
        for index in texts.indices {
            // Folding may change other characters in more than their case, so such a text may
            // match.
            let isPlain = texts[index].withUTF8 { $0.allSatisfy { $0 < 0x80 && $0 != 0x27 } }
            if !isPlain { return true }
        }
        return required.allSatisfy { phrase in
            phrase.terms.allSatisfy { term in
                texts.indices.contains { texts[$0].containsLowercased(term) }
            }
        }
    }
}

extension String {
    /// Returns a Boolean value that indicates whether this text contains `other`, which is
    /// lowercase, ignoring the case of this text's ASCII letters.
    fileprivate mutating func containsLowercased(_ other: String) -> Bool {
        var other = other
        return withUTF8 { text in
            other.withUTF8 { other in
                guard text.count >= other.count else { return false }
                for start in 0...text.count - other.count {
                    var offset = 0
                    while offset < other.count, text[start + offset].lowercased == other[offset] {
                        offset += 1
                    }
                    if offset == other.count { return true }
                }
                return false
            }
        }
    }
}
