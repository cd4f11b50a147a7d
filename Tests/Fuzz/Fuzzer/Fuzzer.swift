import Foundation
import ScrollbackFuzzTargets

/// The target that the environment names; the arguments are libFuzzer's.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget.named(name) else {
        let names = FuzzTarget.all.map(\.name).joined(separator: ", ")
        fatalError("FUZZ_TARGET is '\(name)': use one of \(names)")
    }
    return target
}()

/// The function that libFuzzer, which brings the program's `main`, calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
