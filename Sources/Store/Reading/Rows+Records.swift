package import Models

extension Rows {
    /// Returns the number after a table's letter: of a channel or, in the search index, of a
    /// segment or row.
    func number(
        ofKey key: UnsafeRawBufferPointer,
        as what: @autoclosure () -> String = "the key of a channel"
    ) throws(StoreError) -> UInt32 {
        try decode(
            UnsafeRawBufferPointer(rebasing: key.prefix(Table.prefixSize)), as: what()
        ) { (reader) throws(ByteReader.Damage) in
            _ = try reader.byte()
            return try reader.integer()
        }
    }

    func readableNumber(ofKey key: UnsafeRawBufferPointer) -> UInt32? {
        // In a list, a damaged row must not hide the others.
        try? number(ofKey: key)
    }

    /// Returns the text after a table's letter: a name, the scope of a token, or a request ID.
    func text(
        ofKey key: UnsafeRawBufferPointer, as what: @autoclosure () -> String
    ) throws(StoreError) -> String {
        try decode(key, as: what()) { (reader) throws(ByteReader.Damage) in
            _ = try reader.byte()
            return try reader.text()
        }
    }

    func channelURL(ofNameKey key: UnsafeRawBufferPointer) throws(StoreError) -> ChannelURL {
        ChannelURL(try text(ofKey: key, as: "the name of a channel"))
    }

    func channelNumber(
        ofNameValue value: UnsafeRawBufferPointer
    ) throws(StoreError) -> ChannelNumber {
        try decode(value, as: "the number of a channel") { (reader) throws(ByteReader.Damage) in
            try reader.integer()
        }
    }

    @inline(__always)
    package func record<Value: Record>(
        _ bytes: UnsafeRawBufferPointer, as what: @autoclosure () -> String
    ) throws(StoreError) -> Value {
        do throws(SerializationError) {
            return try Value(serialized: bytes)
        } catch {
            throw snapshot.recordingDamage(
                StoreError(.corruption, "\(what()) is damaged", path: path, cause: error))
        }
    }

    package func record<Value: Record>(
        _ key: KeyBytes, as what: @autoclosure () -> String
    ) throws(StoreError) -> Value? {
        try withValue(of: key) { (bytes) throws(StoreError) -> Value? in
            guard let bytes else { return nil }
            return try record(bytes, as: what())
        }
    }

    /// Decodes a record; records the damage and returns `nil` if it is corrupted.
    func readableRecord<Value: Record>(_ bytes: UnsafeRawBufferPointer) -> Value? {
        // In a list, a damaged row must not hide the others.
        try? record(bytes, as: "a row")
    }

    /// Returns the value of a key; `nil` also if it cannot be decoded, which is not recorded as
    /// damage.
    func readable<Value>(
        _ key: KeyBytes, _ read: (inout ByteReader) throws(ByteReader.Damage) -> Value
    ) throws(StoreError) -> Value? {
        try withValue(of: key) { (value) throws(StoreError) -> Value? in
            guard let value else { return nil }
            var reader = ByteReader(value)
            let decoded = try? read(&reader)
            return reader.isAtEnd ? decoded : nil
        }
    }

    func readableRecord<Value: Record>(_ key: KeyBytes) throws(StoreError) -> Value? {
        try withValue(of: key) { (bytes) throws(StoreError) -> Value? in
            bytes.flatMap { readableRecord($0) }
        }
    }
}

extension Rows {
    func messageCount() throws(StoreError) -> Int {
        // The counts that the current batch has changed are not in rows yet.
        let counted = counted?.states ?? [:]
        var count = counted.values.reduce(0) { $0 + Int($1.messageCount) }
        try forEachRow(in: KeyRange(Table.state)) { (key, value) throws(StoreError) in
            if !counted.isEmpty, counted[try number(ofKey: key)] != nil { return }
            let (sum, overflows) = count.addingReportingOverflow(
                Int(try state(value).messageCount))
            // The sum of corrupted counts may overflow.
            if overflows {
                throw snapshot.recordingDamage(
                    StoreError(
                        .corruption, "the message counts of the channels are too large",
                        path: path))
            }
            count = sum
        }
        return count
    }
}
