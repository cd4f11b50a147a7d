package import Foundation
public import Models
import Store

// When a call returns, the item is on disk. The items of a channel are sent in the order in which
// they were written.
extension SyncEngine {
    // MARK: New messages

    /// Sends a message to a channel, and returns it as it was written: pending, with its request
    /// ID.
    ///
    /// Without a connection, lists show it as failed if ``SyncOptions/resendPolicy`` is not
    /// automatic.
    ///
    /// If `keepsCopies` is `true`, the outbox copies the files that have a path. Otherwise, it
    /// reads them when it sends the item, and they must not be moved or removed until then.
    ///
    /// - Throws: `store` if the message could not be written, or `closed`; `notPermitted` if the
    ///   channel is frozen, if the user is muted, or if ``Backend/sendingRefusal(in:)`` returns an
    ///   error; `invalidFile` if a file is larger than the server accepts, is not a readable
    ///   regular file, or has a URL that only this device can read.
    @discardableResult
    public func send(
        _ new: NewMessage, in url: ChannelURL, channelType: ChannelType = .group,
        keepsCopies: Bool = false
    ) throws(SyncError) -> Message {
        if !new.files.isEmpty { try check(new.files) }
        try checkSending(to: url)
        let message = Message(new, in: url, channelType: channelType, by: sender, at: now())
        var item = OutboxItem(message, requestID: makeRequestID())
        do throws(SyncError) {
            for (index, file) in keepsCopies ? Array(item.files.enumerated()) : [] {
                item.setFileCopy(try copy(of: file), at: index)
            }
            try change { (core) throws(SyncError) in try core.enqueue(item) }
        } catch {
            store.outboxFiles?.remove(item.fileCopies)
            throw error
        }
        return item.message ?? message
    }

    /// Sends a failed item again, with the same request ID, and returns it as a pending item.
    ///
    /// If an item has failed with the error code `fileDamaged`, pass a replacement of the file that
    /// its error message names, by its index in `OutboxItem.files`. The outbox copies a replacement
    /// if it had copied the replaced file.
    ///
    /// - Throws: `notFound` if there is no failed item with this request ID; `notPermitted` if the
    ///   resend policy is `off`; `invalidArgument` if the item has no file at one of the indices;
    ///   `invalidFile` if a file is larger than the server accepts or cannot be read; `store`,
    ///   `closed`. The item does not change in these cases.
    @discardableResult
    public func resend(
        _ id: RequestID, replacing files: [Int: UploadableFile] = [:]
    ) throws(SyncError) -> OutboxItem {
        guard !files.isEmpty else {
            return try change { (core) throws(SyncError) in try core.resend(id, replacing: [:]) }
        }
        let item = try change { (core) throws(SyncError) in try core.failedOutboxItem(id) }
        if let index = files.keys.first(where: { !item.files.indices.contains($0) }) {
            throw SyncError(
                .invalidArgument,
                "outbox item \(id) has \(item.files.count) files, and none at index \(index)")
        }
        try check(Array(files.values))
        var new: [Int: (file: UploadableFile, copy: FileCopy?)] = [:]
        do throws(SyncError) {
            for (index, file) in files {
                new[index] = (file, item.fileCopy(at: index) == nil ? nil : try copy(of: file))
            }
            return try change { (core) throws(SyncError) in try core.resend(id, replacing: new) }
        } catch {
            store.outboxFiles?.remove(new.values.compactMap(\.copy))
            throw error
        }
    }

    /// Cancels an unsent item, with all changes of its message, and returns `true` if it existed.
    ///
    /// If its request is in flight and reaches the server, the feed reports its message.
    ///
    /// - Throws: `store` or `closed`.
    @discardableResult
    public func cancel(_ id: RequestID) throws(SyncError) -> Bool {
        try change { (core) throws(SyncError) in try core.cancel(id) }
    }

    /// Removes those of the items that have failed, and returns their request IDs.
    ///
    /// - Throws: `store` or `closed`.
    @discardableResult
    public func discardFailedItems(_ ids: [RequestID]) throws(SyncError) -> [RequestID] {
        try change { (core) throws(SyncError) in try core.removeFailed(ids) }
    }

