public import Models

extension Batch {
    /// Saves a message that the server has, instead of what was there under its id.
    ///
    /// Covers nothing: whether messages around it are missing is what gaps say.
    ///
    /// - Parameters:
    ///   - message: The message. One that is there already, byte by byte, changes nothing.
    ///   - source: Why, for those who observe.
    ///   - replaces: Whether it replaces the one that is held under its id. The default is yes; a
    ///     version rule goes here, since what is held is read anyway.
    /// - Returns: Whether it was saved.
    /// - Throws: ``StoreError`` with code `invalid` if the message has no id or no channel (what is not
    ///   sent yet belongs in a ``/Models/Draft``), or if one of the two, or its parent's id, is longer
    ///   than 65,535 bytes; `io`, or `corruption` if a row that leads to the held one is damaged.
    /// - Complexity: Two lookups for a message that was there, three where its request changed; one for a new
    ///   one. None where its id orders, byte by byte, behind or before all of its channel, once the store
    ///   knows those ends: at once in a new channel, else after eight new messages.
    @discardableResult
    public func save(
        _ message: Message, source: CollectionEventSource? = nil,
        replaces: (_ held: Message) -> Bool = { _ in true }
    ) throws(StoreError) -> Bool {
        try save(message, source: source, over: { replaces($0) ? message : nil }) != nil
    }

    /// Saves a message that the server has, or what becomes of it and the one that is held.
    ///
    /// - Parameters:
    ///   - message: The message, if none is held under its id.
    ///   - source: Why, for those who observe.
    ///   - held: What is saved instead of the one that is held: under the same id; `nil` to leave it.
    /// - Returns: What was saved; `nil` if nothing was.
    /// - Throws: As ``save(_:source:replaces:)``.
    @discardableResult
    package func save(
        _ message: Message, source: CollectionEventSource? = nil,
        over held: (Message) -> Message?
    ) throws(StoreError) -> Message? {
        guard let position = message.position else {
            throw StoreError(
                .invalid, "the message has no id: what is not sent yet belongs in a draft",
                path: cache.path)
        }
        try checkName(position.messageID.rawValue, "the id of a message")
        if let parentID = message.parentMessageID {
            try checkName(parentID.rawValue, "the id of a parent message")
        }
        let saved = try whole { () throws(StoreError) in
            try save(message, position.messageID, over: held)
        }
        if let saved { note(.savedMessage(saved), source) }
        return saved
    }

