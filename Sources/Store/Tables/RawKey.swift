package import Foundation
import Models

// Tables whose types are known only from their definition, for the prompt and the inspector.

package struct RawKey: StoreKey {
    private let bytes: KeyBytes

    private init(bytes: KeyBytes) { self.bytes = bytes }

    package static func codeKey(_ key: RawKey?, with coder: inout StoreKeyCoder) -> RawKey? {
        coder.rest(key?.bytes).map { RawKey(bytes: $0) }
    }

    /// Creates a key, or its beginning, from parts in words; `nil` if one is no value of its type.
    package init?(_ words: [String], as types: [StoreKeyPart]) {
        guard words.count <= types.count else { return nil }
        var bytes: KeyBytes = []
        for (word, type) in zip(words, types) {
            let part: KeyBytes? =
                switch type {
                case .text: word.keyBytes
                case .channel: ChannelURL(word).keyBytes
                case .integer: Int64(word)?.keyBytes
                case .unsigned: UInt64(word)?.keyBytes
                case .time: Int64(word).map { Timestamp(milliseconds: $0).keyBytes }
                case .data: Data(hexadecimal: word)?.keyBytes
                case .bool: Bool(word)?.keyBytes
                }
            guard let part else { return nil }
            bytes += part
        }
        self.bytes = bytes
    }

    package var parts: [String] { bytes.keyParts }
}

extension Data {
    fileprivate init?(hexadecimal word: String) {
        let digits = Array(word.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        self.init()
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16) else { return nil }
            append(byte)
        }
    }
}

extension StoreTable where Key == RawKey, Value == Data {
    /// The values are the bytes on disk.
    package init(_ name: String, home: StoreTableHome, _ definition: TableDefinition) {
        self.init(
            name, home, version: definition.version, form: definition.form,
            { _, _, value in value }, keyParts: definition.keyParts,
            encode: { value, writer in value.withUnsafeBytes { writer.raw($0) } },
            decode: { Data($0) })
    }
}

extension TableDefinition {
    package init(jsonWithKeysOf parts: [StoreKeyPart]) {
        (version, keyParts, form) = (1, parts, "json")
    }
}

extension StoreReader {
    package func tables() throws(StoreError) -> [StoreTable<RawKey, Data>] {
        let view = try view
        var tables: [StoreTable<RawKey, Data>] = []
        for home in StoreTableHome.allCases {
            let rows = view.rows(of: home)
            for name in try rows.tableNames() {
                guard let definition = try rows.tableDefinition(name) else { continue }
                tables.append(StoreTable(name, home: home, definition))
            }
        }
        return tables
    }
}

extension StoreTable where Key == RawKey, Value == Data {
    package var definition: TableDefinition { TableDefinition(of: self) }
}
