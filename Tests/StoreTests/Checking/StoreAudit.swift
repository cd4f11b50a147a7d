import Models

@testable import Store

// Reads every row of both databases as bytes, and compares it with the other rows.

extension ChatStore {
    /// Returns the contradictions between rows.
    ///
    /// A consistent store has none.
    func contradictions() throws -> [String] {
        let view = try view
        return try view.cache.contradictionsOfCache() + view.outbox.contradictionsOfOutbox()
            + check().map(\.description)
    }
}

extension Rows {
    /// Returns the rows whose keys begin with `prefix`.
    fileprivate func rows(_ prefix: KeyBytes) throws -> [(key: KeyBytes, value: [UInt8])] {
        var rows: [(KeyBytes, [UInt8])] = []
        try scan(KeyRange(prefix: prefix)) { key, value in
            rows.append((Array(key), Array(value)))
            return true
        }
        return rows
    }

    fileprivate func contradictionsOfCache() throws -> [String] {
        var found: [String] = []
        var urls: [ChannelNumber: ChannelURL] = [:]
        for (key, value) in try rows([Table.name.rawValue]) {
            let url = ChannelURL(String(decoding: key.dropFirst(), as: UTF8.self))
            let number = try value.withBytes { bytes in
                try decode(bytes, as: "a number") {
                    (reader) throws(ByteReader.Damage) in try reader.integer(ChannelNumber.self)
                }
            }
            if let other = urls.updateValue(url, forKey: number) {
                found.append("\(number) is \(other) and \(url)")
            }
        }
        var named: [ChannelNumber: ChannelURL] = [:]
        for (key, value) in try rows([Table.url.rawValue]) {
            let number = try key.withBytes { try self.number(ofKey: $0) }
            named[number] = ChannelURL(String(decoding: value, as: UTF8.self))
        }
        if named != urls { found.append("names \(urls), but URLs \(named)") }
        let cleared = Set(
            try rows([Table.cleared.rawValue]).map { row in
                try row.key.withBytes { try self.number(ofKey: $0) }
            })
        if !cleared.isDisjoint(with: urls.keys) { found.append("\(cleared) are cleared and named") }

        for table in Table.ofChannels {
            for (key, _) in try rows([table.rawValue]) {
                let number = try key.withBytes { try self.number(ofKey: $0) }
                if urls[number] == nil && !cleared.contains(number) {
                    found.append("a row of \(table) under \(number), which is nothing")
                }
            }
        }
        for (number, url) in urls { found += try contradictions(of: url, number) }

        let next = try read(ByteWriter.key { $0.schemaKey(.nextNumber) }, as: "the next number") {
            (reader) throws(ByteReader.Damage) in try reader.integer(ChannelNumber.self)
        }
        if let greatest = (Array(urls.keys) + cleared).max(), greatest >= next ?? 0 {
            found.append("number \(greatest) would be given again")
        }
        return found
    }

    private func contradictions(of url: ChannelURL, _ number: ChannelNumber) throws -> [String] {
        var found: [String] = []
        var indexes: Set<[UInt8]> = []
        var count: Int64 = 0
        for (key, value) in try rows(ByteWriter.key { $0.table(.message, number) }) {
            count += 1
            let message: Message = try value.withBytes { try record($0, as: "a message") }
            let position = try key.withBytes { try ByteReader.position(ofMessageKey: $0) }
            if message.channelURL != url { found.append("\(message.channelURL) is under \(url)") }
            if message.position != position { found.append("\(position) has another's key") }
            let overlay = Overlay()
            overlay.putPlace(of: position, number)
            if let id = message.requestID {
                overlay.putRequest(id, of: position.messageID, number)
            }
            if let parentID = message.parentMessageID {
                overlay.putReply(to: parentID, at: position, number)
            }
            for kind in KindKey.all(of: message) {
                overlay.put { $0.kindKey(number, kind, position) }
            }
            overlay.forEachInOrderOfWriting { key, value in
                let row = Array(key) + [0xFF] + (value.map(Array.init) ?? [])
                if !indexes.insert(row).inserted { found.append("\(position) is there twice") }
            }
        }
        var actual: Set<[UInt8]> = []
        for table in [Table.creationTime, .request, .reply, .kind] {
            for (key, value) in try rows(ByteWriter.key { $0.table(table, number) }) {
                actual.insert(key + [0xFF] + value)
            }
        }
        let (missing, spare) = (indexes.subtracting(actual), actual.subtracting(indexes))
        if !missing.isEmpty { found.append("\(url) lacks \(missing.count) rows of indexes") }
        if !spare.isEmpty { found.append("\(url) has \(spare.count) rows of indexes too many") }
        let counted = try state(of: number)?.messageCount
        if counted != count {
            found.append("\(url) counts \(String(describing: counted)) messages of \(count)")
        }
        return found
    }

    fileprivate func contradictionsOfOutbox() throws -> [String] {
        var found: [String] = []
        var keys: [RequestID: [UInt8]] = [:]
        var greatest: UInt64 = 0
        for (key, value) in try rows([OutboxTable.outboxItem.rawValue]) {
            let item: OutboxItem = try value.withBytes { try record($0, as: "an item") }
            if !key.starts(with: ByteWriter.key { $0.outboxItemPrefix(item.channelURL) }) {
                found.append("outbox item \(item.requestID) is in another channel's place")
            }
            if keys.updateValue(Array(key.dropFirst()), forKey: item.requestID) != nil {
                found.append("outbox item \(item.requestID) is there twice")
            }
            greatest = max(greatest, key.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
        }
        var requests: [RequestID: [UInt8]] = [:]
        for (key, value) in try rows([OutboxTable.request.rawValue]) {
            requests[RequestID(String(decoding: key.dropFirst(), as: UTF8.self))] = value
        }
        if requests != keys { found.append("items \(keys.keys), but requests \(requests.keys)") }
        let next = try read(ByteWriter.key { $0.schemaKey(.nextNumber) }, as: "the next number") {
            (reader) throws(ByteReader.Damage) in try reader.integer(UInt64.self)
        }
        if !keys.isEmpty && greatest >= next ?? 0 {
            found.append("enqueue number \(greatest) would be given again")
        }
        return found
    }
}
