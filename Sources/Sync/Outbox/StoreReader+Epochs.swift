import Models
import Store

extension StoreReader {
    /// Returns the epoch of the message with an ID in the cache; `nil` if the server's epoch is
    /// unknown.
    ///
    /// This is the current epoch, unless the server has not returned the stored message since an
    /// earlier one.
    func epoch(of id: MessageID, in url: ChannelURL) throws(StoreError) -> ServerEpoch? {
        if let former = try formerEpoch(),
            let position = try message(id, in: url)?.position,
            try staleRanges(in: url).contains(where: {
                former.losses.contains($0.lossNumber) && $0.contains(position)
            })
        {
            return former.epoch
        }
        return try lastEpoch()
    }

    /// Returns the epoch of the message or poll that an item names; `nil` if none or unknown.
    func epoch(ofTargetOf item: OutboxItem) throws(StoreError) -> ServerEpoch? {
        if let id = item.messageID ?? item.message?.parentMessageID {
            return try epoch(of: id, in: item.channelURL)
        }
        return item.message?.newMessage?.pollID == nil ? nil : try lastEpoch()
    }
}
