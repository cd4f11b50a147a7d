import Collections
import EmbeddedServer
import Foundation
import Models
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync

/// A test of calls of the public API that have numbers as arguments.
@MainActor
struct NumberProbe {
    /// The public symbols whose arguments this probe tests: numbers, durations and times.
    let covers: [String]

    /// Makes the calls.
    ///
    /// A call that may refuse its arguments is marked with `try?`.
    let run: @MainActor (inout Numbers, NumberWorld) async throws -> Void

    init(
        _ covers: String...,
        run: @escaping @MainActor (inout Numbers, NumberWorld) async throws -> Void
    ) {
        self.covers = covers
        self.run = run
    }

    static let all =
        ofModels + ofRecordCalls + ofStore + ofEngine + ofClient + ofCollections + ofServer
        + ofNetwork + ofTesting
}

// MARK: Models

extension NumberProbe {
    fileprivate static var ofModels: [NumberProbe] {
        [
            NumberProbe("Timestamp.init(_:)") { numbers, _ in
                _ = Timestamp(Date(timeIntervalSince1970: numbers.double()))
                _ = Timestamp(.distantFuture) < Timestamp(.distantPast)
            },
            NumberProbe("Date.init(_:)", "Timestamp.advanced(by:)", "Timestamp.duration(to:)") {
                numbers, _ in
                let time = numbers.time()
                _ = "\(Date(time)) \(time.advanced(by: numbers.duration()))"
                _ = time.duration(to: numbers.time())
            },
            NumberProbe(
                "Timestamp.init(milliseconds:)", "Timestamp.init(integerLiteral:)",
                "Timestamp.<(_:_:)", "Position.init(createdAt:messageID:)"
            ) { numbers, _ in
                let time = Timestamp(milliseconds: numbers.int64())
                _ = Timestamp(integerLiteral: numbers.int64()) < time
                _ = "\(time.date) \(Position(createdAt: time, messageID: "m"))"
                _ = try JSONEncoder().encode(time)
            },
            NumberProbe(
                "ErrorCode.init(rawValue:)",
                "BackendCapabilities.init(rawValue:)"
            ) { numbers, _ in
                _ = "\(ErrorCode(rawValue: numbers.int()))"
                _ = "\(BackendCapabilities(rawValue: UInt64(truncatingIfNeeded: numbers.int())))"
            },
            NumberProbe("BackendError.init(httpStatus:_:detail:retryAfter:now:)") { numbers, _ in
                let error = BackendError(
                    httpStatus: numbers.int(), "", retryAfter: "\(numbers.double())",
                    now: Timestamp(milliseconds: numbers.int64()))
                _ = "\(error)"
            },
            NumberProbe("Page.init(_:after:limit:id:)") { numbers, _ in
                _ = try Page(["a", "b"], after: nil, limit: numbers.int()) { $0 }
            },
            NumberProbe(
                "JSONValue.int(_:)", "JSONValue.double(_:)", "JSONValue.init(integerLiteral:)",
                "JSONValue.init(floatLiteral:)"
            ) { numbers, _ in
                let values: JSONValue = [
                    .int(numbers.int64()), .double(numbers.double()),
                    JSONValue(integerLiteral: numbers.int64()),
                    JSONValue(floatLiteral: numbers.double()),
                ]
                _ = "\(values)"
                var user = User(id: "alice")
                user.extra = ["values": values]
                _ = try User(serialized: user.serialize())
                // JSON cannot represent infinity.
                _ = try? JSONEncoder().encode(values)
            },
            NumberProbe(
                "BackendError.init(_:_:detail:retryAfter:)",
                "TransferProgress.init(bytesTransferred:bytesInAll:)"
            ) { numbers, _ in
                _ = "\(BackendError(.throttled, "", retryAfter: numbers.duration()))"
                _ = TransferProgress(
                    bytesTransferred: numbers.int(), bytesInAll: numbers.intOrNil())
            },
            NumberProbe(
                "TransferProgress.bytesTransferred", "TransferProgress.bytesInAll",
                "Ephemeral.uploadProgress(_:in:bytes:total:)"
            ) { numbers, world in
                var progress = TransferProgress(bytesTransferred: 0, bytesInAll: nil)
                progress.bytesTransferred = numbers.int()
                progress.bytesInAll = numbers.intOrNil()
                let engine = try await world.engine()
                let collection = MessageCollection(of: world.url, engine: engine)
                collection.start(.cacheOnly)
                try engine.store.emit(
                    .uploadProgress(
                        "r", in: world.url, bytes: progress.bytesTransferred,
                        total: progress.bytesInAll ?? 0),
                    source: .eventTypingStatusUpdated)
                collection.dispose()
                await engine.close()
            },
        ]
    }

