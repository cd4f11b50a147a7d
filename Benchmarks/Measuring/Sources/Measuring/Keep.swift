public import CAllocations

/// Has a value computed, though nobody uses it.
@inlinable @inline(__always)
public func keep<Value>(_ value: Value) {
    withUnsafePointer(to: value) { keep_pointer($0) }
}
