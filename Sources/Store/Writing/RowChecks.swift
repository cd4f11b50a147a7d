import Models

extension Overlay {
    /// Asserts that the reader of each row can read its key and value, and would write them alike.
    func assertReadable(in database: RowDescription.Database) {
        assert(
            firstUnreadableRow(in: database) == nil,
            "A row cannot be read: \(firstUnreadableRow(in: database) ?? "")")
    }

    private func firstUnreadableRow(in database: RowDescription.Database) -> String? {
        guard !mayContainDamage else { return nil }
        var found: String?
        forEachInOrderOfWriting { key, value in
            guard found == nil, let value else { return }
            do {
                try database.check(key, value)
            } catch {
                found = "\(key.hexadecimal): \(error)"
            }
        }
        return found
    }
}

extension RowDescription.Database {
    fileprivate func check(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws {
        guard let table = table(key.first) else {
            throw ByteReader.Damage(offset: 0, expected: "the letter of a table")
        }
        var reader = ByteReader(key)
        _ = try reader.byte()
        _ = try table.parts(&reader)
        try reader.end()
        if case .record(let record) = try table.content(value),
            !record.serializedBytes.elementsEqual(value)
        {
            throw ByteReader.Damage(offset: 0, expected: "\(record) as its fields write it")
        }
    }
}