    /// Removes all failed items of a channel, and returns their request IDs.
    ///
    /// - Throws: `store` or `closed`.
    @discardableResult
    public func discardAllFailedItems(in url: ChannelURL) throws(SyncError) -> [RequestID] {
        let failed = try stored { (reader) throws(StoreError) in
            try reader.outboxItems(in: url, state: .failed)
        }
        return try discardFailedItems(failed.map(\.requestID))
    }

    /// Removes all drafts, pins, rows of kept tables, and outbox items, which it returns channel by
    /// channel, as they were written.
    ///
    /// Items that cannot be decoded are removed too, but not returned, and so are the outbox's
    /// copies of files. An item in flight may reach the server nevertheless. To only read the
    /// items, call `store.outboxItems()`.
    ///
    /// - Throws: `store` or `closed`.
    @discardableResult
    package func discardUserData() throws(SyncError) -> [OutboxItem] {
        try change { (core) throws(SyncError) in try core.discardUserData() }
    }

    /// Returns the bytes of a file of an unsent message; `nil` if there is none.
    ///
    /// - Throws: `invalidFile`, `store`, `closed`.
    package func outgoingFile(
        _ index: Int, of id: RequestID
    ) async throws(SyncError) -> Data? {
        guard !isClosed else { throw SyncError(.closed, "the engine was closed") }
        let item = try stored { (reader) throws(StoreError) in try reader.outboxItem(id) }
        guard let item, item.files.indices.contains(index) else { return nil }
        let file = item.files[index]
        if let url = file.url {
            throw SyncError(
                .invalidFile, "the file to send is at \(url), and not on this device: download it")
        }
        if item.fileCopy(at: index) == nil, file.data == nil { try check([file]) }
        do throws(BackendError) {
            return try await bytes(of: item, index, in: store.outboxFiles)
        } catch {
            throw SyncError(.invalidFile, error.message, cause: error)
        }
    }

    // MARK: Changes

    /// Edits a message of the user, and returns the request ID of the edit.
    ///
    /// An unsent message is sent in its new form. The edit of a sent message is immediately visible
    /// through ``UnsentChanges``; the stored message changes when the server has confirmed the
    /// edit.
    ///
    /// - Throws: `notFound` if the message is neither in the outbox nor stored, or if its deletion
    ///   is in the outbox; `invalidArgument` if the message is of another type than the update;
    ///   `notPermitted` if another user sent the message, or if ``Backend/sendingRefusal(in:)``
    ///   returns an error; `store`, `closed`.
    @discardableResult
    public func update(
        _ target: MessageReference, in url: ChannelURL, with update: MessageUpdate
    ) throws(SyncError) -> RequestID {
        try checkSending(to: url)
        let edit = outboxItem(.update, in: url) { $0.set(update) }
        try change { (core) throws(SyncError) in
            try core.edit(target, as: edit) { $0.message?.apply(update) ?? false }
        }
        return edit.requestID
    }

    /// Deletes a message of the user, or of any user if the user is an operator of the channel, and
    /// returns the request ID of the deletion or of the canceled message.
    ///
    /// An unsent message is canceled, as by ``cancel(_:)``. The deletion of a sent message cancels
    /// its edits and reactions in the outbox.
    ///
    /// - Throws: `notFound` if the message is neither in the outbox nor stored; `notPermitted` if
    ///   the user may not delete the message; `store`, `closed`.
    @discardableResult
    public func delete(
        _ target: MessageReference, in url: ChannelURL
    ) throws(SyncError) -> RequestID {
        let deletion = outboxItem(.delete, in: url)
        return try change { (core) throws(SyncError) in try core.delete(target, as: deletion) }
    }

    /// Adds a reaction to a message, and returns the request ID of the change.
    ///
    /// A reaction to an unsent message is shown immediately, and sent after the message.
    ///
    /// - Throws: `notFound` if the message is neither in the outbox nor stored, or if its deletion
    ///   is in the outbox; `store`, `closed`.
    @discardableResult
    public func addReaction(
        _ key: String, to target: MessageReference, in url: ChannelURL
    ) throws(SyncError) -> RequestID {
        try react(.addReaction, with: key, to: target, in: url)
    }

    /// Removes a reaction from a message, as ``addReaction(_:to:in:)`` adds one.
    @discardableResult
    public func deleteReaction(
        _ key: String, from target: MessageReference, in url: ChannelURL
    ) throws(SyncError) -> RequestID {
        try react(.deleteReaction, with: key, to: target, in: url)
    }

