extension Record {
    /// Copies unknown fields that this copy of the record lacks.
    package mutating func copyUnknownFields(from other: Self) {
        let layout = Self.schema.layout
        fields.bytes.addMissing(from: other.fields.bytes) {
            layout.slot($0).check == .unknown
        }
    }

    /// Removes the fields that only newer versions of this code know.
    package mutating func removeUnknownFields() {
        let layout = Self.schema.layout
        fields.bytes = fields.bytes.keeping { layout.slot($0).check != .unknown }
    }
}
