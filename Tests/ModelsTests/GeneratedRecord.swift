import ScrollbackTesting

@testable import Models

/// Writes records that fit a schema, using only the schema.
///
/// This is a second, naive implementation of the wire format. It does not use the codec that is
/// tested.
struct GeneratedRecord {
    var random: SeededRandom

    /// True if the writer uses the freedom that protobuf gives: fields in any order or written
    /// twice, zeros, unpacked integers, and integers with more bytes than necessary.
    var isSloppy = false

    private var depth = 0

    init(seed: Int, isSloppy: Bool = false) {
        random = SeededRandom(seed: seed)
        self.isSloppy = isSloppy
    }

    /// Returns the bytes of a random choice of a schema's fields, or of the fields `only`.
    mutating func bytes(_ schema: Schema, only: Set<Int>? = nil) -> [UInt8] {
        var fields: [[UInt8]] = []
        for field in schema.fields {
            // A message always gets a status (5), because decoding JSON adds a status to a message
            // with an id.
            let isStatus = schema === Message.schema && field.number == 5
            guard only?.contains(field.number) ?? (isStatus || random.oneIn(2)) else { continue }
            // Integers with a meaning get plausible times in milliseconds. JSON would read −1 and
            // times in seconds as other values.
            if field.meaning != .itself, case .integer = field.kind.element {
                fields.append(
                    tag(field.number, field.kind.element)
                        + varint(
                            Int.random(in: 1_600_000_000_000...1_700_000_000_000, using: &random)))
                continue
            }
            fields += parts(field.number, field.kind)
        }
        return join(fields)
    }

    private mutating func join(_ fields: [[UInt8]]) -> [UInt8] {
        Array((isSloppy ? fields.shuffled(using: &random) : fields).joined())
    }

    /// Returns the parts of a field.
    ///
    /// Other fields may be written between the parts.
    private mutating func parts(_ number: Int, _ kind: FieldKind) -> [[UInt8]] {
        switch kind.label {
        case .implicit, .optional:
            var isZero = kind.label == .optional && random.oneIn(4)
            if let standard = kind.standard, kind.label == .optional {
                // If the default of a Boolean is true, only false is written.
                isZero = standard == 1
            }
            var value = payload(kind.element, isZero: isZero)
            // JSON's `null` is excluded, because in a single field it means that the field is
            // missing.
            while value == [0x02, 0x08, 0x01] { value = payload(kind.element) }
            // A default is excluded, because the encoder never writes one.
            while let standard = kind.standard, kind.label == .optional, value == [UInt8(standard)]
            {
                value = payload(kind.element)
            }
            let part = tag(number, kind.element) + value
            guard isSloppy else { return [part] }
            if random.oneIn(4) { return [part, part] }
            return [part]
        case .repeated:
            let count = Int.random(in: 1...3, using: &random)
            switch kind.element {
            case .integer, .enumeration:
                let elements = (0..<count).map { _ in payload(kind.element) }
                if isSloppy && random.oneIn(2) {
                    return [Array(elements.map { tag(number, kind.element) + $0 }.joined())]
                }
                return [varint(number << 3 | 2) + delimited(Array(elements.joined()))]
            default:
                // The elements form one part, because their order matters.
                return [
                    Array(
                        (0..<count).map { _ in
                            tag(number, kind.element) + payload(kind.element)
                        }.joined())
                ]
            }
        case .map:
            return ["", "a", "b\u{e4}"].map { key in
                let keyPart = key.isEmpty ? [] : [0x0a] + delimited(Array(key.utf8))
                let value = tag(2, kind.element) + payload(kind.element)
                return varint(number << 3 | 2) + delimited(join([keyPart, value]))
            }
        }
    }

    private func tag(_ number: Int, _ element: FieldKind.Element) -> [UInt8] {
        let type =
            switch element {
            case .bool, .integer, .enumeration: 0
            case .double: 1
            case .text, .bytes, .record: 2
            }
        return varint(number << 3 | type)
    }

    private mutating func payload(_ element: FieldKind.Element, isZero: Bool = false) -> [UInt8] {
        switch element {
        case .bool:
            return [isZero ? 0 : 1]
        case .integer:
            if isZero { return [0] }
            let bits = Int.random(in: 1...64, using: &random)
            let value = max(1, random.next() >> UInt64(64 - bits))
            return varint(Int(truncatingIfNeeded: value))
        case .enumeration(let type):
            return varint(isZero ? 0 : Int.random(in: 1..<type.names.count, using: &random))
        case .double:
            let value = isZero ? 0 : Double.random(in: -1000...1000, using: &random) + 0.25
            return withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) }
        case .text:
            return delimited(isZero ? [] : text())
        case .bytes:
            return delimited(
                isZero ? [] : (0..<9).map { _ in UInt8.random(in: 0...255, using: &random) })
        case .record(let name, let layout):
            return delimited(record(name, layout()))
        }
    }

    private mutating func record(_ name: String, _ layout: Layout) -> [UInt8] {
        if name == "JSONValue" { return json() }
        depth += 1
        defer { depth -= 1 }
        guard depth < 3, let type = recordTypes.first(where: { $0.schema.name == name }) else {
            return []
        }
        return bytes(type.schema)
    }

    private mutating func json() -> [UInt8] {
        depth += 1
        defer { depth -= 1 }
        switch Int.random(in: depth > 4 ? 1...5 : 1...7, using: &random) {
        case 1: return [0x08, 0x01]
        case 2: return [0x10, random.oneIn(2) ? 0 : 1]
        case 3: return [0x18] + varint(Int.random(in: -5...500, using: &random))
        case 4: return [0x21] + payload(.double)
        case 5: return [0x2a] + delimited(text())
        case 6: return [0x32] + delimited(join(parts(1, [JSONValue].fieldKind)))
        default: return [0x3a] + delimited(join(parts(1, [String: JSONValue].fieldKind)))
        }
    }

    private mutating func text() -> [UInt8] {
        let texts = [
            "a", "hello, world", "Grüße", "日本語の文", "👩‍👩‍👧 family", "nul \u{0} inside",
            String(repeating: "long ", count: 40), "\u{10ffff}\u{800}\u{7ff}\u{ffff}",
        ]
        return Array((texts.randomElement(using: &random) ?? "").utf8)
    }

    private func varint(_ value: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = UInt64(bitPattern: Int64(value))
        repeat {
            bytes.append(UInt8(rest & 0x7f) | (rest >= 0x80 ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }

    private func delimited(_ payload: [UInt8]) -> [UInt8] { varint(payload.count) + payload }
}
