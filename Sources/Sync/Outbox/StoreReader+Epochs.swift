import Models
import Store

extension StoreReader {
    /// Returns the epoch of the message that has an ID in the cache; `nil` if the server's epoch is
    /// unknown.
    ///
    /// This is the current epoch, unless the stored message may belong to an earlier one, because
    /// the server has not returned it since.
    func epoch(of id: MessageID, in url: ChannelURL) throws(StoreError) -> ServerEpoch? {
        if let former = try formerEpoch(),
            let position = try message(id, in: url)?.position,
            try staleRanges(in: url).contains(where: {
                former.losses.contains($0.epoch) && $0.contains(position)
            })
        {
            return former.epoch
        }
        return try lastEpoch()
    }

    /// Returns the epoch of the message or poll that an outbox item names; `nil` if it names none,
    /// or if the epoch is unknown.
    func epoch(ofTargetOf item: OutboxItem) throws(StoreError) -> ServerEpoch? {
        if let id = item.messageID ?? item.message?.parentMessageID {
            return try epoch(of: id, in: item.channelURL)
        }
        return item.message?.newMessage?.pollID == nil ? nil : try lastEpoch()
    }
}
