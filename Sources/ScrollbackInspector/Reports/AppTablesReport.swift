import Foundation
import Models
import Store

struct AppTableReport: Encodable, Sendable {
    var name: String
    var home: String
    /// The types of the parts of its keys, separated by spaces.
    var keys: String
    var rows: Int

    static func all(in reader: Snapshot) throws(StoreError) -> [AppTableReport] {
        var reports: [AppTableReport] = []
        for table in try reader.tables() {
            reports.append(
                AppTableReport(
                    name: table.name, home: "\(table.home)",
                    keys: table.definition.keyDescription, rows: try reader.count(in: table)))
        }
        return reports
    }
}

struct AppRowsReport: Encodable, Sendable {
    struct Row: Encodable, Sendable {
        var key: String
        var value: String
    }

    var rows: [Row] = []

    static let limit = 100

    init(of name: String, in reader: Snapshot, _ mask: TextMask) throws(StoreError) {
        guard let table = try reader.tables().first(where: { $0.name == name }) else { return }
        rows = try reader.values(in: table, limit: Self.limit).map { key, value in
            let text =
                table.definition.form == "json"
                ? String(decoding: value, as: UTF8.self) : "\(value.count) bytes"
            let parts = zip(table.definition.keyParts, key.parts).map { type, part in
                type == .text || type == .data ? mask.shown(part) : part
            }
            return Row(key: parts.joined(separator: ", "), value: mask.shown(text))
        }
    }
}
