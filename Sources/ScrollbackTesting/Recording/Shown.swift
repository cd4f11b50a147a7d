import Models
import Sync

/// Returns a description such as `setFrozen(isFrozen: true, channelURL: general)`.
func shown<Call: BackendCall>(call: Call) -> String {
    let parameters = Mirror(reflecting: call).children.compactMap { label, value -> String? in
        guard let label, !(value is UploadSource), label != "progress" else { return nil }
        return "\(label): \(shown(value))"
    }
    return "\(Call.name)(\(parameters.joined(separator: ", ")))"
}

/// Returns a description with only the most important properties.
func shown(_ value: Any?) -> String {
    switch value {
    case nil: "nil"
    case let value as any Identifier: value.rawValue
    case let value as Message: value.shown
    case let value as OutboxItem: "\(value.shown)"
    case let value as GroupChannel: value.shown
    case let value as OpenChannel: "open \(value.url)"
    case let value as Patch<GroupChannel>: value.shown
    case let value as FeedBatch: value.shown
    case let value as FeedEvent: value.shown
    case let value as MessagePage:
        "\(shown(list: value.messages)), older \(shown(value.older)), newer \(shown(value.newer))"
    case let value as Page<Message>: "\(shown(list: value.elements)), next \(shown(value.next))"
    case let value as Page<GroupChannel>:
        "\(shown(list: value.elements)), next \(shown(value.next))"
    case let value as Page<OpenChannel>: "\(shown(list: value.elements)), next \(shown(value.next))"
    case let value as Page<Member>: "\(shown(list: value.elements)), next \(shown(value.next))"
    case let value as Member: "\(value.userID) \(value.state)"
    case let value as MessageLookup:
        "found \(shown(list: value.found)), gone \(shown(list: value.gone))"
    case let value as MessageChangelog: value.shown
    case let value as GroupChannelChangelog: value.shown
    case let value as BackendSession: "\(value.user.userID), epoch \(value.epoch)"
    case let value as ReactionEvent:
        "\(value.operation) \(value.key) by \(value.userID) to \(value.messageID) at \(value.updatedAt)"
    case let value as MessageUpdate: value.shown
    case let value as [Any]: shown(list: value)
    case let value?: String(describing: value)
    }
}

private func shown(list: [Any]) -> String {
    "[\(list.map { shown($0) }.joined(separator: ", "))]"
}

extension Message {
    /// A description such as `7 "hello" at 1700000000000`, with the time of an edit.
    var shown: String {
        let edited = updatedAt.map { $0 > createdAt ? " edited \($0)" : "" } ?? ""
        return "\(messageID ?? "-") \"\(text)\" at \(createdAt)\(edited)"
    }
}

extension OutboxItem {
    fileprivate var shown: String { "\(requestID) \"\(message?.text ?? "")\" in \(channelURL)" }
}

extension MessageUpdate {
    fileprivate var shown: String {
        switch self {
        case .text(let params): String(describing: params)
        case .file(let params): String(describing: params)
        }
    }
}

extension GroupChannel {
    /// A description such as `general "General" joined 2/3, last 7`.
    fileprivate var shown: String {
        let last = lastMessage?.messageID.map { ", last \($0)" } ?? ""
        return "\(url) \"\(name)\" \(myMemberState) \(joinedMemberCount)/\(memberCount)\(last)"
    }
}

extension Patch<GroupChannel> {
    fileprivate var shown: String {
        var channel = GroupChannel()
        apply(to: &channel)
        var parts: [String] = []
        if contains(\.name) { parts.append("name \(channel.name)") }
        if contains(\.lastMessage) {
            parts.append("last \(channel.lastMessage?.messageID ?? "none")")
        }
        if contains(\.myMemberState) { parts.append("\(channel.myMemberState)") }
        if contains(\.memberCount) { parts.append("\(channel.memberCount) members") }
        if contains(\.unreadMessageCount) { parts.append("\(channel.unreadMessageCount) unread") }
        return parts.isEmpty ? "…" : parts.joined(separator: ", ")
    }
}

extension FeedBatch {
    fileprivate var shown: String {
        "[\(events.map(\.shown).joined(separator: ", "))], \(cursor), \(isLive ? "live" : "not live")"
    }
}

extension FeedEvent {
    /// A description such as `+7 "hello" at 1700000000000 in general`.
    var shown: String {
        switch self {
        case .channel(let update): "channel(\(update.channelURL): \(update.patch.shown))"
        case .channelRemoved(let url, let reason): "removed(\(url), \(reason))"
        case .channels(let urls):
            "channels(\(urls.sorted().map(\.rawValue).joined(separator: " ")))"
        case .joinedChannels(let urls):
            "joinedChannels(\(urls.sorted().map(\.rawValue).joined(separator: " ")))"
        case .openChannel(let channel): "open(\(channel.url))"
        case .messageReceived(let message): "+\(message.shown) in \(message.channelURL)"
        case .messageUpdated(let message): "*\(message.shown) in \(message.channelURL)"
        case .messageChanged(let id, in: let url): "*\(id) in \(url)"
        case .messageDeleted(let id, in: let url, at: _),
            .messageOrEditDeleted(let id, in: let url, createdAt: _, at: _):
            "-\(id) in \(url)"
        case .messagesDeleted(ofSender: let sender, in: let url, at: _):
            "-all of \(sender) in \(url?.rawValue ?? "all channels")"
        case .reaction(let event):
            "\(event.operation == .add ? "+" : "-")\(event.key) of \(event.userID) to \(event.messageID)"
        case .threadInfo(let event): "thread(\(event.parentMessageID))"
        case .truncation(in: let url): "truncation(\(url))"
        case .historyChanged(in: let url, let from, let through):
            "historyChanged(\(url), \(from.map { "\($0)" } ?? "…") through \(through.map { "\($0)" } ?? "…"))"
        case .read(by: let user, in: let url, at: let time): "read(\(user), \(url), \(time))"
        case .delivered(to: let user, in: let url, at: let time):
            "delivered(\(user), \(url), \(time))"
        case .typing(let users, in: let url):
            "typing(\(users.map(\.userID.rawValue).joined(separator: " ")), \(url))"
        case .participants(let entered, let exited, in: let url):
            "participants(+\(entered.map(\.userID.rawValue)) -\(exited.map(\.userID.rawValue)), \(url))"
        }
    }
}

extension MessageChangelog {
    fileprivate var shown: String {
        "updated \(updated.map(\.shown)), deleted \(deleted.map(\.messageID.rawValue)), "
            + "\(hasMore ? "more" : "all") since \(next ?? "nil")"
    }
}

extension GroupChannelChangelog {
    fileprivate var shown: String {
        "updated \(updated.map(\.url.rawValue)), deleted \(deletedURLs.map(\.rawValue)), "
            + "\(hasMore ? "more" : "all") since \(next ?? "nil")"
    }
}
