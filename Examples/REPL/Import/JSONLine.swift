import Foundation
import Models

/// A line that contains a JSON object.
///
/// Some fields of the object are read in a single pass. `JSONDecoder` would be too slow: it takes
/// about twenty microseconds for a line, and a log has hundreds of thousands of lines.
package struct JSONLine {
    /// The value of a requested field.
    package enum Value: Hashable {
        case text(String)
        case number(Int64)
        /// The bytes of an object, which can be read as another ``JSONLine``.
        case object([UInt8])
        /// A list, `true` or `false`.
        case other
        /// `null`, or a missing field.
        case none
    }

    /// The values of the requested fields, in the order of the request.
    package private(set) var values: [Value]

    /// The reason why a line cannot be read.
    package struct Damage: Error, CustomStringConvertible {
        package let description: String
    }

    /// Reads a line.
    ///
    /// - Parameters:
    ///   - bytes: The line without its end.
    ///   - names: The fields to read, in UTF-8.
    ///   - ignore: A closure that is called with the name of each other field whose value is not
    ///     `null`.
    /// - Throws: ``Damage``.
    package init(
        _ bytes: UnsafeBufferPointer<UInt8>, fields names: [[UInt8]],
        ignoring ignore: (UnsafeBufferPointer<UInt8>) -> Void = { _ in }
    ) throws(Damage) {
        var scanner = Scanner(bytes: bytes)
        values = Array(repeating: .none, count: names.count)
        scanner.skipSpace()
        try scanner.expect("{")
        scanner.skipSpace()
        if scanner.consume("}") {
            try scanner.expectEnd()
            return
        }
        repeat {
            scanner.skipSpace()
            let key = try scanner.parseString()
            scanner.skipSpace()
            try scanner.expect(":")
            scanner.skipSpace()
            if let index = names.firstIndex(where: { key.elementsEqual($0) }) {
                values[index] = try scanner.parseValue()
            } else {
                let isNull = scanner.isAtNull
                try scanner.skipValue()
                if !isNull { ignore(key) }
            }
            scanner.skipSpace()
        } while scanner.consume(",")
        try scanner.expect("}")
        try scanner.expectEnd()
    }
}

private struct Scanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var index = 0

    private func damage(_ text: String) -> JSONLine.Damage {
        JSONLine.Damage(description: "\(text) at byte \(index + 1)")
    }

    mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x09, 0x0D].contains(bytes[index]) { index += 1 }
    }

    mutating func consume(_ character: Unicode.Scalar) -> Bool {
        guard index < bytes.count, UInt32(bytes[index]) == character.value else { return false }
        index += 1
        return true
    }

    mutating func expect(_ character: Unicode.Scalar) throws(JSONLine.Damage) {
        guard consume(character) else { throw damage("no '\(character)'") }
    }

    mutating func expectEnd() throws(JSONLine.Damage) {
        skipSpace()
        guard index == bytes.count else { throw damage("more than one object") }
    }

    /// Returns the bytes between two quotes, with unchanged escapes.
    mutating func parseString() throws(JSONLine.Damage) -> UnsafeBufferPointer<UInt8> {
        try expect("\"")
        let start = index
        while index < bytes.count {
            switch bytes[index] {
            case 0x22:
                index += 1
                return UnsafeBufferPointer(rebasing: bytes[start..<index - 1])
            case 0x5C: index += 2
            case 0..<0x20: throw damage("a control character within a text")
            default: index += 1
            }
        }
        index = min(index, bytes.count)
        throw damage("a text that is not closed")
    }

    mutating func parseValue() throws(JSONLine.Damage) -> JSONLine.Value {
        guard index < bytes.count else { throw damage("no value") }
        switch bytes[index] {
        case 0x22:
            let text = try parseString()
            return .text(try decoded(text))
        case 0x2D, 0x30...0x39:
            let start = index
            try skipValue()
            let word = String(decoding: bytes[start..<index], as: UTF8.self)
            if let number = Int64(word) { return .number(number) }
            guard let number = Double(word), abs(number) < 9e18 else {
                throw damage("'\(word)' is not a number")
            }
            return .number(Int64(number))
        default:
            let start = index
            try skipValue()
            let value = bytes[start..<index]
            if value.first == 0x7B { return .object(Array(value)) }
            return value.elementsEqual("null".utf8) ? .none : .other
        }
    }

    /// A Boolean value that indicates whether the next value starts like `null`.
    var isAtNull: Bool { index < bytes.count && bytes[index] == 0x6E }

    mutating func skipValue() throws(JSONLine.Damage) {
        var depth = 0
        repeat {
            skipSpace()
            guard index < bytes.count else { throw damage("no value") }
            switch bytes[index] {
            case 0x22: _ = try parseString()
            case 0x7B, 0x5B:
                depth += 1
                index += 1
            case 0x7D, 0x5D:
                guard depth > 0 else { throw damage("no value") }
                depth -= 1
                index += 1
            case 0x2C, 0x3A:
                guard depth > 0 else { throw damage("no value") }
                index += 1
            default:
                while index < bytes.count, !Scanner.ends.contains(bytes[index]) { index += 1 }
            }
        } while depth > 0
    }

    /// The bytes that end a number or a word.
    private static let ends: [UInt8] = [0x2C, 0x7D, 0x5D, 0x3A, 0x20, 0x09, 0x0D, 0x22]

    private func decoded(
        _ text: UnsafeBufferPointer<UInt8>
    ) throws(JSONLine.Damage) -> String {
        if !text.contains(0x5C) {
            guard let string = String(validUTF8: UnsafeRawBufferPointer(text)) else {
                throw damage("a text that is not UTF-8")
            }
            return string
        }
        // Let the system's decoder decode texts with escapes. They are rare, so its speed does not
        // matter.
        let data = Data("[\"".utf8) + Data(buffer: text) + Data("\"]".utf8)
        do {
            return try JSONDecoder().decode([String].self, from: data)[0]
        } catch {
            throw damage("a text with an invalid escape")
        }
    }
}
