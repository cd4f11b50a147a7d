import ScrollbackTesting

extension SeededRandom {
    /// One of some values.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[number(below: values.count)] }
}