    fileprivate static var ofRecordCalls: [NumberProbe] {
        [
            NumberProbe(
                "Message.init(type:id:channelURL:channelType:requestID:sender:text:data:customType:createdAt:updatedAt:parentMessageID:sendingStatus:)",
                "GroupChannel.init(url:name:createdAt:)", "OpenChannel.init(url:name:createdAt:)",
                "Record.init(serialized:)",
                "FileInfo.init(url:name:mimeType:size:)"
            ) { numbers, _ in
                let records: [any Record] = [
                    Message(
                        id: "m", channelURL: "c", createdAt: numbers.time(),
                        updatedAt: numbers.time()),
                    GroupChannel(url: "c", createdAt: numbers.time()),
                    OpenChannel(url: "c", createdAt: numbers.time()),
                    Message(NewMessage("m"), in: "c", by: nil, at: numbers.time()),
                    FileInfo(url: "u", size: numbers.intOrNil()),
                ]
                for record in records {
                    let bytes = record.serialize()
                    _ = try type(of: record).init(serialized: Array(bytes))
                    _ = "\(record)"
                }
                let noise = (0..<64).map { _ in UInt8(truncatingIfNeeded: numbers.int64()) }
                _ = try? Message(serialized: noise)
            },
            NumberProbe(
                "Reaction.init(key:userIDs:updatedAt:)",
                "ReactionEvent.init(_:_:by:to:in:at:requestID:)",
                "ThreadInfo.init(replyCount:mostRepliedUsers:lastRepliedAt:updatedAt:)"
            ) { numbers, _ in
                var message = Message(id: "m", channelURL: "c", createdAt: numbers.time())
                var reaction = Reaction(key: "+1", userIDs: ["bob"], updatedAt: numbers.time())
                reaction.totalCount = numbers.intOrNil()
                message.reactionHistory = [reaction]
                message.threadInfo = ThreadInfo(
                    replyCount: numbers.int(), lastRepliedAt: numbers.time(),
                    updatedAt: numbers.time())
                for operation in ReactionEventAction.allCases {
                    for user in ["alice", "bob"] as [UserID] {
                        for time in [numbers.time(), .distantFuture] {
                            _ = message.apply(
                                ReactionEvent(operation, "+1", by: user, to: "m", in: "c", at: time)
                            )
                        }
                    }
                }
            },
            NumberProbe(
                "OutboxItem.uploadedFile(at:)"
            ) { numbers, _ in
                var message = Message(id: nil, channelURL: "c", createdAt: numbers.time())
                message.newMessage = NewMessage(files: [UploadableFile()])
                var item = OutboxItem(
                    .send, requestID: "r", channelURL: "c", createdAt: numbers.time(),
                    message: message)
                item.resend(at: numbers.time())
                let index = numbers.int()
                item.setUploadedFile(FileInfo(url: "u"), at: index)
                item.setFileCopy(FileCopy(), at: index)
                item.replaceFile(at: numbers.int(), with: UploadableFile())
                _ = (item.uploadedFile(at: index), item.fileCopy(at: numbers.int()))
                _ = item.indicesToUpload
            },
        ]
    }
}

