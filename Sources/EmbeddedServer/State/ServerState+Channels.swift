import Models
import Store

extension ServerState {
    /// The maximum length of the members' IDs in bytes.
    private static let distinctKeyLimit = 60_000

    /// Creates a channel, which other users join or, if `joinsAll` is false, are invited to.
    func createChannel(
        _ params: GroupChannelCreateParams, by userID: UserID, joinsAll: Bool
    ) throws(BackendError) -> GroupChannel {
        let creator = try account(userID)
        var others: [UserID] = []
        for id in params.userIDs + params.operatorUserIDs where id != userID && !others.contains(id)
        {
            others.append(id)
        }
        let key = params.isDistinct ? ServerChannel.distinctKey(Set(others + [userID])) : ""
        if key.utf8.count > Self.distinctKeyLimit {
            throw BackendError(
                .refused,
                "the ids of the \(others.count + 1) members are too long for a distinct channel",
                detail: .parameterTooLong)
        }
        if params.isDistinct, let number = distinct[key], let channel = channels[number] {
            if channel.members[userID]?.state != .joined {
                if let ban = ban(of: userID, from: channel) { throw ban }
                try add(userID, to: channel, .joined, by: nil)
            }
            return try view(channel, for: userID)
        }
        let number = counters.nextChannel
        let url = params.url ?? freeURL("group_channel_", number)
        // Check the URL before creating accounts: a refused request has then changed nothing.
        try checkIsFree(url)
        for id in others { try checkIsNotBlocked(userID, by: id) }
        for id in others { _ = try knownOrNewAccount(id) }
        counters.nextChannel += 1
        var group = GroupChannel(url: url, name: params.name, createdAt: now())
        group.createdBy = creator.user
        group.coverURL = params.coverURL
        group.data = params.data
        group.customType = params.customType
        group.isDistinct = params.isDistinct
        group.isPublic = params.isPublic
        let channel = ServerChannel(number, group, distinctKey: key)
        register(channel)
        let operators = Set(params.operatorUserIDs).union([userID])
        var added: [(UserID, MemberState)] = [(userID, .joined)]
        added += others.map { ($0, joinsAll ? .joined : .invited) }
        for (id, state) in added {
            var member = Membership(
                state, role: operators.contains(id) ? .operator : .none, from: counters.sequence)
            setTimes(&member, state, invitedBy: userID)
            channel.members[id] = member
        }
        for (id, state) in added { notifyGained(id, of: channel, state, by: userID) }
        var created = try view(channel, for: userID)
        created.isCreated = true
        return created
    }

    /// Returns a free URL, with "_" at the end if a user has chosen the first one.
    func freeURL(_ prefix: String, _ number: ChannelNumber) -> ChannelURL {
        var url = ChannelURL("\(prefix)\(number)")
        while numbers[url] != nil { url = ChannelURL("\(url)_") }
        return url
    }

    func checkIsFree(_ url: ChannelURL) throws(BackendError) {
        try checkName(url.rawValue, "the channel's URL")
        if numbers[url] != nil {
            throw BackendError(
                .refused, "channel \(url) already exists", detail: .duplicatedData)
        }
    }

    func register(_ channel: ServerChannel) {
        channel.newest = .known(nil)
        channel.lastMessage = .known(nil)
        channel.lastSequence = 0
        channels[channel.number] = channel
        numbers[channel.url] = channel.number
        if !channel.distinctKey.isEmpty { distinct[channel.distinctKey] = channel.number }
        store(channel)
    }

    func updateChannel(
        _ url: ChannelURL, with patch: Patch<GroupChannel>, by userID: UserID
    ) throws(BackendError) -> GroupChannel {
        let channel = try joinedChannel(url, by: userID)
        var changed = channel.group
        patch.apply(to: &changed)
        var group = channel.group
        group.name = changed.name
        group.coverURL = changed.coverURL
        group.data = changed.data
        group.customType = changed.customType
        if changed.metadata != group.metadata {
            var times = group.metadataUpdatedAt
            for key in Set(changed.metadata.keys).union(group.metadata.keys)
            where changed.metadata[key] != group.metadata[key] {
                times[key] =
                    changed.metadata[key] == nil
                    ? nil : (times[key] ?? .distantPast).next(at: now())
            }
            group.metadata = changed.metadata
            group.metadataUpdatedAt = times
        }
        if group != channel.group {
            channel.group = group
            store(channel)
            append(.changed(.profile, cause(.eventChannelChanged, by: userID)), in: channel)
        }
        return try view(channel, for: userID)
    }

    func deleteChannel(_ url: ChannelURL, by userID: UserID) throws(BackendError) {
        try remove(try moderatedChannel(url, by: userID))
    }

    func remove(_ channel: ServerChannel) throws(BackendError) {
        for userID in channel.memberIDs { notifyLost(userID, of: channel, .deleted) }
        var ids: [MessageID] = []
        try scanMessages(of: channel) { message in
            message.messageID.map { ids.append($0) }
            return true
        }
        for id in ids {
            database.remove { $0.location(id) }
            try database.removeAll(KeyRange(prefix: ByteWriter.key { $0.replyPrefix(id) }))
        }
        for session in sessions.values { session.entered[channel.number] = nil }
        let tables: [ServerTable] = [.message, .deletedMessage, .member, .restriction, .offset]
        for table in tables {
            try database.removeAll(
                KeyRange(prefix: ByteWriter.key { $0.prefix(table, of: channel.number) }))
        }
        database.remove { $0.channel(channel.number) }
        channels[channel.number] = nil
        numbers[channel.url] = nil
        if !channel.distinctKey.isEmpty { distinct[channel.distinctKey] = nil }
    }

    func cause(
        _ source: CollectionEventSource, _ users: [UserID] = [], by actor: UserID?,
        _ reason: String = ""
    ) -> LogEntry.Cause {
        LogEntry.Cause(source: source, users: users, actor: actor, reason: reason)
    }
}
