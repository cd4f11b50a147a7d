import Foundation
import Models

/// Feeds damaged bytes to every decoder: the first byte names the type, the others are its record.
///
/// What is decoded must be writable again, to the same bytes; every property must be readable; and
/// JSON must take it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzModels(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 0 else { return 0 }
    let input = UnsafeRawBufferPointer(start: start, count: count)
    let type = recordTypes[Int(input[0]) % recordTypes.count]
    guard let record = try? type.init(serialized: UnsafeRawBufferPointer(rebasing: input[1...]))
    else { return 0 }
    check(record)
    return 0
}

private func check<Root: Record>(_ record: Root) {
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