// MARK: The store

extension NumberProbe {
    /// Returns a store that has channels, and messages with extreme times.
    private static func filledStore(
        _ numbers: inout Numbers, _ url: ChannelURL
    ) throws -> ChatStore {
        let store = try ChatStore.inMemory()
        let times = (0..<6).map { _ in numbers.time() }
        try store.write { batch in
            for (index, time) in times.enumerated() {
                var message = Message.sample(index, in: url, at: time)
                if index > 2 { message.parentMessageID = "0" }
                try batch.save(message)
                try batch.save(GroupChannel(url: ChannelURL("\(index)"), createdAt: time))
                try batch.save(OpenChannel(url: ChannelURL("open \(index)"), createdAt: time))
                try batch.save(
                    OutboxItem.sample(in: url, requestID: RequestID("\(index)"), at: time))
            }
        }
        return store
    }

    fileprivate static var ofStore: [NumberProbe] {
        [
            NumberProbe(
                "StoreOptions.writeBufferByteCount", "StoreOptions.blockCacheByteCount",
                "StoreOptions.bloomFilterBitsPerKey", "StoreOptions.maxOpenFiles"
            ) { numbers, _ in
                var options = StoreOptions()
                options.writeBufferByteCount = numbers.int()
                options.blockCacheByteCount = numbers.int()
                options.bloomFilterBitsPerKey = numbers.int()
                options.maxOpenFiles = numbers.int()
                let store = try ChatStore.inMemory(options: options)
                try store.write { try $0.save(Message.sample()) }
                store.close()
            },
            NumberProbe(
                "StoreReader.messages(in:before:isInclusive:limit:matching:)",
                "StoreReader.messages(in:after:isInclusive:limit:matching:)",
                "StoreReader.replies(to:in:before:isInclusive:limit:matching:)",
                "StoreReader.replies(to:in:after:isInclusive:limit:matching:)",
                "StoreReader.groupChannels(matching:after:limit:currentUserID:)",
                "StoreReader.openChannels(after:limit:)",
                "StoreReader.outboxItems(in:state:limit:)",
                "StoreReader.outboxItems(state:limit:)", "HistoryAnchor.time(_:)",
                "StoreReader.messages(of:for:in:after:limit:)",
                "MessageListParams.previousResultSize", "MessageListParams.nextResultSize",
                "GroupChannelListQuery.createdBefore", "GroupChannelListQuery.createdAfter"
            ) { numbers, world in
                let store = try NumberProbe.filledStore(&numbers, world.url)
                let limit = numbers.intOrNil()
                let anchor = HistoryAnchor.time(numbers.time())
                var params = MessageListParams()
                params.replyType = .all
                params.previousResultSize = numbers.int()
                params.nextResultSize = numbers.int()
                var query = GroupChannelListQuery()
                query.createdBefore = numbers.time()
                query.createdAfter = numbers.time()
                try store.read { reader in
                    _ = try reader.messages(in: world.url, before: anchor, limit: limit)
                    _ = try reader.messages(in: world.url, after: anchor, limit: limit)
                    _ = try reader.messages(in: world.url, around: anchor, params: params)
                    _ = try reader.replies(to: "0", in: world.url, before: anchor, limit: limit)
                    _ = try reader.replies(to: "0", in: world.url, after: anchor, limit: limit)
                    _ = try reader.groupChannels(matching: query, limit: limit)
                    _ = try reader.openChannels(limit: limit)
                    _ = try reader.outboxItems(in: world.url, limit: limit)
                    _ = try reader.outboxItems(limit: limit)
                    _ = try reader.messages(of: .link, limit: numbers.int())
                }
            },
            NumberProbe(
                "StoreTable.init(_:home:version:migration:)", "Timestamp.codeKey(_:with:)",
                "StoreReader.values(in:from:to:isDescending:limit:)",
                "StoreReader.values(in:within:after:isDescending:limit:)"
            ) { numbers, _ in
                let table = StoreTable<Int, Int>("t", version: numbers.int())
                let store = try ChatStore.inMemory()
                for _ in 0..<3 {
                    let (key, value) = (numbers.int(), numbers.int())
                    try store.write { try $0.put(value, for: key, in: table) }
                }
                let (key, limit) = (numbers.int(), numbers.intOrNil())
                _ = try store.values(in: table, from: key, to: numbers.int(), limit: limit)
                _ = try store.values(in: table, within: .all, after: key, limit: limit)
                try store.open(table)
                let times = StoreTable<Timestamp, Int>("times")
                try store.write { try $0.put(1, for: numbers.time(), in: times) }
                _ = try store.values(in: times)
            },
            NumberProbe("ChatClient.table(_:within:isDescending:limit:)") { numbers, world in
                let client = try await world.client()
                let table = StoreTable<Int, Int>("t")
                let rows = try client.table(table, limit: numbers.intOrNil())
                try await rows.put(numbers.int(), for: numbers.int())
                await client.close()
            },
            NumberProbe(
                "ChatStore.observe(_:limit:)", "Batch.evictOldestMessages(_:in:source:)",
                "Batch.setToken(_:for:)"
            ) { numbers, world in
                let store = try NumberProbe.filledStore(&numbers, world.url)
                let (_, changes) = try store.observe(.everything, limit: numbers.int())
                let count = numbers.int()
                let token = [UInt8(truncatingIfNeeded: numbers.int64())]
                for _ in 0..<3 {
                    try store.write { batch in
                        _ = try batch.evictOldestMessages(count, in: world.url)
                        batch.setToken(token, for: String(repeating: "s", count: 70_000))
                    }
                }
                _ = changes.drain()
            },
            NumberProbe(
                "FeedPoint.init(_:number:)", "StaleRange.lossNumber",
                "StaleRange.init(in:from:to:lossNumber:)"
            ) { numbers, world in
                let store = try NumberProbe.filledStore(&numbers, world.url)
                let (lower, upper, other) = (numbers.bound(), numbers.bound(), numbers.bound())
                let point = FeedPoint("f", number: numbers.int64())
                var range = StaleRange(
                    in: world.url, from: lower, to: upper, lossNumber: numbers.int64())
                range.lossNumber = numbers.int64()
                try store.write { batch in
                    // Gaps and stale ranges whose bounds are equal are refused.
                    try? batch.open(Gap(in: world.url, from: lower, to: upper, changesSince: point))
                    try? batch.markStale(range)
                    try? batch.markVerified(world.url, from: lower, through: other)
                    _ = try? batch.cover(world.url, from: other, through: upper)
                }
                _ = ShownRange(from: upper, to: lower)
                try store.read { reader in
                    _ = try "\(reader.coverage(of: world.url))"
                    _ = try reader.tombstone(of: "t", in: world.url)
                    _ = try reader.gaps(in: world.url, from: upper, to: lower)
                    _ = try reader.messageCount(in: world.url, from: lower, to: upper)
                }
            },
            NumberProbe("FileCache.init(directory:limit:encryptionKey:)") { numbers, world in
                let directory = try ScratchDirectory.made()
                defer { directory.remove() }
                let cache = try FileCache(directory: directory.url, limit: numbers.int())
                let messages = (0..<3).map { Message.sample($0, in: world.url, at: numbers.time()) }
                _ = try cache.save(messages, in: world.url)
                _ = try cache.load(world.url)
            },
        ]
    }
}

