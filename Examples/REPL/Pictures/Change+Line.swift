import Scrollback

extension Change {
    var line: String {
        let shown = operations.prefix(Self.shownOperations).map(\.text)
        let more = operations.count - shown.count
        return "change \(number): " + shown.joined(separator: "; ")
            + (more > 0 ? "; and \(more) more" : "")
    }

    private static var shownOperations: Int { 8 }
}

extension Change.Operation {
    fileprivate var text: String {
        switch self {
        case .savedMessage(let message):
            "saved message \(message.messageID.map(\.rawValue) ?? "?") in \(message.channelURL)"
        case .removedMessage(let id, _, let url): "removed message \(id) from \(url)"
        case .removedMessages(let url, let first, let last):
            "removed the messages of \(url) from \(first) through \(last)"
        case .clearedMessages(let url): "cleared \(url)"
        case .savedGroupChannel(let channel): "saved group channel \(channel.url)"
        case .savedOpenChannel(let channel): "saved open channel \(channel.url)"
        case .removedChannel(let url): "removed channel \(url)"
        case .savedGap(let gap): "saved gap \(gap)"
        case .removedGap(let gap): "removed gap \(gap)"
        case .savedStaleRange(let range): "saved stale range \(range)"
        case .removedStaleRange(let range): "removed stale range \(range)"
        case .savedKindCoverage(let coverage): "saved coverage \(coverage)"
        case .removedKindCoverage(let coverage): "removed coverage \(coverage)"
        case .savedUser(let user): "saved user \(user.userID)"
        case .removedUser(let id): "removed user \(id)"
        case .clearedCachedData: "cleared all data except the outbox"
        case .replacedCache: "replaced the damaged cache by an empty one"
        case .savedOutboxItem(let item): "saved outbox item \(item.requestID) in \(item.channelURL)"
        case .removedOutboxItem(let item):
            "removed outbox item \(item.requestID) from \(item.channelURL)"
        case .savedDraft(let draft, let url, let parent):
            "\(draft.isEmpty ? "removed" : "saved") the draft of \(url)"
                + (parent.map { ", thread \($0)" } ?? "")
        case .savedLabels(let labels, let url, _):
            labels.isEmpty ? "removed the labels of \(url)" : "saved the labels of \(url)"
        case .changedRow(let row): "\(row.verb) \(row.name)"
        case .ephemeral(let event): "event: \(event.text)"
        case .missed: "more changes than are kept: read the store again"
        }
    }
}

extension Ephemeral {
    fileprivate var text: String {
        func names(_ users: [User]) -> String {
            users.isEmpty ? "no one" : users.map(\.userID.rawValue).joined(separator: ", ")
        }
        return switch self {
        case .typing(let users, let url): "\(names(users)) typing in \(url)"
        case .participants(let entered, let exited, let url):
            "entered \(url): \(names(entered)); exited: \(names(exited))"
        case .caughtUp(let url): "\(url) is up to date"
        case .uploadProgress(let id, _, let bytes, let total):
            "\(bytes) of \(total) bytes of \(id)"
        case .connection(let state): state.word
        }
    }
}