    private func react(
        _ operation: OutboxOperation, with key: String, to target: MessageReference,
        in url: ChannelURL
    ) throws(SyncError) -> RequestID {
        let reaction = outboxItem(operation, in: url) { $0.reactionKey = key }
        try change { (core) throws(SyncError) in try core.enqueue(reaction, changing: target) }
        return reaction.requestID
    }

    // MARK: Results

    /// Waits for the delivery result of an outbox item; `unknown` if it was removed long ago.
    ///
    /// - Throws: `canceled`, `store` or `closed`.
    public func deliveryResult(
        of id: RequestID, in url: ChannelURL
    ) async throws(SyncError) -> DeliveryResult {
        try await awaitReply { .deliveryResult(id, url, ticket: $0) }
    }

    // MARK: Outbox items

    private var sender: Sender? { state.user.map { Sender($0) } }

    private func copy(of file: UploadableFile) throws(SyncError) -> FileCopy? {
        guard let path = file.path, file.data == nil else { return nil }
        guard let files = store.outboxFiles else {
            throw SyncError(
                .invalidArgument,
                "an in-memory store cannot keep a copy of \(path): send it without keepsCopies")
        }
        do throws(StoreError) {
            return try files.add(path)
        } catch {
            guard error.path == path else { throw SyncError(error) }
            throw SyncError(.invalidFile, "cannot copy the file at \(path)", cause: error)
        }
    }

    private func outboxItem(
        _ operation: OutboxOperation, in url: ChannelURL,
        _ fill: (inout OutboxItem) -> Void = { _ in }
    ) -> OutboxItem {
        var item = OutboxItem(
            operation, requestID: makeRequestID(), channelURL: url, createdAt: now())
        fill(&item)
        return item
    }

    private func checkSending(to url: ChannelURL) throws(SyncError) {
        // If the cache is damaged, the message is stored, and the backend refuses it when it is
        // sent.
        let channel = try? stored { (reader) throws(StoreError) in try reader.groupChannel(url) }
        guard let refusal = channel.flatMap(backend.sendingRefusal) else { return }
        throw SyncError(.notPermitted, refusal.message, cause: refusal)
    }

    /// Throws an error if the server would reject one of the files, without reading any.
    private func check(_ files: [UploadableFile]) throws(SyncError) {
        let info = try stored { (reader) throws(StoreError) in try reader.storedAppInfo() }
        for file in files {
            if let url = file.url {
                guard url.isURLOfServer else {
                    throw SyncError(
                        .invalidFile,
                        "members cannot download '\(url)', which is not a URL of a server: to upload a "
                            + "file of this device, create the UploadableFile with a URL or a path")
                }
                continue
            }
            let size = try size(of: file)
            if let limit = info?.uploadSizeLimit, size > limit {
                let message =
                    "\(file.name ?? "the file") has \(size) bytes; the limit is \(limit)"
                throw SyncError(
                    .invalidFile, message,
                    cause: BackendError(.refused, message, detail: .fileSizeLimitExceeded))
            }
        }
    }

    private func size(of file: UploadableFile) throws(SyncError) -> Int {
        if let data = file.data { return data.count }
        guard let path = file.path else {
            throw SyncError(
                .invalidFile, "the file to send has no data, no path and no URL: set one of them")
        }
        let target = URL(filePath: path).resolvingSymlinksInPath().path
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: target)
        } catch {
            throw SyncError(.invalidFile, "cannot read the file at \(path)", cause: error)
        }
        switch attributes[.type] as? FileAttributeType {
        case .typeRegular: break
        case .typeDirectory:
            throw SyncError(.invalidFile, "\(path) is a directory: only files can be sent")
        default:
            throw SyncError(.invalidFile, "\(path) is not a regular file: only files can be sent")
        }
        guard FileManager.default.isReadableFile(atPath: target) else {
            throw SyncError(.invalidFile, "no permission to read the file at \(path)")
        }
        return (attributes[.size] as? NSNumber)?.intValue ?? 0
    }
}

@concurrent
private func bytes(
    of item: OutboxItem, _ index: Int, in files: OutboxFiles?
) async throws(BackendError) -> Data {
    try UploadSource(item, index, in: files).data()
}

extension OutboxItem {
    fileprivate mutating func set(_ update: MessageUpdate) {
        switch update {
        case .text(let params): userMessageUpdateParams = params
        case .file(let params): fileMessageUpdateParams = params
        }
    }
}