// MARK: The engine

extension NumberProbe {
    fileprivate static var ofEngine: [NumberProbe] {
        [
            NumberProbe("CallDeclaration.init(_:_:version:needs:changesServer:promises:)") {
                numbers, _ in
                _ = CallDeclaration("wave", version: numbers.int())
            },
            NumberProbe(
                "Backoff.init(interval:multiplier:maximum:maximumAttempts:)",
                "Backoff.delay(beforeAttempt:jitter:)"
            ) { numbers, _ in
                let backoff = Backoff(
                    interval: numbers.duration(), multiplier: numbers.double(),
                    maximum: numbers.duration(), maximumAttempts: numbers.intOrNil())
                for _ in 0..<4 {
                    _ = backoff.delay(beforeAttempt: numbers.int(), jitter: numbers.double())
                }
                _ = backoff.delay(beforeAttempt: .max, jitter: 1)
            },
            NumberProbe(
                "SyncOptions.pageSize", "SyncOptions.parallelRequests",
                "SyncOptions.backgroundChannels", "SyncOptions.backgroundPages",
                "SyncOptions.hugeGapThreshold", "SyncOptions.clockSkew",
                "SyncOptions.parallelSends",
                "SyncOptions.outboxItemLifetime", "SyncOptions.failedItemLimit",
                "SyncOptions.failedItemLifetime", "SyncOptions.typingTimeout",
                "SyncOptions.pollInterval", "SyncOptions.idlePollInterval",
                "SyncEngine.init(store:backend:options:limits:sleep:jitter:now:makeRequestID:renewSession:)"
            ) { numbers, world in
                var options = SyncOptions()
                options.pageSize = numbers.int()
                options.parallelRequests = numbers.int()
                options.backgroundChannels = numbers.int()
                options.backgroundPages = numbers.int()
                options.hugeGapThreshold = numbers.int()
                options.clockSkew = numbers.duration()
                options.parallelSends = numbers.int()
                options.outboxItemLifetime = numbers.duration()
                options.failedItemLimit = numbers.intOrNil()
                options.failedItemLifetime = numbers.durationOrNil()
                options.typingTimeout = numbers.duration()
                options.pollInterval = numbers.duration()
                options.idlePollInterval = numbers.duration()
                options.backoff = Backoff(
                    interval: numbers.duration(), multiplier: numbers.double(),
                    maximum: numbers.duration())
                world.server.conditions.feedLimit = 1
                let engine = try await world.engine(options, jitter: numbers.double())
                await engine.show(world.url, ShownRange(from: .beginning), viewer: 1)
                try await engine.caughtUp(world.url)
                _ = try await engine.send(NewMessage("m"), in: world.url)
                // While the engine is offline, the feed's truncation and a throttled request are
                // prepared.
                await engine.disconnect()
                world.clock.now = numbers.time()
                try world.server.importMessages(
                    (20...24).map { Message.sample($0, at: numbers.time()) }, isReported: true)
                world.network.failNext(
                    2, of: [.messages, .send],
                    with: BackendError(.throttled, "", retryAfter: numbers.duration()))
                _ = try await engine.connect(as: Credentials("bob"))
                try await engine.caughtUp(world.url)
                _ = try await engine.verify(world.url)
                _ = try await engine.evictionPlan()
                await engine.close()
            },
            NumberProbe(
                "SyncEngine.fetchMessages(in:at:older:newer:bound:source:)",
                "MessageAnchor.time(_:)", "ChangelogPoint.time(_:)", "GroupChannelListQuery.limit"
            ) { numbers, world in
                let engine = try await world.engine()
                let viewer = numbers.int()
                await engine.show(
                    world.url, ShownRange(from: numbers.bound(), to: numbers.bound()),
                    viewer: viewer)
                let anchor = MessageAnchor.time(numbers.time())
                _ = try await engine.fetchMessages(
                    in: world.url, at: anchor, older: numbers.int(), newer: numbers.int())
                // A page without messages makes no progress.
                _ = try? await engine.fetchMessages(
                    of: .link, in: world.url, limit: numbers.int())
                _ = try await engine.fetchReplies(
                    to: world.parent, in: world.url, at: anchor, older: numbers.int(),
                    newer: numbers.int())
                let point = ChangelogPoint.time(numbers.time())
                _ = try? await engine.messageChanges(in: world.url, since: point)
                _ = try? await engine.channelChanges(since: point)
                var query = GroupChannelListQuery()
                query.limit = numbers.int()
                _ = try await engine.fetchChannels(matching: query)
                _ = try await engine.searchMessages(
                    matching: MessageSearchParams("hello"), limit: numbers.int())
                _ = try await engine.fetchMentions(limit: numbers.int())
                await engine.hide(world.url, viewer: viewer)
                await engine.close()
            },
            NumberProbe(
                "CacheLimits.maximumByteCount", "CacheRetention.lasting(_:)",
                "SyncEngine.evictionPlan(to:)",
                "SyncEngine.shrinkCache(to:)"
            ) { numbers, world in
                var limits = CacheLimits()
                limits.maximumByteCount = numbers.int()
                let duration = numbers.duration()
                limits.retention = { _ in .lasting(duration) }
                let engine = try await world.engine(limits: limits)
                _ = try await engine.fetchMessages(in: world.url, at: .newest, older: 5, newer: 0)
                _ = try await engine.evictionPlan(to: numbers.intOrNil())
                _ = try await engine.shrinkCache(to: numbers.intOrNil())
                await engine.close()
            },
            NumberProbe(
                "ChatClient.resend(_:replacing:)", "MessageCollection.resend(_:replacing:)",
                "SyncEngine.resend(_:replacing:)", "UploadReader.next(upTo:)"
            ) { numbers, world in
                let reader = try UploadSource(Data(repeating: 1, count: 100)).makeReader()
                _ = try reader.next(upTo: numbers.int())
                let client = try await world.client()
                world.network.failNext(of: [.send], with: BackendError(.refused, "no"))
                let sent = try await client.send(NewMessage("x"), in: world.url)
                let id = sent.delivery.requestID
                _ = try await sent.result
                let files = [numbers.int(): UploadableFile()]
                _ = try? await client.engine.resend(id, replacing: files)
                _ = try? await client.resend(id, replacing: files)
                let collection = try client.makeMessageCollection(of: world.url)
                _ = try? await collection.resend(id, replacing: files)
                await client.close()
            },
            NumberProbe(
                "FeedEvent.messageDeleted(_:in:at:)", "FeedEvent.read(by:in:at:)",
                "FeedEvent.delivered(to:in:at:)", "FeedEvent.historyChanged(in:from:through:)",
                "FeedEvent.messagesDeleted(ofSender:in:at:)",
                "FeedEvent.messageOrEditDeleted(_:in:createdAt:at:)"
            ) { numbers, world in
                let events: [FeedEvent] = [
                    .messageReceived(Message.sample(30, in: world.url, at: numbers.time())),
                    .read(by: "bob", in: world.url, at: numbers.time()),
                    .delivered(to: "alice", in: world.url, at: numbers.time()),
                    .messageDeleted("30", in: world.url, at: numbers.time()),
                    .messagesDeleted(ofSender: "alice", in: nil, at: numbers.time()),
                    .messageOrEditDeleted(
                        "31", in: world.url, createdAt: numbers.time(), at: numbers.time()),
                    .historyChanged(
                        in: world.url, from: numbers.time(), through: numbers.time()),
                ]
                let backend = OneBatch(base: world.server.client(), events: events)
                let engine = SyncEngine(store: try ChatStore.inMemory(), backend: backend)
                _ = try await engine.connect(as: Credentials("bob"))
                try await engine.caughtUp(world.url)
                await engine.close()
            },
        ]
    }
}

