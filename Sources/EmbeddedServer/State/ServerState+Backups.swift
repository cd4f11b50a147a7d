import Models
import Store

extension ServerState {
    func allRows() throws(BackendError) -> [Backup.Row] {
        var rows: [Backup.Row] = []
        try database.scan(.all) { (key, value) throws(StoreError) in
            rows.append(Backup.Row(key: [UInt8](key), value: [UInt8](value)))
            return true
        }
        return rows
    }

    func restore(_ rows: [Backup.Row]) throws(BackendError) {
        try database.removeAll(.all)
        for row in rows { database.put({ $0.raw(row.key) }, { $0.raw(row.value) }) }
        // The restored data must never have the old epoch.
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
        restored.epoch = newEpoch(
            (max(counters.epoch, restored.epoch) >> 32) + 1,
            of: [
                counters.epoch, counters.sequence, counters.nextMessage, restored.epoch,
                restored.sequence,
            ])
        database.put(ServerCounters.key, restored.write)
        try database.commit()
        let entered = clearSessionState()
        try load()
        for (client, urls) in entered {
            guard let session = sessions[client] else { continue }
            enter(urls, session)
            session.resume(.checkAgain)
        }
    }

    /// Clears the in-memory state of channels: their numbers may be reused.
    private func clearSessionState() -> [Int: [ChannelURL]] {
        var entered: [Int: [ChannelURL]] = [:]
        for (client, session) in sessions {
            entered[client] = session.entered.keys.compactMap { channels[$0]?.url }
            session.entered = [:]
            session.typingChanged = []
            session.openChannelsChanged = []
            session.participantsChanged = [:]
        }
        for channel in channels.values {
            channel.participants = [:]
            channel.typing = []
        }
        return entered
    }

    private func enter(_ urls: [ChannelURL], _ session: Session) {
        for url in urls {
            guard let number = numbers[url], let channel = channels[number], channel.isOpen,
                channel.restriction(.banned, of: session.userID, at: now()) == nil
            else { continue }
            session.entered[number] = counters.sequence
            session.openChannelsChanged.insert(number)
            channel.participants[session.userID, default: 0] += 1
        }
    }
}

/// A copy of a server's data at a point in time.
public struct Backup: Sendable {
    struct Row: Sendable {
        var key: [UInt8]
        var value: [UInt8]
    }

    let rows: [Row]
}
