import Foundation
import Models

@testable import Store
@testable import Sync

extension Device {
    /// Performs a step in which the device's user writes something.
    ///
    /// Returns false if the step is of another kind.
    func write(_ step: Step) throws -> Bool {
        switch step {
        case .write(let tag, let url, let isLong):
            let text = isLong ? String(repeating: "x", count: 5001) : tag
            let params = NewMessage(text)
            let message = Message(
                params, in: ChannelURL(url), channelType: .group,
                by: core.state.user.map { Sender($0) }, at: time)
            try post(OutboxItem(message, requestID: RequestID(tag)))
        case .writeFiles(let tag, let url):
            let params = NewMessage(
                tag,
                files: (0..<2).map { UploadableFile(Data([UInt8($0)]), name: "\($0)") })
            let message = Message(
                params, in: ChannelURL(url), by: core.state.user.map { Sender($0) }, at: time)
            try post(OutboxItem(message, requestID: RequestID(tag)))
        case .change(let name, let tag, let change):
            try self.change(RequestID(name), RequestID(tag), change)
        case .cancel(let tag):
            guard let item = try held(RequestID(tag)) else { return true }
            guard let isThere = try attempt({ try core.cancel(item.requestID) }) else {
                return true
            }
            guard isThere else { throw Violation("C5 canceled", "\(tag) is not there") }
            sendings.cancel(item.requestID)
            try process(.changed)
        case .resend(let tag):
            guard let item = try held(RequestID(tag)), item.state == .failed
            else { return true }
            guard try attempt({ try core.resend(item.requestID, replacing: [:]) }) != nil else {
                return true
            }
            sendings.resend(item.requestID)
            try process(.changed)
        case .moveClock(let seconds):
            time = Timestamp(milliseconds: time.milliseconds + seconds * 1000)
        default: return false
        }
        return true
    }

    /// Returns an outbox item, or nil if it does not exist or the disk cannot be read.
    private func held(_ id: RequestID) throws -> OutboxItem? {
        try attempt { try core.storedOutboxItem(id) } ?? nil
    }

    /// Returns the result of `body`, or nil if the disk fails, the user may not make the change, or
    /// has deleted the message.
    private func attempt<Result>(_ body: () throws -> Result) throws -> Result? {
        core.time = time
        do {
            return try body()
        } catch let error as SyncError {
            if [.notPermitted, .notFound].contains(error.code) {
                // The call may have reopened the files, which publishes a state.
                try checkCommits()
                return nil
            }
            guard error.code == .store, disk != nil else { throw Violation("store", "\(error)") }
            try process(.changed)
            return nil
        }
    }

    private func post(_ item: OutboxItem, of target: RequestID? = nil) throws {
        guard sendings.items[item.requestID] == nil else { return }
        sendings.post(item, of: target)
        guard try attempt({ try core.enqueue(item) }) != nil else {
            return sendings.withdraw(item.requestID)
        }
        sendings.cancelChanges(supersededBy: item)
        guard let held = try store.outboxItem(item.requestID) else {
            throw Violation("E1 no lost send", "\(item.requestID) was accepted, and is not there")
        }
        let newest = oracle.rows[item.channelURL]?.positions.max()
        guard held.follows == newest else {
            throw Violation("D3 pending last", "\(item.requestID) follows \(held.follows as Any)")
        }
        try deliveryResult(item.requestID, item.channelURL)
        try process(.changed)
    }

    private func change(_ name: RequestID, _ tag: RequestID, _ change: Step.Change) throws {
        guard sendings.items[name] == nil else { return }
        var item = OutboxItem(
            change.operation, requestID: name, channelURL: "", createdAt: time)
        switch change {
        case .edit:
            if tag.rawValue.hasPrefix("f") {
                var params = FileMessageUpdateParams()
                params.text = name.rawValue
                item.fileMessageUpdateParams = params
            } else {
                var params = UserMessageUpdateParams()
                params.text = name.rawValue
                item.userMessageUpdateParams = params
            }
        case .react, .unreact: item.reactionKey = "+"
        case .delete: break
        }
        if let held = try held(tag), held.operation == .send {
            item.channelURL = held.channelURL
            item.targetRequestID = tag
            guard change != .delete else { return }
            guard change == .edit, let update = item.update else {
                return try post(item, of: tag)
            }
            sendings.post(item, of: tag)
            let edited: Void? = try attempt {
                try core.edit(.written(tag), as: item) { $0.message?.apply(update) ?? false }
            }
            guard edited != nil else { return sendings.withdraw(name) }
            if try store.outboxItem(name) == nil { sendings.rewrite(name) }
            try deliveryResult(name, held.channelURL)
            return try process(.changed)
        }
        // The user can only change a message that the device shows.
        guard let (url, id) = server.history.place(of: tag.rawValue),
            oracle.rows[url]?.messages[id] != nil
        else { return }
        item.channelURL = url
        item.messageID = id
        try post(item, of: tag)
    }
}

extension Step.Change {
    fileprivate var operation: OutboxOperation {
        switch self {
        case .edit: .update
        case .delete: .delete
        case .react: .addReaction
        case .unreact: .deleteReaction
        }
    }
}
