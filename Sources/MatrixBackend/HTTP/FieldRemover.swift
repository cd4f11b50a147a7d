import Foundation

/// Removes the values of fields from a JSON text that arrives in pieces.
///
/// Its memory does not depend on the length of the values. A name with escapes is another name.
struct FieldRemover {
    private struct Parent {
        let name: [UInt8]
        let depth: Int
    }

    private let fields: [(parent: [UInt8]?, name: [UInt8])]
    private let longestName: Int
    private var depth = 0
    private var isInText = false
    private var isEscaped = false
    /// The beginning of the last text.
    private var text: [UInt8] = []
    /// The name of the field whose value follows, if it may contain fields to remove.
    private var parent: [UInt8]?
    /// The open objects that may contain fields to remove.
    private var parents: [Parent] = []
    /// The depth of the object whose field is being removed.
    private var removalDepth: Int?
    /// The number of bytes that were removed.
    private(set) var removedCount: Int64 = 0

    init(_ fields: [UnneededField]) {
        self.fields = fields.map { ($0.parent.map { Array($0.utf8) }, Array($0.name.utf8)) }
        longestName = self.fields.map { max($0.parent?.count ?? 0, $0.name.count) }.max() ?? 0
    }

    /// Returns a piece without the bytes of the values, which `null` replaces.
    mutating func remove(from piece: Data) -> Data {
        var kept = Data()
        piece.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            // The first byte that is kept, but not in `kept` yet.
            var start = 0
            for (index, byte) in bytes.enumerated() {
                let wasRemoving = removalDepth != nil
                read(byte)
                let isRemoving = removalDepth != nil
                if isRemoving, !wasRemoving {
                    kept.append(contentsOf: bytes[start..<index])
                    kept.append(contentsOf: Array(":null".utf8))
                }
                if wasRemoving, !isRemoving { start = index }
                if isRemoving { removedCount += 1 }
            }
            if removalDepth == nil { kept.append(contentsOf: bytes[start...]) }
        }
        return kept
    }

    private mutating func read(_ byte: UInt8) {
        if isInText { return readText(byte) }
        switch byte {
        case UInt8(ascii: "\""):
            isInText = true
            text.removeAll(keepingCapacity: true)
        case UInt8(ascii: ":") where removalDepth == nil: beginField()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            if let parent, byte == UInt8(ascii: "{") {
                parents.append(Parent(name: parent, depth: depth))
            }
            parent = nil
        case UInt8(ascii: ","): endField()
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            endField()
            if parents.last?.depth == depth { parents.removeLast() }
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
            return
        }
        // A longer name is another one.
        if text.count <= longestName { text.append(byte) }
    }

    private mutating func beginField() {
        for field in fields {
            if field.name == text, isOpen(field.parent) { removalDepth = depth }
            if field.parent == text { parent = text }
        }
        if removalDepth != nil { parent = nil }
    }

    private func isOpen(_ name: [UInt8]?) -> Bool {
        guard let name else { return depth == 1 }
        return parents.last.map { $0.depth == depth && $0.name == name } ?? false
    }

    private mutating func endField() {
        if removalDepth == depth { removalDepth = nil }
        parent = nil
    }
}