/// A backend whose feed adds some events to its first batch.
private struct OneBatch: ForwardingBackend {
    let base: any Backend
    let events: [FeedEvent]

    func feed(since cursor: FeedCursor?) async throws(BackendError) -> FeedBatch {
        var batch = try await base.feed(since: cursor)
        if cursor == nil { batch.events += events }
        return batch
    }
}

// MARK: The client

extension NumberProbe {
    fileprivate static var ofClient: [NumberProbe] {
        [
            NumberProbe(
                "ChatClient.members(of:after:limit:)", "ChatClient.openChannels(after:limit:)",
                "ChatClient.restrictedUsers(of:as:after:limit:)",
                "ChatClient.blockedUsers(after:limit:)", "ChatClient.vote(for:inPollOf:in:)",
                "ChatClient.restrict(_:in:as:until:reason:)", "ChatClient.evictionPlan(to:)",
                "ChatClient.shrinkCache(to:)", "ChatClient.messages(in:around:params:)",
                "ChatClient.threadedMessages(of:in:around:params:)",
                "ThreadedMessageListParams.previousResultSize",
                "ThreadedMessageListParams.nextResultSize"
            ) { numbers, world in
                let client = try await world.client()
                _ = try await client.members(of: world.url, limit: numbers.int())
                _ = try? await client.blockedUsers(limit: numbers.int())
                _ = try? await client.vote(
                    for: [Int64(numbers.int())], inPollOf: world.parent, in: world.url)
                _ = try? await client.restrictedUsers(
                    of: world.url, as: .muted, limit: numbers.int())
                _ = try await client.openChannels(limit: numbers.int())
                try? await client.restrict(
                    "alice", in: world.url, as: .muted, until: numbers.time())
                _ = try await client.evictionPlan(to: numbers.intOrNil())
                _ = try await client.shrinkCache(to: numbers.intOrNil())
                var params = MessageListParams()
                params.previousResultSize = numbers.int()
                params.nextResultSize = numbers.int()
                var replies = ThreadedMessageListParams()
                replies.previousResultSize = numbers.int()
                replies.nextResultSize = numbers.int()
                for isOnline in [true, false] {
                    if !isOnline { await client.disconnect() }
                    _ = try await client.messages(
                        in: world.url, around: numbers.time(), params: params)
                    _ = try await client.threadedMessages(
                        of: world.parent, in: world.url, around: numbers.time(), params: replies)
                }
                await client.close()
            },
            NumberProbe(
                "ChatClient.outgoingFile(_:of:)", "CacheLimits.downloadsByteCount",
                "CacheLimits.downloadByteCount"
            ) { numbers, world in
                let place = ScratchDirectory()
                let client = try await world.client {
                    $0.storage = .directory(place.url)
                    $0.cacheLimits.downloadsByteCount = numbers.int()
                    $0.cacheLimits.downloadByteCount = numbers.int()
                }
                var file = UploadableFile()
                file.data = Data([1, 2, 3])
                let sent = try await client.send(NewMessage(files: [file]), in: world.url)
                _ = try? await client.outgoingFile(numbers.int(), of: sent.delivery.requestID)
                guard case .sent(let message) = try await sent.result, let info = message.file
                else { throw SyncError(.notFound, "the file was not sent") }
                world.clock.now = numbers.time()
                for _ in 0..<2 { _ = try await client.download(info) }
                await client.close()
                place.remove()
            },
            NumberProbe(
                "ChatClientOptions.typingThrottle", "ChatClientOptions.now"
            ) { numbers, world in
                let (throttle, jitter) = (numbers.duration(), numbers.double())
                let client = try await world.client {
                    $0.typingThrottle = throttle
                    $0.jitter = { jitter }
                }
                for _ in 0..<3 {
                    world.clock.now = numbers.time()
                    try await client.startTyping(in: world.url)
                }
                await client.close()
            },
        ]
    }

