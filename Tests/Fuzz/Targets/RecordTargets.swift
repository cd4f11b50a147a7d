import Foundation
import Models

extension FuzzTarget {
    /// Damaged bytes for every decoder: a byte for the type, then its record.
    ///
    /// A decoded record can be encoded to the same bytes, every property can be read, and JSON can
    /// represent it.
    static let records = FuzzTarget("Records") { input in
        guard let first = input.first else { return }
        let type = recordTypes[Int(first) % recordTypes.count]
        guard let record = try? type.init(serialized: Array(input[1...])) else { return }
        checkRecord(record)
    }

    /// Damaged JSON for every decoder: a byte for the type, then its JSON.
    ///
    /// A decoded record survives the binary form, and is a patch that can be applied twice.
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

    // JSON cannot represent some values, such as infinity, so encoding may fail. If it succeeds,
    // the JSON must be readable.
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
