extension Record {
    /// Copies unknown fields that this copy of the record lacks.
    package mutating func copyUnknownFields(from other: Self) {
        let layout = Self.schema.layout
        for number in other.fields.bytes.numbers
        where layout.slot(number).check == .unknown && fields.bytes.location(of: number) == nil {
            fields.bytes.copyField(number, from: other.fields.bytes)
        }
    }
}
