/// The calls that commands about the store cover, and the calls that need no command.
enum Exemptions {
    /// Calls of the store, each with the command that covers it.
    static let commandsOfTheStore = [
        "Batch.clearMessages(in:source:)": "clear",
        "Batch.cover(_:from:through:walkCursor:)": "cover",
        "Batch.evictOldestMessages(_:in:source:)": "evict",
        "Batch.recordAccess(to:)": "touch",
        "Batch.open(_:)": "open-gap",
        "Batch.removeChannel(_:source:)": "remove-channel",
        "Batch.removeOutboxItem(_:source:)": "remove-item",
        "Batch.removeMessage(_:in:source:)": "remove",
        "Batch.removeUser(_:source:)": "remove-user",
        "Batch.save(_:)": "save",
        "Batch.save(_:source:)": "save",
        "Batch.save(_:source:people:replaces:)": "save",
        "Batch.save(_:source:replaces:)": "save",
        "Batch.setPinned(_:for:)": "pin",
        "Batch.setToken(_:for:)": "token",
        "ChatStore.acknowledgeOutboxLoss()": "acknowledge-loss",
        "ChatStore.cachedDataSize()": "store size",
        "ChatStore.changeEncryptionKey(to:)": "store key",
        "ChatStore.check()": "store check",
        "ChatStore.clearCachedData()": "store clear",
        "ChatStore.close()": "store close",
        "ChatStore.inMemory(options:)": "store open",
        "ChatStore.observe(_:limit:)": "observe",
        "ChatStore.outboxDataSize()": "store size",
        "ChatStore.read(_:)": "store",
        "ChatStore.rebuildCache(at:)": "store rebuild",
        "ChatStore.rebuildIndexes(at:)": "store reindex",
        "ChatStore.reencrypt(at:from:to:progress:)": "store reencrypt",
        "ChatStore.commit(_:)": "save",
        "ChatStore.write(_:)": "save",
        "FileCache.channels()": "file-cache list",
        "FileCache.load(_:)": "file-cache load",
        "FileCache.loadChannels()": "file-cache load-channels",
        "FileCache.remove(_:)": "file-cache remove",
        "FileCache.removeAll()": "file-cache remove",
        "FileCache.save(_:in:)": "file-cache save",
        "FileCache.saveChannels(_:)": "file-cache save-channels",
        "FileCache.size()": "file-cache list",
        "StoreReader.channelURLs()": "count",
        "StoreReader.channelURLsByAccess()": "evict",
        "StoreReader.coverage(of:)": "coverage",
        "StoreReader.outboxItem(_:)": "enqueue",
        "StoreReader.outboxItems(in:state:limit:)": "outbox",
        "StoreReader.outboxItems(state:limit:)": "outbox",
        "StoreReader.gaps(in:)": "gaps",
        "StoreReader.groupChannel(_:)": "channel",
        "StoreReader.groupChannelCount()": "channels",
        "StoreReader.groupChannels(matching:after:limit:currentUserID:)": "channels",
        "StoreReader.isPinned(_:)": "evict",
        "StoreReader.message(_:in:)": "message",
        "StoreReader.message(requestID:in:)": "enqueue",
        "StoreReader.messageCount()": "count",
        "StoreReader.messageCount(in:)": "count",
        "StoreReader.messages(in:after:isInclusive:limit:matching:)": "messages",
        "StoreReader.messages(in:around:params:)": "messages",
        "StoreReader.messages(in:before:isInclusive:limit:matching:)": "messages",
        "StoreReader.openChannel(_:)": "channel",
        "StoreReader.openChannels(after:limit:)": "open-channels",
        "StoreReader.pinnedChannelURLs()": "pins",
        "StoreReader.replies(to:in:before:isInclusive:limit:matching:)": "replies",
        "StoreReader.staleRanges(in:)": "gaps",
        "StoreReader.token(_:)": "token",
        "StoreReader.unreadableChannelURLs()": "store check",
        "StoreReader.unreadableOutboxItemIDs()": "store check",
        "StoreReader.user(_:)": "user",
        "StoreReader.view": "store",
    ]

    /// Returns the reason why a property of a type cannot be set by a command; `nil` if one must
    /// set it.
    static func reason(of type: String, _ property: String) -> String? {
        property == "fields" ? "the record itself, as bytes" : properties["\(type).\(property)"]
    }

    private static let properties = [
        "GroupChannelCreateParams.url": "the first word of create",
        "GroupChannelCreateParams.userIDs": "what stands behind with",
        "OpenChannelCreateParams.url": "the first word of create-open",
    ]

    /// The calls without a command, each with the reason.
    static let reasons: [String: String] = Dictionary(
        uniqueKeysWithValues: groups.flatMap { reason, symbols in symbols.map { ($0, reason) } })

