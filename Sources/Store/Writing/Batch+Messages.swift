public import Models

extension Batch {
    /// Saves a message that the server has accepted, replacing the one with the same ID.
    ///
    /// An unchanged message is not saved. A gap that contains the message stays.
    ///
    /// `replaces` receives the stored message and returns whether to replace it, which saves the
    /// caller a lookup. The result indicates whether the message was saved.
    ///
    /// - Throws: `invalid` if the message has no ID (unsent messages belong in a
    ///   ``/Models/OutboxItem``) or no channel, or if its ID, channel or parent's ID is longer than
    ///   65,535 bytes.
    /// - Complexity: Two lookups for a stored message, three if its request ID has changed; one for
    ///   a new message. No lookup if the ID precedes or follows all IDs of its channel in byte
    ///   order, unless the message is the first new one of the channel since the store was opened.
    @discardableResult
    public func save(
        _ message: Message, source: CollectionEventSource? = nil,
        replaces: (_ stored: Message) -> Bool = { _ in true }
    ) throws(StoreError) -> Bool {
        try save(message, source: source, over: { replaces($0) ? message : nil }) != nil
    }

    /// Saves a message, or what `merge` returns for the stored one, and returns the saved message;
    /// `nil` if nothing has changed.
    ///
    /// `merge` returns a message with the same ID, or `nil` to change nothing. It is not called for
    /// an equal message.
    @discardableResult
    package func save(
        _ message: Message, source: CollectionEventSource? = nil,
        over merge: (Message) -> Message?
    ) throws(StoreError) -> Message? {
        guard let position = message.position else {
            throw StoreError(
                .invalid, "the message has no id: an unsent message belongs in an outbox item",
                path: cache.path)
        }
        try checkName(position.messageID.rawValue, "the id of a message")
        if let parentID = message.parentMessageID {
            try checkName(parentID.rawValue, "the id of a parent message")
        }
        var old: Message?
        let saved = try whole { () throws(StoreError) in
            try save(message, position.messageID) { stored in
                old = stored
                return merge(stored)
            }
        }
        if let saved, !(old.map { saved.differsOnlyInReactionTimes(from: $0) } ?? false) {
            record(.savedMessage(saved), source)
        }
        return saved
    }

    private func save(
        _ incoming: Message, _ id: MessageID, over resolve: (Message) -> Message?
    ) throws(StoreError) -> Message? {
        let number = try number(assigningTo: incoming.channelURL)
        let mayBeStored = mayHold(id, in: number)
        let old = try stored(id, in: number, mayBeStored: mayBeStored)
        var message = incoming
        if let stored = old?.message {
            if stored == incoming { return nil }
            guard let resolved = resolve(stored), resolved != stored else { return nil }
            message = resolved
        }
        let position = Position(createdAt: message.createdAt, messageID: id)
        let requestID = message.requestID
        let parentID = message.parentMessageID
        let oldRequestID =
            old?.requestID == requestID ? nil : try old?.ownRequestID(in: cache, number)
        if let old, old.position != position {
            rows.cache.remove { $0.messageKey(number, old.position) }
        }
        rows.cache.put(
            { $0.messageKey(number, position) },
            { writer in message.withSerializedBytes { writer.raw($0) } })
        if old?.position != position {
            rows.cache.putPlace(of: position, number)
            if old == nil { recordPut(id, in: number) }
        }
        if let oldRequestID { rows.cache.remove { $0.requestKey(number, oldRequestID) } }
        if let requestID, requestID != old?.requestID {
            rows.cache.putRequest(requestID, of: position.messageID, number)
        }
        if old?.parentID != parentID || old?.position != position {
            if let old, let parentID = old.parentID {
                rows.cache.remove { $0.replyKey(number, parentID, old.position) }
            }
            if let parentID { rows.cache.putReply(to: parentID, at: position, number) }
        }
        updateKinds(from: old, to: message, at: position, number)
        if old == nil { try count(1, in: number) }
        if index != nil {
            if let last = savedMessages.last, last.channel == number, last.message.messageID == id {
                savedMessages.removeLast()
            }
            savedMessages.append((message, number))
        }
        return message
    }

