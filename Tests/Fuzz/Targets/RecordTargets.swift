import Foundation
import Models

extension FuzzTarget {
    /// Damaged bytes for every decoder: the first byte names the type, the others are its record.
    ///
    /// What is decoded must be writable again, to the same bytes; every property must be readable; and
    /// JSON must take it.
    static let records = FuzzTarget("Records") { input in
        guard let first = input.first else { return }
        let type = recordTypes[Int(first) % recordTypes.count]
        guard let record = try? type.init(serialized: Array(input[1...])) else { return }
        checkRecord(record)
    }

    /// Damaged JSON for every decoder: the first byte names the type, the others are its JSON.
    ///
    /// What is decoded must survive the binary form, and is a patch that may be applied twice.
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

    // JSON has no word for some values, such as infinity; what it writes it must read.
    guard let json = try? JSONEncoder().encode(record) else { return }
    do {
        _ = try JSONDecoder().decode(Root.self, from: json)
    } catch {
        preconditionFailure("JSON that was written cannot be read: \(error)")
    }
}

/// Reads every property, in every nested record.
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
