/// Any JSON value; records use it to preserve values under unknown keys.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer that fits in 64 bits, which is exact.
    case int(Int64)
    /// Any other number; JSON turns an integral one that fits in 64 bits into an `int`.
    case double(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object, whose keys are unordered.
    case object([String: JSONValue])

    /// The maximum nesting depth: 24.
    ///
    /// Decoding deeper JSON throws a `DecodingError`, and deeper bytes a ``SerializationError``.
    /// Storing a deeper value in a record traps.
    public static let maximumDepth = 24
}

extension JSONValue {
    /// The nesting depth: 1 for a scalar, otherwise 1 plus the depth of the deepest element.
    public var depth: Int {
        switch self {
        case .array(let elements): 1 + (elements.lazy.map(\.depth).max() ?? 0)
        case .object(let entries): 1 + (entries.values.lazy.map(\.depth).max() ?? 0)
        default: 1
        }
    }

    /// The value under a key; `nil` if this is no object, or lacks the key.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let entries) = self else { return nil }
        return entries[key]
    }

    /// The string; `nil` for any other value.
    public var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}

// MARK: Codable

extension JSONValue: Codable {
    /// Decodes any JSON value.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if it is nested deeper than ``maximumDepth``.
    public init(from decoder: any Decoder) throws {
        try self.init(from: decoder, depth: 1)
    }

    private init(from decoder: any Decoder, depth: Int) throws {
        guard depth <= JSONValue.maximumDepth else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "JSON is nested more than \(JSONValue.maximumDepth) deep."))
        }
        if let scalar = JSONValue(scalar: try decoder.singleValueContainer()) {
            self = scalar
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !elements.isAtEnd {
                array.append(try JSONValue(from: elements.superDecoder(), depth: depth + 1))
            }
            self = .array(array)
        } else {
            guard let entries = try? decoder.container(keyedBy: JSONKey.self) else {
                throw DecodingError.dataCorrupted(
                    .init(
                        codingPath: decoder.codingPath,
                        debugDescription: "The number does not fit 64 bits."))
            }
            var object: [String: JSONValue] = [:]
            for key in entries.allKeys {
                object[key.stringValue] = try JSONValue(
                    from: entries.superDecoder(forKey: key), depth: depth + 1)
            }
            self = .object(object)
        }
    }

    private init?(scalar container: any SingleValueDecodingContainer) {
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .int(value)
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else {
            return nil
        }
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

// MARK: Literals

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// Creates a `double`.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object, with the last value of a repeated key.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
}

// MARK: Description

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible {
    /// The value as JSON, with object keys in sorted order.
    public var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .string(let value): value.debugDescription
        case .array(let elements): "[\(elements.map(\.description).joined(separator: ","))]"
        case .object(let entries):
            "{"
                + entries.sorted { $0.key < $1.key }
                .map { "\($0.key.debugDescription):\($0.value)" }.joined(separator: ",") + "}"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}
