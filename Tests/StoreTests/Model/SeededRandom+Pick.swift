import ScrollbackTesting

extension SeededRandom {
    /// Returns one of some values.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[number(below: values.count)] }
}
