/// Reads the terms of a text for an index: those of ``SearchText``, as folded bytes.
///
/// ASCII words are read without creating strings.
package struct SearchTerms: Sendable {
    /// A property, so that the memory is reused.
    private var term: [UInt8] = []

    package init() {}

    /// Calls a closure with each term of a text and its word's number, and returns the number after
    /// the last one.
    ///
    /// The first word has the number `first`. The bytes are valid only during the call.
    package mutating func forEach(
        in text: String, from first: Int, _ body: (UnsafeBufferPointer<UInt8>, Int) -> Void
    ) -> Int {
        var text = text
        var number = first
        text.withUTF8 { utf8 in
            var start = 0
            while start < utf8.count {
                // No word contains white space.
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
        // The beginnings of the word's later parts.
        var parts: [Int] = []
        // One access for all words: appending each byte is slower.
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

    /// Reads a word at `index`, by the rules of ``SearchText``, moves `index` to its end, and
    /// returns the folded size.
    ///
    /// Writes the word to `term`, which is at least as large as `piece`, and appends the offsets of
    /// its parts to `parts`.
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
    /// Appends the signs that belong to the preceding word, and returns its size with them.
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
    @inline(__always)
    var lowercased: UInt8 { 0x41...0x5A ~= self ? self | 0x20 : self }
}

// MARK: Excluding messages

extension SearchQuery {
    /// Returns `false` if a message certainly does not match; faster than ``hits(in:)``, which
    /// decides all other cases.
    package func mayMatch(_ message: Message) -> Bool {
        var texts = message.searchedTexts.map { $0.text }
        for index in texts.indices {
            // Folding changes more than the case of other characters.
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