    fileprivate static var ofCollections: [NumberProbe] {
        [
            NumberProbe(
                "ChatClient.makeMessageCollection(of:startingPoint:params:capacity:)",
                "MessageCollection.init(of:startingPoint:params:userID:capacity:engine:)",
                "ChatClient.makeThreadCollection(ofRepliesTo:in:startingPoint:params:capacity:)",
                "StartingPoint.time(_:)"
            ) { numbers, world in
                let client = try await world.client()
                var replies = ThreadedMessageListParams()
                replies.previousResultSize = numbers.int()
                replies.nextResultSize = numbers.int()
                let thread = try client.makeThreadCollection(
                    ofRepliesTo: world.parent, in: world.url,
                    startingPoint: .time(numbers.time()), params: replies, capacity: numbers.int())
                _ = try? await thread.start().refreshed
                _ = try? await thread.loadPrevious()
                _ = try? await thread.loadNext()
                thread.dispose()
                var params = MessageListParams()
                params.previousResultSize = numbers.int()
                params.nextResultSize = numbers.int()
                let collection = try client.makeMessageCollection(
                    of: world.url, startingPoint: .time(numbers.time()), params: params,
                    capacity: numbers.int())
                _ = try await collection.start().refreshed
                for _ in 0..<2 {
                    try await collection.loadPrevious()
                    try await collection.loadNext()
                }
                try await collection.restart(at: .time(numbers.time()))
                try await collection.restart(at: .latest)
                await client.disconnect()
                _ = try? await collection.loadPrevious()
                _ = try? await collection.loadNext()
                await client.close()
            },
            NumberProbe("GroupChannelListQuery.limit") { numbers, world in
                let client = try await world.client()
                var query = GroupChannelListQuery()
                query.limit = numbers.int()
                query.createdBefore = numbers.time()
                let collection = try client.makeGroupChannelCollection(query)
                try await collection.loadMore()
                try await collection.loadMore()
                await client.close()
            },
            NumberProbe(
                "StoreReader.searchMessages(_:after:limit:)", "ChatStore.indexMessages(atMost:)",
                "MessageSearchParams.since", "MessageSearchParams.until"
            ) { numbers, world in
                var options = StoreOptions()
                options.isSearchIndexed = true
                let store = try ChatStore.inMemory(options: options)
                for _ in 0..<3 {
                    try store.write { batch in
                        for id in 0..<100 {
                            var message = Message(
                                id: MessageID("\(id)"), channelURL: world.url, text: "umbrella",
                                createdAt: numbers.time())
                            message.customType = "a"
                            try batch.save(message)
                        }
                    }
                }
                _ = try store.indexMessages(atMost: numbers.int())
                var params = MessageSearchParams("umbrella")
                params.since = numbers.time()
                params.until = numbers.time()
                for order in MessageSearchParams.Order.allCases {
                    params.order = order
                    let first = try store.searchMessages(params, limit: 2).last?.cursor
                    _ = try store.searchMessages(params, after: first, limit: numbers.int())
                }
                _ = try store.check()
            },
            NumberProbe(
                "ChatClient.search(_:after:limit:)", "ChatClient.makeMessageSearch(_:pageSize:)",
                "MessageSearch.init(_:pageSize:engine:)",
                "ChatClient.makeMessageList(of:in:pageSize:)",
                "ChatClient.makeThreadList(in:pageSize:)",
                "MessageList.loadPrevious(upTo:)"
            ) { numbers, world in
                let client = try await world.client()
                var params = MessageSearchParams("a")
                params.since = numbers.time()
                params.until = numbers.time()
                _ = try await client.search(params, limit: numbers.int())
                let search = try client.makeMessageSearch(params, pageSize: numbers.int())
                try await search.loadMore()
                let list = try client.makeMessageList(of: .link, pageSize: numbers.int())
                // A page without messages makes no progress.
                try? await list.loadPrevious(upTo: numbers.int())
                let threads = try client.makeThreadList(pageSize: numbers.int())
                try await threads.start()
                await client.close()
            },
        ]
    }
}
