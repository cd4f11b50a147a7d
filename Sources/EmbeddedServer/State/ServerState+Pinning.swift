import Models
import Store

extension ServerState {
    func setPinned(
        _ isPinned: Bool, _ id: MessageID, in url: ChannelURL, by userID: UserID
    ) throws(BackendError) {
        let channel = try groupChannel(url)
        _ = try writableChannel(url, for: userID)
        _ = try visibleMessage(id, in: channel, for: userID)
        setPinned(isPinned, id, in: channel, by: userID)
    }

    func setPinned(
        _ isPinned: Bool, _ id: MessageID, in channel: ServerChannel, by userID: UserID?
    ) {
        var pinned = channel.group.pinnedMessageIDs
        guard pinned.contains(id) != isPinned else { return }
        if isPinned { pinned.append(id) } else { pinned.removeAll { $0 == id } }
        channel.group.pinnedMessageIDs = pinned
        store(channel)
        append(.changed(.pins, cause(.eventPinnedMessageUpdated, by: userID)), in: channel)
    }
}
