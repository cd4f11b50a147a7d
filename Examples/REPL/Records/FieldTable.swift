import Scrollback

/// A record's bytes, field by field, with their offsets and meanings.
///
/// Nested fields are indented. A row shows at most twelve bytes; a longer field continues in the
/// next rows.
struct FieldTable {
    private var rows: [String] = []
    private let bytes: [UInt8]

    private static let bytesPerRow = 12
    static let hexWidth = 41

    init(_ record: some Record) {
        bytes = record.serializedBytes
        add(record.fieldBytes, depth: 0)
    }

    var text: String { rows.joined(separator: "\n") }

    private mutating func add(_ fields: [FieldBytes], depth: Int) {
        for field in fields {
            let name = field.name.map { "\(field.number) \($0)" } ?? "\(field.number)"
            let text = "\(name): \(field.value)"
            if let nested = field.fields {
                add(field.head, text, depth)
                add(nested, depth: depth + 1)
            } else {
                add(field.head.lowerBound..<field.payload.upperBound, text, depth)
            }
        }
    }

    private mutating func add(_ range: Range<Int>, _ text: String, _ depth: Int) {
        let indent = String(repeating: "  ", count: depth)
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.bytesPerRow) {
            let end = min(start + Self.bytesPerRow, range.upperBound)
            let hex = indent + Hex.text(bytes[start..<end])
            let row = "\(start)".padded(to: 4, atStart: true) + "  "
            let isFirst = start == range.lowerBound
            rows.append(row + (isFirst ? hex.padded(to: Self.hexWidth) + indent + text : hex))
        }
    }
}
