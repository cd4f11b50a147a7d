public import Models
public import Store
public import Sync

extension ChatClient {
    /// Returns the local labels of a channel; empty if it has none.
    ///
    /// - Throws: `noUser` or `store`.
    public func labels(of url: ChannelURL) throws(SyncError) -> ChannelLabels {
        try engine.stored { (reader) throws(StoreError) in try reader.labels(of: url) }
    }

    /// Sets the local labels and the local sort key of a channel.
    ///
    /// They stay on this device until the user logs out and removes all data.
    ///
    /// - Throws: `noUser` or `store`.
    public func setLabels(_ labels: ChannelLabels, of url: ChannelURL) async throws(SyncError) {
        try await changeLabels(of: url) { $0 = labels }
    }

    /// Changes the local labels and the local sort key of a channel, as ``setLabels(_:of:)`` does.
    ///
    /// ```swift
    /// try await client.changeLabels(of: url) { $0.labels.insert("pinned") }
    /// ```
    ///
    /// The closure runs during a write, so that no other change of the labels is lost.
    ///
    /// - Throws: `noUser` or `store`.
    public func changeLabels(
        of url: ChannelURL, _ change: @Sendable @escaping (inout ChannelLabels) -> Void
    ) async throws(SyncError) {
        let store = try engine.store
        try await onDisk { () throws(StoreError) in
            try store.writeRows { (batch) throws(StoreError) in
                // Labels that cannot be decoded count as missing, and are replaced.
                var labels = (try? batch.labels(of: url)) ?? ChannelLabels()
                change(&labels)
                try batch.setLabels(labels, of: url)
            }
        }
    }
}
