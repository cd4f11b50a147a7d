import Foundation

/// Removes the values of fields of the outermost object from a JSON text that arrives in pieces.
///
/// Its memory does not depend on the length of the values. A name with escapes is another name.
struct FieldRemover {
    private let names: [[UInt8]]
    private let longestName: Int
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    private var expectsName = false
    /// The beginning of the name that is being read; `nil` outside of names.
    private var current: [UInt8]?
    /// True if the last name is that of such a field.
    private var isField = false
    private var isRemoving = false
    /// The number of bytes that were removed.
    private(set) var removedCount: Int64 = 0

    init(_ names: [String]) {
        self.names = names.map { Array($0.utf8) }
        longestName = self.names.map(\.count).max() ?? 0
    }

    /// Returns a piece without the bytes of the values, which `null` replaces.
    mutating func remove(from piece: Data) -> Data {
        var kept = Data()
        piece.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            // The first byte that is kept, but not in `kept` yet.
            var start = 0
            for (index, byte) in bytes.enumerated() {
                let wasRemoving = isRemoving
                read(byte)
                if isRemoving, !wasRemoving {
                    kept.append(contentsOf: bytes[start..<index])
                    kept.append(contentsOf: Array(":null".utf8))
                }
                if wasRemoving, !isRemoving { start = index }
                if isRemoving { removedCount += 1 }
            }
            if !isRemoving { kept.append(contentsOf: bytes[start...]) }
        }
        return kept
    }

    private mutating func read(_ byte: UInt8) {
        if isInText { return readText(byte) }
        switch byte {
        case UInt8(ascii: "\""):
            isInText = true
            if depth == 1, expectsName { current = [] }
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            expectsName = depth == 1
        case UInt8(ascii: ":") where depth == 1: (expectsName, isRemoving) = (false, isField)
        case UInt8(ascii: ",") where depth == 1: endField()
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if depth == 1 { endField() }
            depth -= 1
        default: break
        }
    }

    private mutating func readText(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInText = false
            if let current { isField = names.contains(current) }
            current = nil
            return
        }
        // A longer name is another one.
        if let count = current?.count, count <= longestName { current?.append(byte) }
    }

    private mutating func endField() {
        (expectsName, isField, isRemoving) = (true, false, false)
    }
}
