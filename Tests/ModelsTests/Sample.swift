@testable import Models

/// Records in which every field has a value that depends on the field's number.
enum Sample {
    /// Returns the bytes of a sample.
    ///
    /// They are the same in every run, because the golden files contain them.
    static func bytes(_ schema: Schema, depth: Int = 3) -> [UInt8] {
        schema.fields.flatMap { field in
            bytes(field.number, field.protoName, field.kind, depth: depth)
        }
    }

    private static func bytes(
        _ number: Int, _ name: String, _ kind: FieldKind, depth: Int
    ) -> [UInt8] {
        func one(_ index: Int, _ element: FieldKind.Element) -> [UInt8] {
            payload(number, index == 0 ? name : "\(name) \(index)", element, depth: depth)
        }
        switch kind.label {
        case .implicit:
            return tag(number, kind.element) + one(0, kind.element)
        case .optional:
            if let standard = kind.standard {
                return tag(number, kind.element) + (standard == 1 ? [0] : varint(100 + number))
            }
            return tag(number, kind.element) + one(0, kind.element)
        case .repeated:
            switch kind.element {
            case .integer, .enumeration:
                return varint(number << 3 | 2)
                    + delimited(one(0, kind.element) + one(1, kind.element))
            default:
                return (0..<2).flatMap { tag(number, kind.element) + one($0, kind.element) }
            }
        case .map:
            return ["a", "b \u{fc}"].enumerated().flatMap { index, key in
                varint(number << 3 | 2)
                    + delimited(
                        [0x0a] + delimited(Array(key.utf8)) + tag(2, kind.element)
                            + one(index, kind.element))
            }
        }
    }

    private static func payload(
        _ number: Int, _ name: String, _ element: FieldKind.Element, depth: Int
    ) -> [UInt8] {
        switch element {
        case .bool: return [1]
        // Every integer is a plausible time in milliseconds. JSON would read smaller values as
        // times in seconds, and negative ones as other ids.
        case .integer: return varint(1_700_000_000_000 + number)
        case .double: return withUnsafeBytes(of: (Double(number) + 0.5).bitPattern) { Array($0) }
        case .text: return delimited(Array("\(name) \u{2713}".utf8))
        case .bytes: return delimited([0x00, 0xff, UInt8(number)])
        case .enumeration(let type): return varint(type.names.count - 1)
        case .record("JSONValue", _):
            return delimited([0x2a] + delimited(Array("\(name) json".utf8)))
        case .record(let name, _):
            guard depth > 0, let type = recordTypes.first(where: { $0.schema.name == name }) else {
                return [0]
            }
            return delimited(bytes(type.schema, depth: depth - 1))
        }
    }

    private static func tag(_ number: Int, _ element: FieldKind.Element) -> [UInt8] {
        switch element {
        case .bool, .integer, .enumeration: varint(number << 3)
        case .double: varint(number << 3 | 1)
        case .text, .bytes, .record: varint(number << 3 | 2)
        }
    }

    private static func varint(_ value: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    private static func delimited(_ payload: [UInt8]) -> [UInt8] { varint(payload.count) + payload }
}
