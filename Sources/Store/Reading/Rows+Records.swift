package import Models

// How channels, messages and drafts are read from rows.

extension Rows {
    /// The channel's number, which follows the letter of most tables.
    func channelNumber(ofKey key: UnsafeRawBufferPointer) throws(StoreError) -> ChannelNumber {
        try decode(
            UnsafeRawBufferPointer(rebasing: key.prefix(Table.prefixSize)),
            as: "the key of a channel"
        ) { (reader) throws(ByteReader.Damage) in
            _ = try reader.byte()
            return try reader.integer()
        }
    }

    /// The channel's number; `nil` if the key is damaged.
    func readableNumber(ofKey key: UnsafeRawBufferPointer) -> ChannelNumber? {
        // For lists, which one damaged row must not make unreadable as a whole.
        try? channelNumber(ofKey: key)
    }

    /// The text that a key has behind its letter: a name, the scope of a token, a request id.
    func text(
        ofKey key: UnsafeRawBufferPointer, as what: @autoclosure () -> String
    ) throws(StoreError) -> String {
        try decode(key, as: what()) { (reader) throws(ByteReader.Damage) in
            _ = try reader.byte()
            return try reader.text()
        }
    }

    /// The channel that a row of the table of names is of.
    func channelURL(ofNameKey key: UnsafeRawBufferPointer) throws(StoreError) -> ChannelURL {
        ChannelURL(try text(ofKey: key, as: "the name of a channel"))
    }

    /// The number that such a row gives the channel.
    func channelNumber(
        ofNameValue value: UnsafeRawBufferPointer
    ) throws(StoreError) -> ChannelNumber {
        try decode(value, as: "the number of a channel") { (reader) throws(ByteReader.Damage) in
            try reader.integer()
        }
    }

    /// Reads a record.
    @inline(__always)
    package func record<Value: Record>(
        _ bytes: UnsafeRawBufferPointer, as what: @autoclosure () -> String
    ) throws(StoreError) -> Value {
        do throws(SerializationError) {
            return try Value(serialized: bytes)
        } catch {
            throw StoreError(.corruption, "\(what()) is damaged", path: path, cause: error)
        }
    }

    /// Reads the record of a key, if there is one.
    package func record<Value: Record>(
        _ key: KeyBytes, as what: @autoclosure () -> String
    ) throws(StoreError) -> Value? {
        try withValue(of: key) { (bytes) throws(StoreError) -> Value? in
            guard let bytes else { return nil }
            return try record(bytes, as: what())
        }
    }

    /// Reads a record; `nil` if it cannot be decoded.
    func readableRecord<Value: Record>(_ bytes: UnsafeRawBufferPointer) -> Value? {
        // For lists, which one damaged row must not make unreadable as a whole.
        try? Value(serialized: bytes)
    }

    /// Reads the record of a key; `nil` if there is none that can be decoded.
    func readableRecord<Value: Record>(_ key: KeyBytes) throws(StoreError) -> Value? {
        try withValue(of: key) { (bytes) throws(StoreError) -> Value? in
            bytes.flatMap { readableRecord($0) }
        }
    }
}

extension Rows {
    /// How many messages all channels count.
    func messageCount() throws(StoreError) -> Int {
        // What a batch has counted is not in rows yet.
        let counted = counted?.states ?? [:]
        var count = counted.values.reduce(0) { $0 + Int($1.messageCount) }
        try scan(KeyRange(prefix: [Table.state.rawValue])) { (key, value) throws(StoreError) in
            if !counted.isEmpty, counted[try channelNumber(ofKey: key)] != nil { return true }
            let (sum, overflows) = count.addingReportingOverflow(
                Int(try state(value).messageCount))
            // Each is plausible; of millions that are damaged, the sum need not be.
            if overflows { throw StoreError(.corruption, "too many messages", path: path) }
            count = sum
            return true
        }
        return count
    }
}
