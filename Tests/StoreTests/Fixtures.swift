import Dispatch
import Foundation
import Models

@testable import Store

/// Returns the code of the error that a closure throws, or `nil` if it throws none.
func code(of body: () throws -> Void) -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}

/// The ways in which a series of writes is interrupted.
enum Interruption: CaseIterable {
    /// The process is killed.
    ///
    /// Everything that it has written is kept.
    case kill
    /// The power fails.
    ///
    /// Unsynced writes are lost.
    case powerCut
    /// The disk fails, beginning with a given write, and the writes throw.
    case failure
}

extension StoreOptions {
    /// Returns options with or without a search index, whose segments are small.
    static func searchIndexed(_ isIndexed: Bool = true) -> StoreOptions {
        var options = StoreOptions()
        options.isSearchIndexed = isIndexed
        options.searchSegmentMessageCount = 128
        return options
    }
}

extension Message {
    /// Creates a message whose text is its id.
    init(
        _ id: MessageID, at createdAt: Timestamp, in url: ChannelURL = "general",
        by sender: UserID? = nil, request: RequestID? = nil, to parent: MessageID? = nil
    ) {
        self.init(
            id: id, channelURL: url, requestID: request, sender: sender.map { Sender(id: $0) },
            text: id.rawValue, createdAt: createdAt, parentMessageID: parent)
    }
}

extension StoreReader {
    /// Returns the scopes of all tokens, in byte order.
    func tokenScopes() throws -> [String] {
        try describedRows(of: .cache, table: "token").flatMap(\.parts)
    }
}

extension OutboxItem {
    init(_ text: String, request: RequestID, in url: ChannelURL = "general") {
        self.init(
            Message(id: nil, channelURL: url, text: text, createdAt: 1), requestID: request)
    }
}

extension Sequence<Message> {
    /// The ids as one line, such as "c b a".
    var ids: String { map { $0.messageID?.rawValue ?? "-" }.joined(separator: " ") }
}

extension Sequence<GroupChannel> {
    /// The URLs as one line.
    var urls: String { map(\.url.rawValue).joined(separator: " ") }
}

extension Sequence<OpenChannel> {
    /// The URLs as one line.
    var urls: String { map(\.url.rawValue).joined(separator: " ") }
}

extension Sequence<Gap> {
    /// The gaps as one line, such as "-∞ ~ 10/a, 20/b ~ +∞".
    ///
    /// It is empty if the history is complete.
    var picture: String { map { "\($0.lower) ~ \($0.upper)" }.joined(separator: ", ") }
}

extension Change {
    /// The operations as one line, such as "+a -b ~ typing".
    var picture: String { operations.map(\.picture).joined(separator: " ") }
}

extension Change.Operation {
    var picture: String {
        switch self {
        case .savedMessage(let message): "+\(message.messageID ?? "-")"
        case .removedMessage(let id, _, _): "-\(id)"
        case .removedMessages(_, let from, let through): "-[\(from) \(through)]"
        case .clearedMessages(let url): "cleared(\(url))"
        case .savedGroupChannel(let channel): "group(\(channel.url))"
        case .savedOpenChannel(let channel): "open(\(channel.url))"
        case .removedChannel(let url): "removed(\(url))"
        case .savedGap(let gap): "gap(\(gap.lower) \(gap.upper))"
        case .removedGap(let gap): "nogap(\(gap.lower) \(gap.upper))"
        case .savedStaleRange(let range): "stale(\(range.lower) \(range.upper))"
        case .removedStaleRange(let range): "fresh(\(range.lower) \(range.upper))"
        case .savedKindCoverage(let kind): "kind(\(kind.kind) \(kind.lower))"
        case .removedKindCoverage(let kind): "nokind(\(kind.kind))"
        case .savedUser(let user): "user(\(user.userID))"
        case .removedUser(let id): "nouser(\(id))"
        case .clearedCachedData: "cleared()"
        case .replacedCache: "replaced()"
        case .savedOutboxItem(let item): "item(\(item.requestID))"
        case .removedOutboxItem(let item): "noitem(\(item.requestID))"
        case .ephemeral(.typing(let users, _)): "typing(\(users.map(\.userID.rawValue).joined()))"
        case .ephemeral(.participants(let entered, let exited, _)):
            "participants(\(entered.count) \(exited.count))"
        case .savedDraft(let draft, let url, let parent):
            "draft(\(url)\(parent.map { "/\($0)" } ?? "") \(draft.text)"
                + "\(draft.replyingTo.map { " to \($0)" } ?? ""))"
        case .savedLabels(let labels, let url, let channel):
            "labels(\(url) \(labels.labels.sorted().joined(separator: " "))"
                + "\(channel == nil ? "" : " stored"))"
        case .changedRow(let row): "row(\(row.name))"
        case .ephemeral(.caughtUp(let url)): "caughtUp(\(url))"
        case .ephemeral(.uploadProgress(let id, _, let bytes, let total)):
            "upload(\(id) \(bytes)/\(total))"
        case .ephemeral(.connection(let state)): "connection(\(state))"
        case .missed: "missed"
        }
    }
}

/// Runs a closure on several threads at once, and waits until all of them have ended.
///
/// `DispatchQueue.concurrentPerform` would use at most as many threads as the machine has cores.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread {
            body(index)
            group.leave()
        }.start()
    }
    group.wait()
}
