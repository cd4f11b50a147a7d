import Foundation
import Models

extension FuzzTarget {
    /// Damaged bytes for every decoder.
    ///
    /// The input is a byte for the type, and then the bytes of its record.
    ///
    /// If the bytes can be decoded, encoding must return the same bytes, every property must be
    /// readable, and JSON must represent the record.
    static let records = FuzzTarget("Records") { input in
        guard let first = input.first else { return }
        let type = recordTypes[Int(first) % recordTypes.count]
        guard let record = try? type.init(serialized: Array(input[1...])) else { return }
        checkRecord(record)
    }

    /// Damaged JSON for every decoder.
    ///
    /// The input is a byte for the type, and then its JSON.
    ///
    /// If the JSON can be decoded, the record must survive the binary form, and must be usable as a
    /// patch that can be applied twice.
    static let json = FuzzTarget("JSON") { input in
        guard let first = input.first else { return }
        let type: any Record.Type = recordTypes[Int(first) % recordTypes.count]
        checkJSON(type, Data(input[1...]))
    }
}

private func checkRecord<Root: Record>(_ record: Root) {
    let again = try? Root(serialized: record.serialize())
    precondition(again == record, "The bytes of a record are not read as the record.")
    precondition(again?.serialize() == record.serialize(), "Equal records have different bytes.")
    read(record)

    // Encoding fails if the record has a value that JSON cannot represent, such as infinity. If
    // encoding succeeds, the JSON must be readable.
    guard let json = try? JSONEncoder().encode(record) else { return }
    do {
        _ = try JSONDecoder().decode(Root.self, from: json)
    } catch {
        preconditionFailure("JSON that was written cannot be read: \(error)")
    }
}

/// Reads every property of a record and of its nested records.
private func read(_ value: Any) {
    for child in Mirror(reflecting: value).children { read(child.value) }
}

private func checkJSON<Root: Record>(_ root: Root.Type, _ json: Data) {
    guard let record = try? JSONDecoder().decode(root, from: json) else { return }
    let again = try? Root(serialized: record.serialize())
    precondition(again == record, "The bytes of a record are not read as the record.")

    guard let patch = try? JSONDecoder().decode(Patch<Root>.self, from: json) else {
        preconditionFailure("A record's JSON is not that of a patch.")
    }
    var (once, twice) = (Root(), Root())
    patch.apply(to: &once)
    patch.apply(to: &twice)
    patch.apply(to: &twice)
    precondition(once == twice, "A patch that is applied twice does something else.")
}
