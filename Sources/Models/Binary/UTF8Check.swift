extension RawSpan {
    /// Returns `true` if a range within the span is UTF-8 as defined by Unicode 15, table 3-7:
    /// without overlong forms, surrogates, or code points above U+10FFFF.
    @inline(__always)
    package func isUTF8(from start: Int, to end: Int) -> Bool {
        let offset = endOfASCII(from: start, to: end)
        return offset == end || isUTF8Slowly(from: offset, to: end)
    }

    var isASCII: Bool {
        @inline(__always) get { endOfASCII(from: 0, to: byteCount) == byteCount }
    }

    /// Returns `end` if the range is ASCII, otherwise at most the offset of the first byte that is
    /// not.
    @inline(__always)
    private func endOfASCII(from start: Int, to end: Int) -> Int {
        var offset = start
        while offset &+ 8 <= end {
            if uncheckedWord(at: offset) & RawSpan.highBits != 0 { return offset }
            offset &+= 8
        }
        if offset == end { return end }
        // Check fewer than eight last bytes as one word too, ignoring bytes outside the range.
        let count = end &- offset
        if offset &+ 8 <= byteCount {
            let mask = RawSpan.highBits >> UInt64(truncatingIfNeeded: 8 &* (8 &- count))
            return uncheckedWord(at: offset) & mask == 0 ? end : offset
        }
        if end >= 8 {
            let mask = RawSpan.highBits << UInt64(truncatingIfNeeded: 8 &* (8 &- count))
            return uncheckedWord(at: end &- 8) & mask == 0 ? end : offset
        }
        while offset < end && uncheckedByte(at: offset) < 0x80 { offset &+= 1 }
        return offset
    }

    static var highBits: UInt64 { 0x8080_8080_8080_8080 }

    @inline(never)
    private func isUTF8Slowly(from start: Int, to end: Int) -> Bool {
        var offset = start
        while offset < end {
            // Most texts in one script have sequences of two and three bytes: check a word at a
            // time.
            if offset &+ 8 <= end {
                let word = uncheckedWord(at: offset)
                let ascii = (word & RawSpan.highBits).trailingZeroBitCount / 8
                if ascii > 0 {
                    offset &+= ascii
                    continue
                }
                if word & 0xc0_c0f0 == 0x80_80e0 {
                    // The bits of the first two bytes of a three-byte sequence show whether it is
                    // an overlong form or a surrogate.
                    let high = (word & 0x0f) << 6 | word >> 8 & 0x3f
                    guard high >= 0x20, high &- 0x360 >= 0x20 else { return false }
                    offset &+= 3
                    continue
                }
                if word & 0xc0e0 == 0x80c0 {
                    guard word & 0x1e != 0 else { return false }
                    offset &+= 2
                    continue
                }
            }
            let first = uncheckedByte(at: offset)
            offset += 1
            if first < 0x80 { continue }

            let count: Int
            var lower: UInt8 = 0x80
            var upper: UInt8 = 0xbf
            switch first {
            case 0xc2...0xdf: count = 1
            case 0xe0: (count, lower) = (2, 0xa0)
            case 0xed: (count, upper) = (2, 0x9f)
            case 0xe1...0xef: count = 2
            case 0xf0: (count, lower) = (3, 0x90)
            case 0xf1...0xf3: count = 3
            case 0xf4: (count, upper) = (3, 0x8f)
            default: return false
            }
            guard end - offset >= count else { return false }

            let second = uncheckedByte(at: offset)
            guard second >= lower, second <= upper else { return false }
            for index in 1..<3 where index < count {
                guard uncheckedByte(at: offset + index) & 0xc0 == 0x80 else { return false }
            }
            offset += count
        }
        return true
    }
}

extension String {
    /// Creates a string; replaces `String(validating:as:)`, which requires macOS 15 and iOS 18.
    package init?(validUTF8 bytes: UnsafeRawBufferPointer) {
        guard bytes.bytes.isUTF8(from: 0, to: bytes.count) else { return nil }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