    private func save(
        _ incoming: Message, _ id: MessageID, over resolve: (Message) -> Message?
    ) throws(StoreError) -> Message? {
        let number = try number(giving: incoming.channelURL)
        let mayBeStored = mayHold(id, in: number)
        let old = try held(id, in: number, mayBeStored: mayBeStored)
        var message = incoming
        if let held = old?.message {
            if held == incoming { return nil }
            guard let resolved = resolve(held), resolved != held else { return nil }
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
            if old == nil { notePut(id, in: number, wasLookedFor: mayBeStored) }
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
        if old == nil { try count(1, in: number) }
        return message
    }

    /// Removes a message.
    ///
    /// One that cannot be decoded can be removed too.
    ///
    /// - Returns: Whether it was there.
    /// - Throws: ``StoreError`` with code `io`, or `corruption` if a row that leads to it is damaged.
    /// - Complexity: Two lookups, three if it has a request.
    @discardableResult
    public func removeMessage(
        _ id: MessageID, in url: ChannelURL, source: CollectionEventSource? = nil
    ) throws(StoreError) -> Bool {
        guard let number = try number(of: url), let old = try held(id, in: number) else {
            return false
        }
        let requestID = try old.ownRequestID(in: cache, number)
        try whole { () throws(StoreError) in
            remove(old, requestID, number)
            try count(-1, in: number)
        }
        note(.removedMessage(id, at: old.position, in: url), source)
        return true
    }

    /// Removes the messages of a channel from one bound through another, both included.
    ///
    /// Says nothing of gaps: open one where the messages are to be fetched again.
    ///
    /// - Parameters:
    ///   - url: The channel. An unknown channel has no messages; that is not an error.
    ///   - first: The oldest position that is removed. The default is the beginning.
    ///   - last: The newest position that is removed. The default is the end.
    ///   - source: Why, for those who observe.
    /// - Returns: How many there were; none if `first` is above `last`.
    /// - Throws: ``StoreError`` with code `io`, or `corruption` if a key is damaged.
    /// - Complexity: O(*n*) in the messages removed, which are in memory together.
    @discardableResult
    public func removeMessages(
        in url: ChannelURL, from first: Gap.Bound = .beginning, through last: Gap.Bound = .end,
        source: CollectionEventSource? = nil
    ) throws(StoreError) -> Int {
        guard let number = try number(of: url), first <= last else { return 0 }
        let table = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
        let lower: KeyBytes
        switch last {
        case .beginning: return 0
        case .position(let position): lower = ByteWriter.key { $0.messageKey(number, position) }
        case .end: lower = table.lower
        }
        let upper: KeyBytes
        switch first {
        case .beginning: upper = table.upper
        case .position(let position):
            upper = ByteWriter.key { $0.messageKey(number, position) } + [0]
        case .end: return 0
        }
        var removed: [HeldMessage] = []
        let cache = cache
        try cache.scan(KeyRange(lower, upper)) { (key, value) throws(StoreError) in
            removed.append(try cache.heldMessage(key, value))
            return true
        }
        if removed.isEmpty { return 0 }
        let requestIDs = try removed.map { (message) throws(StoreError) in
            try message.ownRequestID(in: cache, number)
        }
        try whole { () throws(StoreError) in
            for (message, requestID) in zip(removed, requestIDs) {
                remove(message, requestID, number)
            }
            try count(-Int64(removed.count), in: number)
        }
        note(.removedMessages(in: url, from: first, through: last), source)
        return removed.count
    }

    /// Removes the oldest messages of a channel, and opens the gap that they leave.
    ///
    /// The gap reaches from the beginning to the oldest message that stays; to the end, if none does.
    ///
    /// - Parameters:
    ///   - count: How many messages to remove, at most.
    ///   - url: The channel.
    ///   - source: Why, for those who observe.
    /// - Returns: How many were removed.
    /// - Throws: ``StoreError`` with code `io`, or `corruption` if a key is damaged.
    /// - Complexity: O(*n*) in the messages removed, which are in memory together.
    @discardableResult
    public func evictOldestMessages(
        _ count: Int, in url: ChannelURL, source: CollectionEventSource? = nil
    ) throws(StoreError) -> Int {
        try evictOldestMessages(count, in: url, from: .beginning, source: source).removed
    }

    /// Removes the oldest messages of a channel in parts, each of which goes on behind the last.
    ///
    /// - Parameters:
    ///   - count: How many messages to remove, at most.
    ///   - url: The channel.
    ///   - first: What the part before has left; no message below it is looked at.
    ///   - source: Why, for those who observe.
    /// - Returns: How many were removed, and the oldest message that stays; `end` if none does.
    /// - Throws: ``StoreError``, as ``evictOldestMessages(_:in:source:)`` does.
    /// - Complexity: O(*n*) in the messages removed, however many were before.
    package func evictOldestMessages(
        _ count: Int, in url: ChannelURL, from first: Gap.Bound,
        source: CollectionEventSource? = nil
    ) throws(StoreError) -> (removed: Int, left: Gap.Bound) {
        guard count > 0, let number = try number(of: url) else { return (0, first) }
        var newestRemoved: Position?
        var oldestLeft: Gap.Bound = .end
        var met = 0
        let cache = cache
        var table = KeyRange(prefix: ByteWriter.key { $0.table(.message, number) })
        if case .position(let position) = first {
            table.upper = ByteWriter.key { $0.messageKey(number, position) } + [0]
        }
        try cache.scan(table, isDescending: true) { (key, _) throws(StoreError) in
            let position = try cache.position(ofMessageKey: key)
            if met == count {
                oldestLeft = .position(position)
                return false
            }
            newestRemoved = position
            met += 1
            return true
        }
        guard let newestRemoved else { return (0, oldestLeft) }
        let (last, end) = (Gap.Bound.position(newestRemoved), oldestLeft)
        let removed = try whole { () throws(StoreError) in
            // The gap first: what fails in it has removed nothing.
            try open(Gap(in: url, to: end))
            return try removeMessages(in: url, from: first, through: last, source: source)
        }
        return (removed, end)
    }

    /// Removes all messages of a channel, and what is known of its history, which is one gap then.
    ///
    /// The channel itself stays, and so do its drafts and tombstones. Stale ranges are gone, and so is
    /// what was damaged. Of a channel that nothing is held of, nothing is done.
    ///
    /// - Throws: ``StoreError`` with code `io`, `corruption` if the number of the channel is damaged,
    ///   or `invalid` after four billion clearings, when no number is left.
    /// - Complexity: O(*t*) in the tombstones, which are copied. All other rows are out of reach at
    ///   once, and leave the disk with this commit and those after it.
    public func clearMessages(
        in url: ChannelURL, source: CollectionEventSource? = nil
    ) throws(StoreError) {
        guard let old = try number(of: url) else { return }
        try whole { () throws(StoreError) in
            let number = try renumber(url, from: old)
            note(.clearedMessages(in: url), source)
            try putGap(Gap(in: url), number)
        }
    }
}

// MARK: What is held

/// What the rows of a message depend on.
struct HeldMessage {
    let position: Position
    /// `nil` if it cannot be read: it can still be removed or replaced.
    let message: Message?

