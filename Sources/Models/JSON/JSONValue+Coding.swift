import Foundation

extension JSONValue {
    /// Creates the JSON of a value.
    ///
    /// - Throws: `EncodingError` if the value has no JSON, and `DecodingError` if it is nested
    ///   deeper than ``maximumDepth``.
    public init(encoding value: some Encodable) throws {
        self = try JSONDecoder().decode(
            JSONValue.self, from: try JSONEncoder().encode(value))
    }

    /// Returns the value that this JSON contains.
    ///
    /// - Throws: `DecodingError` if it is not the JSON of a value of this type.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: try JSONEncoder().encode(self))
    }
}

extension Message {
    /// Returns the value that ``data`` contains as JSON.
    ///
    /// - Throws: `DecodingError` if `data` is empty, or is not the JSON of a value of this type.
    public func decodedData<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try data.decodedJSON(as: type)
    }

    /// Sets ``data`` to the JSON of a value.
    ///
    /// - Throws: `EncodingError` if the value has no JSON.
    public mutating func encodeData(_ value: some Encodable) throws {
        data = try String(jsonOf: value)
    }
}

extension Channel {
    /// Returns the value that ``data`` contains as JSON.
    ///
    /// - Throws: `DecodingError` if `data` is empty, or is not the JSON of a value of this type.
    public func decodedData<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try data.decodedJSON(as: type)
    }

    /// Sets ``data`` to the JSON of a value.
    ///
    /// - Throws: `EncodingError` if the value has no JSON.
    public mutating func encodeData(_ value: some Encodable) throws {
        data = try String(jsonOf: value)
    }
}

extension String {
    fileprivate init(jsonOf value: some Encodable) throws {
        self.init(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    fileprivate func decodedJSON<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(utf8))
    }
}
