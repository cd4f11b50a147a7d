import Foundation
import Models

/// Feeds damaged JSON to every decoder: the first byte names the type, the others are its JSON.
///
/// What is decoded must survive the binary form.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 0 else { return 0 }
    let input = UnsafeBufferPointer(start: start, count: count)
    let root = recordTypes[Int(input[0]) % recordTypes.count]
    check(root, Data(input[1...]))
    return 0
}

private func check<Root: Record>(_ root: Root.Type, _ json: Data) {
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
