/// The public calls that no command uses, and the properties that no command sets.
enum Exemptions {
    /// Returns the reason why a property of a type cannot be set, or `nil` if it must be settable.
    static func reason(of type: String, _ property: String) -> String? {
        property == "fields" ? "the record itself, as bytes" : properties["\(type).\(property)"]
    }

    private static let properties = [
        "GroupChannelCreateParams.url": "the first word of create",
        "GroupChannelCreateParams.userIDs": "the words after with",
        "OpenChannelCreateParams.url": "the first word of create-open",
    ]

    /// The calls and properties, each with the reason.
    static let reasons: [String: String] = Dictionary(
        uniqueKeysWithValues: groups.flatMap { reason, symbols in symbols.map { ($0, reason) } })

    private static let groups: [(reason: String, symbols: [String])] = [
        (
            "the prompt shows the same by another call, or a call that has a command makes it",
            [
                "ChatClient.catchUp(as:within:)", "ChatClient.changeLabels(of:_:)",
                "ChatClient.connectionEvents()",
                "ChatClient.uploads()", "ChatClient.userEvents()", "ChatStore.commit(_:)",
                "ChatStore.indexMessages(atMost:)", "ChatStore.purgeCleared()",
                "ChatStore.snapshot()", "ChatStore.view",
                "GroupChannelCollection.isStale", "MessageCollection.discard(_:)",
                "MessageCollection.edit(_:text:)", "MessageCollection.failedChanges",
                "MessageCollection.firstUnreadMessageID",
                "MessageList.gapIndex", "MessageList.sections(by:in:)",
                "StoreReader.cachedChannels()", "StoreReader.kindCoverage(in:)",
                "StoreReader.unsentChanges(of:for:)", "StoreReader.searchMessages(_:after:limit:)",
                "StoreReader.view", "SyncEngine.discardUserData()",
                "SyncEngine.fetchChannel(_:)", "SyncEngine.fetchChannels(matching:after:)",
                "SyncEngine.fetchMentions(after:limit:)", "SyncEngine.fetchMessages(_:in:)",
                "SyncEngine.fetchMessages(in:at:older:newer:bound:source:)",
                "SyncEngine.fetchMessages(of:in:limit:)",
                "SyncEngine.fetchReplies(to:in:at:older:newer:bound:)",
                "SyncEngine.fetchStaleMessages(in:)", "SyncEngine.makeViewer(of:)",
                "SyncEngine.react(_:with:to:in:)", "SyncEngine.removePushInbox()",
                "SyncEngine.searchMessages(matching:after:limit:)",
            ]
        ),
        (
            "a closure, which the world sets",
            [
                "ChatClientOptions.log", "ChatClientOptions.now",
                "ChatClientOptions.renewSession", "ChatClientOptions.sleep",
            ]
        ),
        (
            "typed as options of the program: --key-file, and --home or --memory",
            ["ChatClientOptions.encryptionKey", "ChatClientOptions.storage"]
        ),
        (
            "its own properties are set one by one",
            ["ChatClientOptions.cacheLimits", "ChatClientOptions.store", "ChatClientOptions.sync"]
        ),
    ]
}
