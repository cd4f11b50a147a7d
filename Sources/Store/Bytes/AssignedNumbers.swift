import Models

extension FixedWidthInteger {
    /// The maximum of the ascending numbers that the store assigns, never reached in practice.
    static var maximumAssigned: Self { .max / 2 }

    static var assigned: ClosedRange<Self> { 1 ... .maximumAssigned }

    /// Returns the sum, limited to the type's range, for untrusted numbers, such as sizes of sparse
    /// files.
    package func saturating(adding other: Self) -> Self {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? (other < 0 ? .min : .max) : sum
    }
}

extension Rows {
    /// Returns the greatest number of a channel in any row, ignoring numbers that the store cannot
    /// have assigned.
    func greatestNumber() throws(StoreError) -> ChannelNumber {
        var greatest = try greatestNumber(in: Table.ofChannels + [.url, .cleared])
        try forEachRow(in: KeyRange(Table.name)) { _, value in
            guard let number = try? channelNumber(ofNameValue: value), number < .maximumAssigned
            else { return }
            greatest = max(greatest, number)
        }
        return greatest
    }

    /// Returns the greatest number in the keys of tables, ignoring numbers that the store cannot
    /// have assigned.
    func greatestNumber(in tables: [Table]) throws(StoreError) -> UInt32 {
        var greatest: UInt32 = 0
        for table in tables {
            try scan(KeyRange(table), isDescending: true) { key, _ in
                guard let number = readableNumber(ofKey: key), number < .maximumAssigned
                else { return true }
                greatest = max(greatest, number)
                return false
            }
        }
        return greatest
    }
}
