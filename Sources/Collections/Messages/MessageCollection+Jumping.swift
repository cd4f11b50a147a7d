public import Models
import Store
public import Sync

extension MessageCollection {
    /// Shows a message with those around it, for example a quoted message, as ``restart(at:)`` does
    /// unless it is listed already.
    ///
    /// Without a connection, the rows around a cached message may have gaps.
    ///
    /// - Throws: As ``restart(at:)``, and `notFound` if the message does not match the list;
    ///   `notConnected` only if it is not cached.
    @discardableResult
    public func jump(to id: MessageID) async throws(SyncError) -> Message {
        try checkIsStarted()
        if let message = listed(id) { return message }
        do throws(SyncError) {
            try await restart(at: .message(id))
        } catch {
            guard error.code == .notConnected, let message = listed(id) else { throw error }
            return message
        }
        guard let message = listed(id) else {
            throw SyncError(.notFound, "message \(id) of \(channelURL) does not match the list")
        }
        return message
    }

    private func listed(_ id: MessageID) -> Message? { messages.first { $0.messageID == id } }

    func fetchIfMissing(_ id: MessageID) async throws(SyncError) {
        guard storedPosition(of: id) == nil else { return }
        let lookup = try await tasks.run { [engine, channelURL] () throws(SyncError) in
            try await engine.fetchMessages([id], in: channelURL)
        }
        try checkIsStarted()
        if lookup.found.isEmpty { throw .doesNotExist(id, channelURL) }
    }
}

extension SyncError {
    static func doesNotExist(_ id: MessageID, _ url: ChannelURL) -> SyncError {
        SyncError(.notFound, "message \(id) of \(url) does not exist")
    }

    static func isNotCached(_ id: MessageID, _ url: ChannelURL) -> SyncError {
        SyncError(.notFound, "message \(id) of \(url) is not cached")
    }
}
