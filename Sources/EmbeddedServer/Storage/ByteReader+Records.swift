import Models
import Store

extension ByteReader {
    func damage(_ expected: String) -> Damage { Damage(offset: offset, expected: expected) }

    mutating func optionalName() throws(Damage) -> String? {
        let name = try measured()
        return name.isEmpty ? nil : name
    }

    mutating func optionalTimestamp() throws(Damage) -> Timestamp? {
        let time = try timestamp()
        return time == .distantPast ? nil : time
    }

    mutating func record<Value: Record>(_ expected: String) throws(Damage) -> Value {
        let offset = offset
        let bytes = try rest()
        do throws(SerializationError) {
            return try Value(serialized: bytes)
        } catch {
            throw Damage(offset: offset + error.offset, expected: expected)
        }
    }

    private mutating func rest() throws(Damage) -> [UInt8] {
        var bytes: [UInt8] = []
        while !isAtEnd { bytes.append(try byte()) }
        return bytes
    }
}

extension ByteWriter {
    mutating func optionalTimestamp(_ time: Timestamp?) { timestamp(time ?? .distantPast) }

    mutating func record(_ record: some Record) {
        record.withSerializedBytes { raw($0) }
    }
}