    /// Removes a message, and returns whether it was stored.
    @discardableResult
    public func removeMessage(
        _ id: MessageID, in url: ChannelURL, source: CollectionEventSource? = nil
    ) throws(StoreError) -> Bool {
        guard let number = try number(of: url), let old = try stored(id, in: number) else {
            return false
        }
        let requestID = try old.ownRequestID(in: cache, number)
        try whole { () throws(StoreError) in
            remove(old, requestID, number)
            try count(-1, in: number)
        }
        record(.removedMessage(id, at: old.position, in: url), source)
        return true
    }

    /// Removes the messages in a closed range of positions, without changing the gaps, and returns
    /// their number.
    ///
    /// To fetch the messages again, open a gap. All removed messages are in memory at the same
    /// time.
    @discardableResult
    package func removeMessages(
        in url: ChannelURL, from first: Gap.Bound = .beginning, through last: Gap.Bound = .end,
        source: CollectionEventSource? = nil
    ) throws(StoreError) -> Int {
        guard let number = try number(of: url), first <= last, first < .end, .beginning < last
        else { return 0 }
        let range = KeyRange.messages(
            of: number, from: first, includesLower: true, to: last, includesUpper: true)
        var removed: [StoredMessage] = []
        let cache = cache
        try cache.forEachRow(in: range) { (key, value) throws(StoreError) in
            removed.append(try cache.storedMessage(key, value))
        }
        if removed.isEmpty { return 0 }
        try whole { () throws(StoreError) in try remove(removed, number) }
        record(.removedMessages(in: url, from: first, through: last), source)
        return removed.count
    }

    private func remove(
        _ messages: [StoredMessage], _ number: ChannelNumber
    ) throws(StoreError) {
        let cache = cache
        for message in messages {
            remove(message, try message.ownRequestID(in: cache, number), number)
        }
        try count(-Int64(messages.count), in: number)
    }

    /// Removes at most `count` of the oldest messages of a channel, and returns their number.
    ///
    /// The call opens a gap from the start of the history to the oldest remaining message, or to
    /// the end.
    ///
    /// - Complexity: O(*n*) in the removed messages, in time and in memory.
    @discardableResult
    public func evictOldestMessages(
        _ count: Int, in url: ChannelURL, source: CollectionEventSource = .cacheEvicted
    ) throws(StoreError) -> Int {
        try evictOldestMessages(count, in: url, from: .beginning, source: source).removed
    }

    /// Removes at most `count` of the oldest messages, and returns their number and the position of
    /// the oldest remaining message; `end` if none remains.
    ///
    /// `first` is the previous call's `left`, so that the scan does not skip removed rows.
    package func evictOldestMessages(
        _ count: Int, in url: ChannelURL, from first: Gap.Bound,
        source: CollectionEventSource = .cacheEvicted
    ) throws(StoreError) -> (removed: Int, left: Gap.Bound) {
        guard count > 0, let number = try number(of: url) else { return (0, first) }
        let stored = Int(clamping: try state(of: number).messageCount)
        let takesAll = stored <= count
        var removed: [StoredMessage] = []
        var oldestLeft: Gap.Bound = .end
        let cache = cache
        // A scan beyond the end of the channel would continue over removed rows of its neighbors.
        // If no message remains, scan from the newest one, and stop at the last one.
        let range = KeyRange.messages(of: number, from: first, includesLower: true, to: .end)
        try cache.scan(range, isDescending: !takesAll) { (key, value) throws(StoreError) in
            if removed.count == count {
                oldestLeft = .position(try cache.position(ofMessageKey: key))
                return false
            }
            removed.append(try cache.storedMessage(key, value))
            return !takesAll || removed.count < stored
        }
        let newest = takesAll ? removed.first : removed.last
        guard let newest else { return (0, oldestLeft) }
        let end = oldestLeft
        try whole { () throws(StoreError) in
            // If opening the gap fails, no message was removed yet.
            try openGap(in: url, to: end, removing: newest.position)
            try remove(removed, number)
            if end == .end { try removeRows(of: url) }
        }
        record(.removedMessages(in: url, from: first, through: .position(newest.position)), source)
        return (removed.count, end)
    }

