import Foundation
import Models
import Store

// Rows that can be decoded, but contradict each other.
extension Matrix {
    /// Makes rows of the cache contradict each other, by one change in each copy of a device.
    func contradict(_ outcome: inout Outcome) async throws {
        try await withDirectory { directory in
            let template = try await template(in: directory)
            let cache = "device/cache"
            for change in try contradictions(in: directory.appending(path: cache).path) {
                try await withDirectory(copying: directory) { copy in
                    let database = try LevelDB(at: copy.appending(path: cache).path)
                    try database.write(change, isDurable: true)
                    database.close()
                    try await survive(in: copy, template, .contradictoryRows, &outcome)
                }
            }
        }
    }

    /// Returns changes to the rows of each table.
    ///
    /// They remove a row, give it the value of another row, or duplicate it.
    private func contradictions(in path: String) throws -> [Overlay] {
        let database = try LevelDB(at: path)
        defer { database.close() }
        let rows = Rows(try database.snapshot(), nil)
        var changes: [Overlay] = []
        func add(_ change: (Overlay) -> Void) {
            let overlay = Overlay()
            change(overlay)
            changes.append(overlay)
        }
        for table in "milnpkrgc".utf8 {
            var first: [(key: [UInt8], value: [UInt8])] = []
            try rows.scan(KeyRange(prefix: [table])) { (key, value) throws(StoreError) in
                // A gap in place of a row without one contradicts nothing.
                if table == UInt8(ascii: "g") && value.isEmpty { return true }
                first.append((Array(key), Array(value)))
                return first.count < 2
            }
            guard first.count == 2 else { continue }
            // The removal of a gap cannot be detected, because a range without a gap counts as
            // complete. The removal of a channel row cannot be detected either, because each of
            // these rows has its own count.
            if table != UInt8(ascii: "g") && table != UInt8(ascii: "c") {
                add { $0.remove { $0.raw(first[0].key) } }
            }
            if table != UInt8(ascii: "k") && first[0].value != first[1].value {
                add { $0.put({ $0.raw(first[0].key) }, { $0.raw(first[1].value) }) }
            }
            add { batch in
                var key = first[0].key
                key[key.count - 1] ^= 0x40
                batch.put({ $0.raw(key) }, { $0.raw(first[0].value) })
            }
        }
        // Set the row with the number of the next channel to a number that is already used.
        add { $0.put({ $0.raw(Array("sn".utf8)) }, { $0.raw([0, 0, 0, 1]) }) }
        return changes
    }

    /// Detects the contradictions of an open device, whose engine then replaces the cache.
    func check(_ world: World, _ outcome: inout Outcome) throws {
        let problems = try world.store?.check() ?? []
        if problems.isEmpty { outcome.violations.append("a contradiction was not found") }
        outcome.record(call: "`check`")
    }
}
