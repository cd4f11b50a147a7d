extension Record {
    /// Copies fields that this version of the code does not know from `other`, another copy of the
    /// record.
    ///
    /// Unknown fields that this copy already has are not replaced.
    /// - Complexity: O(*f*) in the number of fields, and a copy of the bytes for each copied field.
    package mutating func copyUnknownFields(from other: Self) {
        let layout = Self.schema.layout
        for number in other.fields.bytes.numbers
        where layout.slot(number).check == .unknown && fields.bytes.location(of: number) == nil {
            fields.bytes.copyField(number, from: other.fields.bytes)
        }
    }
}