    var requestID: RequestID? { message?.requestID }
    var parentID: MessageID? { message?.parentMessageID }

    /// Its request id, unless another message has taken that since.
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
    func heldMessage(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
    ) throws(StoreError) -> HeldMessage {
        // Why it cannot be read, its readers are told.
        HeldMessage(
            position: try position(ofMessageKey: key), message: try? Message(serialized: value))
    }

    func position(ofMessageKey key: UnsafeRawBufferPointer) throws(StoreError) -> Position {
        do throws(ByteReader.Damage) {
            return try ByteReader.position(ofMessageKey: key)
        } catch {
            throw StoreError(
                .corruption, "the key of a message: \(error)", path: path, cause: error)
        }
    }
}

extension Batch {
    /// What is held under an id; if it cannot be stored, only what the batch has put is looked at.
    fileprivate func held(
        _ id: MessageID, in number: ChannelNumber, mayBeStored: Bool = true
    ) throws(StoreError) -> HeldMessage? {
        guard mayBeStored || !rows.cache.isEmpty,
            let createdAt = try cache.place(of: id, in: number, mayBeStored: mayBeStored)
        else { return nil }
        let position = Position(createdAt: createdAt, messageID: id)
        let key = ByteWriter.key { $0.messageKey(number, position) }
        return try cache.withValue(of: key) { (value) throws(StoreError) -> HeldMessage? in
            guard let value else { return nil }
            return try key.withBytes { (key) throws(StoreError) in
                try cache.heldMessage(key, value)
            }
        }
    }

    fileprivate func remove(
        _ message: HeldMessage, _ requestID: RequestID?, _ number: ChannelNumber
    ) {
        let position = message.position
        rows.cache.remove { $0.messageKey(number, position) }
        rows.cache.remove { $0.placeKey(number, position.messageID) }
        if let requestID { rows.cache.remove { $0.requestKey(number, requestID) } }
        if let parentID = message.parentID {
            rows.cache.remove { $0.replyKey(number, parentID, position) }
        }
    }
}
