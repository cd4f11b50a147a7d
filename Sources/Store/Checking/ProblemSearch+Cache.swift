import Models

extension ProblemSearch {
    mutating func search(_ rows: Rows) throws(StoreError) {
        let channels = try searchNames(of: rows)
        try searchUnnamedRows(in: rows, channels)
        let next: ChannelNumber? = try readableNumber(.nextNumber, in: rows)
        if try rows.greatestNumber() >= next ?? 1 { add(.nextNumber) }
        for (number, url) in channels.sorted(by: { $0.key < $1.key }) {
            try searchMessages(of: url, number, in: rows)
            try searchIndexes(of: url, number, in: rows)
            try searchRanges(Gap.self, of: url, number, in: rows)
            try searchRanges(StaleRange.self, of: url, number, in: rows)
            try searchTombstones(of: url, number, in: rows)
            for table in [Table.groupChannel, .openChannel] {
                let key = ByteWriter.key { $0.table(table, number) }
                let found = try rows.withValue(of: key) { (value) throws(StoreError) in
                    value.map { table.channelURL(ofRow: $0) }
                }
                guard let found else { continue }
                if found != url { add(found == nil ? .unreadable : .key, in: url) }
            }
        }
        try searchUsers(of: rows)
        try searchSavedLists(of: rows)
    }

    mutating func readableNumber<Value: FixedWidthInteger>(
        _ row: SchemaRow, in rows: Rows
    ) throws(StoreError) -> Value? {
        try rows.withValue(of: ByteWriter.key { $0.schemaKey(row) }) {
            (value) throws(StoreError) -> Value? in
            guard let value else { return nil }
            var reader = ByteReader(value)
            let number: Value? = try? reader.integer()
            if number == nil || !reader.isAtEnd { add(.unreadable) }
            return number
        }
    }

    /// Compares the tables of channel URLs and numbers, and returns the channels on which they
    /// agree.
    private mutating func searchNames(
        of rows: Rows
    ) throws(StoreError) -> [ChannelNumber: ChannelURL] {
        var named: [ChannelNumber: ChannelURL] = [:]
        try rows.forEachRow(in: KeyRange(Table.url)) { key, value in
            var reader = ByteReader(value)
            if let number = rows.readableNumber(ofKey: key), key.count == Table.prefixSize,
                let url = try? reader.text()
            {
                named[number] = ChannelURL(url)
            } else {
                add(.unreadable)
            }
        }
        var channels: [ChannelNumber: ChannelURL] = [:]
        try rows.forEachRow(in: KeyRange(Table.name)) { key, value in
            guard let url = try? rows.channelURL(ofNameKey: key),
                let number = try? rows.channelNumber(ofNameValue: value)
            else { return add(.unreadable) }
            if named[number] == url { channels[number] = url } else { add(.channelNumber, in: url) }
        }
        for (number, url) in named where channels[number] == nil { add(.channelNumber, in: url) }
        return channels
    }

    private mutating func searchUnnamedRows(
        in rows: Rows, _ channels: [ChannelNumber: ChannelURL]
    ) throws(StoreError) {
        var cleared: Set<ChannelNumber> = []
        try rows.forEachRow(in: KeyRange(Table.cleared)) { key, _ in
            if let number = rows.readableNumber(ofKey: key) { cleared.insert(number) }
        }
        for number in cleared { if let url = channels[number] { add(.channelNumber, in: url) } }
        for table in Table.ofChannels {
            var (unnamed, unreadable) = (0, 0)
            try rows.forEachNumber(in: table) { number in
                if channels[number] == nil && !cleared.contains(number) { unnamed += 1 }
            } orDamaged: { _ in
                unreadable += 1
            }
            add(.unnamed, count: unnamed)
            add(.unreadable, count: unreadable)
        }
    }

    // MARK: Messages

    private mutating func searchMessages(
        of url: ChannelURL, _ number: ChannelNumber, in rows: Rows
    ) throws(StoreError) {
        var count: Int64 = 0
        try rows.forEachRow(in: KeyRange(.message, number)) { (key, value) throws(StoreError) in
            count += 1
            guard let position = try? ByteReader.position(ofMessageKey: key),
                let message = try? Message(serialized: value)
            else { return add(.unreadable, in: url) }
            guard message.position == position, message.channelURL == url else {
                return add(.key, in: url)
            }
            let id = position.messageID
            let createdAt = try rows.readable(
                ByteWriter.key { $0.creationTimeKey(number, id) }
            ) { (reader) throws(ByteReader.Damage) in try reader.timestamp() }
            if createdAt != position.createdAt {
                let isTwice = try createdAt.map { (time) throws(StoreError) in
                    let other = Position(createdAt: time, messageID: id)
                    return try rows.contains(ByteWriter.key { $0.messageKey(number, other) })
                }
                add(isTwice == true ? .duplicateMessage : .index, in: url)
            }
            if let requestID = message.requestID, requestID.rawValue.utf8.count <= Limits.nameSize,
                try rows.readable(
                    ByteWriter.key { $0.requestKey(number, requestID) },
                    { (reader) throws(ByteReader.Damage) in try reader.text() }) == nil
            {
                add(.index, in: url)
            }
            if let parentID = message.parentMessageID {
                let key = ByteWriter.key { $0.replyKey(number, parentID, position) }
                if try !rows.contains(key) { add(.index, in: url) }
            }
            for kind in KindKey.all(of: message) {
                let key = ByteWriter.key { $0.kindKey(number, kind, position) }
                if try !rows.contains(key) { add(.index, in: url) }
            }
        }
        let state = try rows.withValue(of: ByteWriter.key { $0.table(.state, number) }) {
            (value) throws(StoreError) in value.map { try? rows.state($0) }
        }
        if let state, state == nil { return add(.unreadable, in: url) }
        if state??.messageCount != count { add(.messageCount, in: url) }
    }

