import Models
import Store

extension ServerState {
    func addUser(_ user: User, accessToken: String?) throws(BackendError) {
        try checkName(user.userID.rawValue, "the user's id")
        if let accessToken { try checkName(accessToken, "the access token") }
        let account = accounts[user.userID] ?? Account(user)
        account.user = user
        account.accessToken = accessToken
        account.isRevoked = false
        accounts[user.userID] = account
        store(account)
        for number in account.channels.sorted() {
            guard let channel = channels[number] else { continue }
            append(.changed(.members, cause(.eventChannelChanged, by: user.userID)), in: channel)
        }
    }

    func revoke(_ userID: UserID) throws(BackendError) {
        let account = try account(userID)
        account.isRevoked = true
        store(account)
        endSessions(of: userID, with: .revoked(userID))
    }

    func sendAdminMessage(
        _ text: String, to url: ChannelURL, data: String, customType: String, isSilent: Bool
    ) throws(BackendError) -> Message {
        let channel = try channel(url)
        try checkLength(text, in: channel)
        var message = Message(
            type: .admin, id: nil, channelURL: url, channelType: channel.type, text: text,
            data: data, customType: customType, createdAt: 0, sendingStatus: .succeeded)
        if isSilent { message.isSilent = true }
        return try accept(message, in: channel)
    }

    func deleteAsAdmin(_ id: MessageID, in url: ChannelURL) throws(BackendError) {
        let channel = try channel(url)
        guard let (message, location) = try find(id, in: channel) else {
            throw BackendError(
                .notFound, "there is no message \(id) in channel \(url)",
                detail: .messageNotFound)
        }
        try remove(message, location, from: channel, isReported: true)
    }
}

// MARK: Forgetting

extension ServerState {
    func expireMessages(before time: Timestamp, isReported: Bool) throws(BackendError) {
        for channel in channels.values.sorted(by: { $0.number < $1.number }) {
            var old: [Position] = []
            try scanMessages(of: channel) { message in
                guard message.createdAt < time else { return false }
                message.position.map { old.append($0) }
                return true
            }
            guard let first = old.first, let last = old.last else { continue }
            for position in old {
                guard let (message, location) = try find(position.messageID, in: channel) else {
                    continue
                }
                try remove(message, location, from: channel, isReported: isReported)
            }
            if !channel.isOpen {
                channel.group.messagePurgeOffset = time
                store(channel)
            }
            if !isReported {
                append(
                    .historyChanged(from: first.createdAt, through: last.createdAt), in: channel)
            } else if !channel.isOpen {
                append(.changed(.profile, cause(.eventChannelChanged, by: nil)), in: channel)
            }
        }
    }

    func deleteMessages(
        ofSender userID: UserID, in url: ChannelURL?
    ) throws(BackendError) -> Int {
        _ = try account(userID)
        var count = 0
        let concerned = try url.map { url throws(BackendError) in [try channel(url)] }
        for channel in (concerned ?? Array(channels.values)).sorted(by: { $0.number < $1.number }) {
            var ids: [MessageID] = []
            try scanMessages(of: channel) { message in
                if message.sender?.userID == userID, let id = message.messageID { ids.append(id) }
                return true
            }
            guard !ids.isEmpty else { continue }
            count += ids.count
            for id in ids {
                guard let (message, location) = try find(id, in: channel) else { continue }
                try remove(
                    message, location, from: channel, isReported: true, isPartOfPurge: true)
            }
            append(.purged(userID, ids), in: channel)
        }
        return count
    }

    /// Makes cursors and tokens expire, but keeps the entries for counting unread messages.
    func expireCursors() throws(BackendError) {
        appendMark()
        counters.firstCursor = counters.sequence
    }

    func expirePageCursors() {
        counters.pageGeneration += 1
        database.put(ServerCounters.key, counters.write)
    }
}
