public import CAllocations

/// Prevents the optimizer from removing the computation of a value.
@inlinable @inline(__always)
public func keep<Value>(_ value: Value) {
    withUnsafePointer(to: value) { keep_pointer($0) }
}