    /// Finds index rows whose message is missing or does not match.
    private mutating func searchIndexes(
        of url: ChannelURL, _ number: ChannelNumber, in rows: Rows
    ) throws(StoreError) {
        func scan(
            _ table: Table,
            _ leads: (inout ByteReader, UnsafeRawBufferPointer) throws -> Bool
        ) throws(StoreError) -> Int {
            var wrong = 0
            try rows.forEachRow(in: KeyRange(table, number)) { (key, value) throws(StoreError) in
                var reader = ByteReader(key.afterChannelNumber)
                do {
                    if try !leads(&reader, value) { wrong += 1 }
                } catch let error as StoreError where error.code != .corruption {
                    throw error
                } catch {
                    wrong += 1
                }
            }
            return wrong
        }
        func message(_ position: Position) throws(StoreError) -> Message? {
            try rows.readableRecord(ByteWriter.key { $0.messageKey(number, position) })
        }
        let wrongTimes = try scan(.creationTime) { reader, value in
            var time = ByteReader(value)
            let position = Position(
                createdAt: try time.timestamp(), messageID: MessageID(try reader.text()))
            try time.end()
            return try rows.contains(ByteWriter.key { $0.messageKey(number, position) })
        }
        let wrongRequests = try scan(.request) { reader, value in
            var id = ByteReader(value)
            let (requestID, messageID) = (RequestID(try reader.text()), MessageID(try id.text()))
            try id.end()
            guard let createdAt = try rows.creationTime(of: messageID, in: number) else {
                return false
            }
            return try message(Position(createdAt: createdAt, messageID: messageID))?.requestID
                == requestID
        }
        let wrongReplies = try scan(.reply) { reader, _ in
            let parentID = MessageID(try reader.measured())
            let position = try reader.descendingPosition()
            try reader.end()
            return try message(position)?.parentMessageID == parentID
        }
        let wrongKinds = try scan(.kind) { reader, _ in
            let kind = try KindKey(&reader)
            let position = try reader.descendingPosition()
            try reader.end()
            return try message(position).map { KindKey.all(of: $0).contains(kind) } ?? false
        }
        add(.index, in: url, count: wrongTimes + wrongRequests + wrongReplies + wrongKinds)
    }

    // MARK: The rest of a channel

    private mutating func searchRanges<Value: HistoryRange>(
        _ type: Value.Type, of url: ChannelURL, _ number: ChannelNumber, in rows: Rows
    ) throws(StoreError) {
        var last: Value?
        try rows.forEachRow(in: KeyRange(Value.table, number)) { key, value in
            if key.isEmptyEnd(value) { return }
            guard let range: Value = try? rows.range(key, value, of: url) else {
                return add(.unreadable, in: url)
            }
            if let last, range.lower < last.upper { add(.overlap, in: url) }
            last = range
        }
    }

    private mutating func searchTombstones(
        of url: ChannelURL, _ number: ChannelNumber, in rows: Rows
    ) throws(StoreError) {
        try rows.forEachRow(in: KeyRange(.tombstone, number)) { key, value in
            if (try? rows.tombstone(key, value, in: url)) == nil { add(.unreadable, in: url) }
        }
    }

    // MARK: The rest of the cache

    private mutating func searchUsers(of rows: Rows) throws(StoreError) {
        try rows.forEachRow(in: KeyRange(Table.user)) { key, value in
            let id = try? rows.text(ofKey: key, as: "a user's id")
            let user = try? User(serialized: value)
            if id == nil || user == nil {
                add(.unreadable)
            } else if user?.userID.rawValue != id {
                add(.key)
            }
        }
    }

    private mutating func searchSavedLists(of rows: Rows) throws(StoreError) {
        for saved in try rows.savedLists().beginnings {
            guard let numbers = saved.numbers else { continue }
            let list = try SortedKeys(rows, by: saved.sorting)
            if numbers != SavedLists.beginning(of: list) { add(.savedList) }
        }
    }
}

extension Table {
    fileprivate func channelURL(ofRow value: UnsafeRawBufferPointer) -> ChannelURL? {
        switch self {
        case .groupChannel: (try? GroupChannel(serialized: value))?.url
        case .openChannel: (try? OpenChannel(serialized: value))?.url
        default: nil
        }
    }
}