    private static let groups: [(reason: String, symbols: [String])] = [
        (
            "the prompt registers its delegates when it starts, and prints what they receive",
            [
                "ChatClient.events()",
                "ChatClient.addChannelDelegate(_:identifier:)",
                "ChatClient.addConnectionDelegate(_:identifier:)",
                "ChatClient.addUserEventDelegate(_:identifier:)",
                "ChatClient.removeChannelDelegate(identifier:)",
                "ChatClient.removeConnectionDelegate(identifier:)",
                "ChatClient.removeUserEventDelegate(identifier:)",
                "GroupChannelCollection.delegate",
                "MessageCollection.delegate",
                "SyncEngine.events()",
            ]
        ),
        (
            "set by the collection alone, and shown by window, status, devices or an event line",
            [
                "ChatClient.cachingError",
                "ChatClient.connectionState",
                "ChatClient.currentUser",
                "ChatClient.lastConnectedAt",
                "ChatClient.lastAbsorption",
                "ChatClient.storageDamage",
                "ChatClient.unreadCount",
                "GroupChannelCollection.isDisposed",
                "MessageCollection.channel",
                "MessageCollection.isChannelDeleted",
                "MessageCollection.isDisposed",
                "MessageCollection.startingPoint",
                "MessageCollection.typingUsers",
            ]
        ),
        (
            "ChatClient and the collections call it, with a command of their own",
            [
                "Batch.removeAllPins()",
                "ChatStore.directory(in:applicationID:userID:hidesUser:)",
                "ChatStore.purgeCleared()",
                "SyncEngine.absorbPushes()",
                "SyncEngine.cancel(_:)",
                "SyncEngine.channelChanges(since:params:)",
                "SyncEngine.clearCachedData()",
                "SyncEngine.clearCachedMessages(in:)",
                "SyncEngine.close()",
                "SyncEngine.connect(as:)",
                "SyncEngine.createChannel(_:)",
                "SyncEngine.delete(_:in:)",
                "SyncEngine.discardOutboxItems()",
                "SyncEngine.disconnect()",
                "SyncEngine.fetchChannel(_:)",
                "SyncEngine.fetchChannels(matching:after:)",
                "SyncEngine.join(_:)",
                "SyncEngine.messageChanges(in:since:params:)",
                "SyncEngine.perform(_:)",
                "SyncEngine.react(_:with:to:in:)",
                "SyncEngine.reconnect()",
                "SyncEngine.removePushInbox()",
                "SyncEngine.removeAllFailedMessages(in:)",
                "SyncEngine.removeFailedMessages(_:)",
                "SyncEngine.resend(_:replacing:)",
                "SyncEngine.send(_:in:channelType:)",
                "SyncEngine.send(_:in:channelType:keepsCopies:)",
                "SyncEngine.makeViewer(of:)", "ChannelViewer.show(_:)",
                "SyncEngine.update(_:in:with:)",
                "SyncEngine.updateChannel(_:with:)",
            ]
        ),
        (
            "each delivery result is printed when it arrives",
            [
                "SyncEngine.deliveryResult(of:in:)"
            ]
        ),
        (
            "read and write give a snapshot and a batch, and so do all commands that read or write",
            [
                "ChatStore.snapshot()",
                "ChatStore.view",
            ]
        ),
        (
            "only the engine calls it, in step with what it has asked",
            [
                "Batch.clearCachedData(source:)",
                "Batch.markStale(_:)",
                "Batch.markVerified(_:from:through:)",
                "Batch.removeMessages(in:from:through:source:)",
                "Batch.removeTombstone(of:in:)",
                "Batch.emit(_:source:)",
                "Batch.update(_:)",
                "ChatStore.emit(_:source:)",
            ]
        ),
        (
            "a rule in code, which nobody types",
            [
                "CacheLimits.clearOrder",
                "CacheLimits.retention",
            ]
        ),
        (
            "what the client's calls of the same name do: cache plan, cache report, cache shrink, suspend, resume, pin",
            [
                "ChatClient.setPinned(_:for:)",
                "ChatStore.damageReport()",
                "ChatStore.resume()",
                "ChatStore.suspend()",
                "StoreReader.cachedChannels()",
                "SyncEngine.evictionPlan(to:)",
                "SyncEngine.resume()",
                "SyncEngine.setPinned(_:for:)",
                "SyncEngine.shrinkCache(to:)",
                "SyncEngine.suspend()",
            ]
        ),
        (
            "a bound or a count of what store, gaps, items and messages show",
            [
                "StoreReader.outboxItemCount()",
                "StoreReader.outboxItemCount(in:)",
                "StoreReader.failedMessages(in:)",
                "StoreReader.firstGap(above:in:)",
                "StoreReader.firstGap(below:in:)",
                "StoreReader.gap(around:in:)",
                "StoreReader.gaps(in:from:to:)",
                "StoreReader.messageCount(in:from:to:)",
                "StoreReader.newestPosition(in:)",
                "StoreReader.overlay(of:for:)",
                "StoreReader.pendingMessages(in:)",
                "StoreReader.replies(to:in:after:isInclusive:limit:matching:)",
                "StoreReader.staleRanges(in:from:to:)",
            ]
        ),
        (
            "store scan shows these rows",
            [
                "StoreReader.tombstone(of:in:)",
                "StoreReader.tombstoneCount(in:)",
                "StoreReader.tombstones(in:)",
            ]
        ),
        (
            "as store key, for the files of the file cache",
            ["FileCache.changeEncryptionKey(of:from:to:)"]
        ),
        (
            "as store reencrypt, for the files of the file cache",
            ["FileCache.reencrypt(at:from:to:progress:)"]
        ),
        (
            "as store key and store reencrypt, for the stores of all users; --key-file has the key",
            [
                "ChatClient.changeEncryptionKey(to:)",
                "ChatClient.reencrypt(_:to:progress:)",
            ]
        ),
        (
            "the world gives it: --home, --memory, --clock, --key-file",
            [
                "ChatClientOptions.encryptionKey",
                "ChatClientOptions.jitter",
                "ChatClientOptions.makeRequestID",
                "ChatClientOptions.now",
                "ChatClientOptions.renewSession",
                "ChatClientOptions.sleep",
                "ChatClientOptions.storage",
            ]
        ),
        (
            "its own properties are set one by one",
            [
                "ChatClientOptions.cacheLimits",
                "ChatClientOptions.store",
                "ChatClientOptions.sync",
            ]
        ),
    ]
}
