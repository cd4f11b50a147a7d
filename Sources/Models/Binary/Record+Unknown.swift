extension Record {
    /// Takes over the fields that only a newer version knows from another copy of the record, but
    /// for those that this copy has too.
    ///
    /// - Complexity: O(*f*) in the fields, and a copy of the bytes for each field that is taken.
    package mutating func takeUnknownFields(of other: Self) {
        let layout = Self.schema.layout
        for number in other.fields.bytes.numbers
        where layout.slot(number).check == .unknown && fields.bytes.place(of: number) == nil {
            fields.bytes.take(number, from: other.fields.bytes)
        }
    }
}
