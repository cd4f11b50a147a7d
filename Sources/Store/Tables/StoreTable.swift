public import Foundation
public import Models

/// A table of the app's own rows in a store: its name, and the types of its keys and values.
///
/// ```swift
/// let bookmarks = StoreTable<Pair<ChannelURL, Timestamp>, Bookmark>("bookmarks")
/// try store.write { batch in try batch.put(bookmark, for: Pair(channel, time), in: bookmarks) }
/// let newest = try store.values(
///     in: bookmarks, within: .beginning(with: channel), isDescending: true, limit: 50)
/// ```
///
/// Declare each table once, as a constant. The table exists from its first row on. Every call
/// throws ``StoreError`` with code `invalid` if the name was used with another home or other types,
/// and with code `newerSchema` if a newer version of the app wrote the table.
///
/// A value is `Codable`, `Data` or a ``/Models/Record``. A `Codable` value is stored as the JSON of
/// Foundation's `JSONEncoder` with sorted keys and its default strategies, so equal values have
/// equal bytes; data as it is; and a record in its binary form.
public struct StoreTable<Key: StoreKey, Value: Sendable>: Sendable {
    /// The name of the table: 1 to 255 bytes, in Unicode's normalization form C.
    public let name: String

    /// The database of the rows.
    package let home: StoreTableHome

    /// The version of the values' format; at least 1, and at most 65,535.
    package let version: Int

    let keyParts: [StoreKeyPart]
    /// The form of the values on disk: `json`, `data`, or `record` and the name of the record.
    let form: String
    let encode: @Sendable (Value, inout ByteWriter) throws -> Void
    let decode: @Sendable (UnsafeRawBufferPointer) throws -> Value
    let migration: Migration?
    /// The bytes with which the keys of all rows begin.
    let rowPrefix: KeyBytes

    /// A closure that converts a value of an earlier version.
    ///
    /// It receives the version, the key, and the bytes of the value: JSON if the value was
    /// `Codable`.
    public typealias Migration =
        @Sendable (_ version: Int, _ key: Key, _ value: Data) throws -> Value

    /// The maximum number of bytes of an encoded value: 4 MiB.
    ///
    /// A write holds the lock of the writer, so larger values belong in files.
    package static var maximumValueByteCount: Int { 4 << 20 }

    /// Creates a table of values that are stored as JSON.
    ///
    /// Increase `version` if values of the earlier format cannot be decoded as `Value`: `migration`
    /// then converts them.
    public init(
        _ name: String, home: StoreTableHome = .kept, version: Int = 1,
        migration: Migration? = nil
    ) where Value: Codable {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.init(
            name, home, version: version, form: "json", migration,
            encode: { value, writer in
                try encoder.encode(value).withUnsafeBytes { writer.raw($0) }
            },
            decode: { try decoder.decode(Value.self, from: Data($0)) })
    }

    /// Creates a table of data, with the parameters of the initializer for `Codable` values.
    public init(
        _ name: String, home: StoreTableHome = .kept, version: Int = 1,
        migration: Migration? = nil
    ) where Value == Data {
        self.init(
            name, home, version: version, form: "data", migration,
            encode: { value, writer in value.withUnsafeBytes { writer.raw($0) } },
            decode: { Data($0) })
    }

    /// Creates a table of records, with the parameters of the initializer for `Codable` values.
    public init(
        _ name: String, home: StoreTableHome = .kept, version: Int = 1,
        migration: Migration? = nil
    ) where Value: Record {
        self.init(
            name, home, version: version, form: "record \(Value.schema.name)", migration,
            encode: { value, writer in value.withSerializedBytes { writer.raw($0) } },
            decode: { try Value(serialized: $0) })
    }

    init(
        _ name: String, _ home: StoreTableHome, version: Int, form: String,
        _ migration: Migration?, keyParts: [StoreKeyPart] = Key.keyParts,
        encode: @escaping @Sendable (Value, inout ByteWriter) throws -> Void,
        decode: @escaping @Sendable (UnsafeRawBufferPointer) throws -> Value
    ) {
        self.name = name
        self.home = home
        // The first byte of a definition is 0, and that of a row is not.
        self.version = min(max(version, 1), Int(UInt16.max))
        self.keyParts = keyParts
        self.form = form
        self.encode = encode
        self.decode = decode
        self.migration = migration
        rowPrefix = ByteWriter.key { $0.tableRowPrefix(name) }
    }
}

/// The database of a table's rows.
public enum StoreTableHome: Hashable, Sendable, CaseIterable {
    /// The database of the outbox.
    ///
    /// A row is on disk when the write returns. The rows stay until all data of the user is
    /// removed.
    case kept

    /// The database of the messages.
    ///
    /// A row is written in one commit with the batch's messages, and removed when the cache is
    /// cleared or replaced. If the keys begin with a ``/Models/ChannelURL``, the rows of a channel
    /// are removed with the channel, and when its messages are cleared or all of them are evicted.
    case cached
}

/// A range of the keys of a table.
public struct StoreKeyRange<Key: StoreKey>: Hashable, Sendable {
    /// Relative to the bytes of the table.
    var bytes: KeyRange

    /// Creates a range from a key, inclusive, to another one, exclusive; `nil` means no bound.
    public init(from lower: Key? = nil, to upper: Key? = nil) {
        bytes = KeyRange(lower?.keyBytes ?? [], upper?.keyBytes ?? KeyRange.all.upper)
    }

    package func contains(_ key: Key) -> Bool {
        let key = key.keyBytes
        return !key.precedes(bytes.lower) && key.precedes(bytes.upper)
    }

    private init(prefix: KeyBytes) { bytes = KeyRange(prefix: prefix) }

    /// All keys.
    public static var all: Self { Self() }

    /// Returns the range of the texts that begin with `text`.
    public static func beginning(with text: String) -> Self where Key == String {
        Self(prefix: KeyBytes(text.keyBytes.dropLast(2)))
    }

    /// Returns the range of the pairs with a first part.
    public static func beginning<First, Second>(
        with first: First
    ) -> Self where Key == Pair<First, Second> {
        Self(prefix: first.keyBytes)
    }

    /// Returns the range of the pairs with a first part, whose second part is a pair with a first
    /// part.
    public static func beginning<First, Second, Third>(
        with first: First, _ second: Second
    ) -> Self where Key == Pair<First, Pair<Second, Third>> {
        Self(prefix: Pair(first, second).keyBytes)
    }
}

/// Rows of a table, in the order of a read.
public struct StoreRows<Key: StoreKey, Value: Sendable>: RandomAccessCollection, Sendable {
    var rows: [(key: Key, value: Value)] = []

    /// The keys of the visited rows with undecodable values, and the errors.
    public internal(set) var unreadable: [(key: Key, error: StoreError)] = []

    /// The index of the first row: 0.
    public var startIndex: Int { 0 }

    /// The number of rows.
    public var endIndex: Int { rows.count }

    /// The row at an index.
    public subscript(index: Int) -> (key: Key, value: Value) { rows[index] }
}