    /// Removes all messages and stale ranges of a channel, so that its history is one gap.
    ///
    /// The channel itself, its outbox items and its tombstones are kept. For a channel without
    /// stored data, the call has no effect.
    ///
    /// - Throws: `invalid` after four billion clearings, when all channel numbers are used.
    /// - Complexity: O(*t*) in the tombstones. All other rows are hidden immediately, and are
    ///   removed from the disk by this and later commits.
    public func clearMessages(
        in url: ChannelURL, source: CollectionEventSource = .cacheCleared
    ) throws(StoreError) {
        guard let old = try number(of: url) else { return }
        try whole { () throws(StoreError) in
            let number = try renumber(url, from: old)
            record(.clearedMessages(in: url), source)
            try putGap(Gap(in: url), number)
            try removeRows(of: url)
        }
    }
}

// MARK: Stored messages

/// A stored message, from which its index rows are derived.
struct StoredMessage {
    let position: Position
    let message: Message

    var requestID: RequestID? { message.requestID }
    var parentID: MessageID? { message.parentMessageID }

    /// Returns the request ID of the message; `nil` if a later message has the same request ID.
    func ownRequestID(
        in cache: Rows, _ number: ChannelNumber
    ) throws(StoreError) -> RequestID? {
        guard let requestID,
            try cache.messageID(ofRequest: requestID, in: number) == position.messageID
        else { return nil }
        return requestID
    }
}

extension Rows {
    func storedMessage(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(StoreError) -> StoredMessage {
        StoredMessage(
            position: try position(ofMessageKey: key),
            message: try record(value, as: Rows.messageName(key)))
    }

    func position(ofMessageKey key: UnsafeRawBufferPointer) throws(StoreError) -> Position {
        do throws(ByteReader.Damage) {
            return try ByteReader.position(ofMessageKey: key)
        } catch {
            throw StoreError(
                .corruption, "the key of a message is damaged: \(error)", path: path, cause: error)
        }
    }
}

extension Batch {
    /// If `mayBeStored` is false, only the writes of the batch are read.
    fileprivate func stored(
        _ id: MessageID, in number: ChannelNumber, mayBeStored: Bool = true
    ) throws(StoreError) -> StoredMessage? {
        guard mayBeStored || !rows.cache.isEmpty,
            let createdAt = try cache.creationTime(of: id, in: number, mayBeStored: mayBeStored)
        else { return nil }
        let position = Position(createdAt: createdAt, messageID: id)
        let key = ByteWriter.key { $0.messageKey(number, position) }
        return try cache.withValue(of: key) { (value) throws(StoreError) -> StoredMessage? in
            guard let value else { return nil }
            return try key.withBytes { (key) throws(StoreError) in
                try cache.storedMessage(key, value)
            }
        }
    }

    fileprivate func remove(
        _ message: StoredMessage, _ requestID: RequestID?, _ number: ChannelNumber
    ) {
        let position = message.position
        rows.cache.remove { $0.messageKey(number, position) }
        rows.cache.remove { $0.creationTimeKey(number, position.messageID) }
        if let requestID { rows.cache.remove { $0.requestKey(number, requestID) } }
        if let parentID = message.parentID {
            rows.cache.remove { $0.replyKey(number, parentID, position) }
        }
        updateKinds(from: message, to: nil, at: position, number)
    }
}

extension Message {
    fileprivate func differsOnlyInReactionTimes(from earlier: Message) -> Bool {
        reactionHistory != earlier.reactionHistory
            && withoutReactionTimes == earlier.withoutReactionTimes
    }
}
