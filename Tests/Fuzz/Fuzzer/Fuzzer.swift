import Foundation
import ScrollbackFuzzTargets

/// The target that `FUZZ_TARGET` in the environment names.
///
/// The program's arguments are libFuzzer's.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.named(name) else {
        let names = FuzzTarget.all.map(\.name).joined(separator: ", ")
        fatalError("FUZZ_TARGET is '\(name)': use one of \(names)")
    }
    return target
}()

/// Runs one input.
///
/// This function is called by libFuzzer, which contains the program's `main`.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
