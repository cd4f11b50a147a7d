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
    /// Returns the greatest number in any row that the store can have assigned.
    func greatestNumber() throws(StoreError) -> ChannelNumber {
        var greatest: ChannelNumber = 0
        func add(_ number: ChannelNumber?) -> Bool {
            guard let number, number < .maximumAssigned else { return false }
            greatest = max(greatest, number)
            return true
        }
        for table in Table.ofChannels + [.url, .cleared] {
            try scan(KeyRange(prefix: [table.rawValue]), isDescending: true) {
                (key, _) throws(StoreError) in !add(readableNumber(ofKey: key))
            }
        }
        try scan(KeyRange(prefix: [Table.name.rawValue])) { (_, value) throws(StoreError) in
            _ = add(try? channelNumber(ofNameValue: value))
            return true
        }
        return greatest
    }
}
