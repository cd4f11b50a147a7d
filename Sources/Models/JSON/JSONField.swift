struct JSONKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

struct JSONField<Value: FieldValue>: Codable {
    let value: Value

    init(value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try Value.decode(from: decoder) }
    func encode(to encoder: any Encoder) throws { try value.encodeJSON(to: encoder) }
}

extension SingleValueDecodingContainer {
    /// Some servers write integers as text or with a fraction, such as 1700000000123.0.
    func decodeLenientInt64() throws -> Int64 {
        do {
            return try decode(Int64.self)
        } catch {
            if let value = try? decode(Double.self), let integer = Int64(truncating: value) {
                return integer
            }
            if let text = try? decode(String.self) {
                if let integer = Int64(text) { return integer }
                if let value = Double(text), let integer = Int64(truncating: value) {
                    return integer
                }
            }
            if let value = try? decode(Bool.self) { return value ? 1 : 0 }
            throw error
        }
    }
}

extension Int64 {
    /// Returns `nil` if the number is not finite or does not fit.
    init?(truncating value: Double) {
        guard value.isFinite, abs(value) < 0x1p63 else { return nil }
        self.init(value)
    }
}
