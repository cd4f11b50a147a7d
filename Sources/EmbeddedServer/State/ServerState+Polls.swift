import Models
import Store

extension ServerState {
    func createPoll(_ poll: Poll, by userID: UserID) throws(BackendError) -> Poll {
        _ = try account(userID)
        guard !poll.title.isEmpty, !poll.options.isEmpty else {
            throw BackendError(
                .refused, "the poll has no title or no options", detail: .missingParameter)
        }
        let time = now()
        var created = poll
        created.id = (polls.keys.max() ?? 0) + 1
        created.status = .open
        created.createdBy = userID
        (created.createdAt, created.updatedAt) = (time, time)
        (created.voterCount, created.votedOptionIDs, created.messageID) = (0, [], nil)
        created.options = poll.options.enumerated().map { index, option in
            var option = option
            (option.id, option.voteCount) = (Int64(index + 1), 0)
            return option
        }
        polls[created.id] = created
        database.put({ $0.poll(created.id) }, { $0.record(created) })
        return created
    }

    func poll(_ id: Int64, by userID: UserID) throws(BackendError) -> Poll {
        guard let poll = polls[id], poll.createdBy == userID else {
            throw BackendError(
                .refused, "poll \(id) does not exist, or was not created by \(userID)",
                detail: .missingParameter)
        }
        return poll
    }

    func vote(
        for optionIDs: [Int64], inPollOf id: MessageID, in url: ChannelURL, by userID: UserID
    ) throws(BackendError) -> Message {
        let channel = try readableChannel(url, for: userID)
        var (message, location) = try visibleMessage(id, in: channel, for: userID)
        guard var poll = message.poll else {
            throw BackendError(
                .notFound, "message \(id) of channel \(url) has no poll", detail: .messageNotFound)
        }
        _ = try writableChannel(url, for: userID)
        guard poll.status == .open else {
            throw BackendError(.refused, "poll \(poll.id) is closed", detail: .notAuthorized)
        }
        let chosen = Set(optionIDs)
        guard chosen.isSubset(of: poll.options.map(\.id)),
            chosen.count < 2 || poll.allowsMultipleVotes
        else {
            throw BackendError(
                .refused, "poll \(poll.id) does not accept a vote for options \(optionIDs)",
                detail: .invalidParameter)
        }
        if chosen.isEmpty {
            votes[poll.id]?[userID] = nil
            database.remove { $0.vote(poll.id, userID) }
        } else {
            votes[poll.id, default: [:]][userID] = chosen.sorted()
            database.put(
                { $0.vote(poll.id, userID) },
                { writer in
                    for option in chosen.sorted() { writer.integer(UInt64(bitPattern: option)) }
                })
        }
        let all = votes[poll.id] ?? [:]
        poll.voterCount = all.count
        poll.options = poll.options.map { option in
            var option = option
            option.voteCount = all.values.count { $0.contains(option.id) }
            return option
        }
        poll.updatedAt = (poll.updatedAt ?? .distantPast).next(at: now())
        message.poll = poll
        let position = Position(createdAt: location.createdAt, messageID: id)
        store(message, at: position, in: channel)
        append(.updated(position), in: channel)
        return view(message, for: userID)
    }
}
