import Models
import Store

extension ServerState {
    /// All rows of the server.
    func allRows() throws(BackendError) -> [Backup.Row] {
        var rows: [Backup.Row] = []
        try database.scan(KeyRange([], [0xFF])) { (key, value) throws(StoreError) in
            rows.append(Backup.Row(key: [UInt8](key), value: [UInt8](value)))
            return true
        }
        return rows
    }

    /// Puts the server back to what it was; the epoch is a new one.
    func restore(_ rows: [Backup.Row]) throws(BackendError) {
        let epoch = counters.epoch + 1
        try database.removeAll(KeyRange([], [0xFF]))
        for row in rows { database.put({ $0.raw(row.key) }, { $0.raw(row.value) }) }
        // In one batch with the rows, so that the old epoch never speaks of the new past.
        var restored = ServerCounters()
        if let row = rows.first(where: { $0.key == ByteWriter.key(ServerCounters.key) }) {
            restored = try database.read { (database) throws(StoreError) in
                try row.value.withBytes { (bytes) throws(StoreError) in
                    try database.decode(bytes, as: "the counters") {
                        (reader) throws(ByteReader.Damage) in try ServerCounters(&reader)
                    }
                }
            }
        }
        restored.epoch = epoch
        database.put(ServerCounters.key, restored.write)
        try database.commit()
        try load()
        for session in sessions.values {
            for number in session.entered.keys where channels[number] == nil {
                session.entered[number] = nil
            }
            session.resume(.lookAgain)
        }
    }
}

/// A server as it was at one moment.
public struct Backup: Sendable {
    struct Row: Sendable {
        var key: [UInt8]
        var value: [UInt8]
    }

    let rows: [Row]
}
