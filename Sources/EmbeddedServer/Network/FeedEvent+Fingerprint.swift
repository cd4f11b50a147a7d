import Foundation
import Models

extension FeedEvent {
    /// A hash that is the same in every process, but differs for versions of a message.
    var fingerprint: UInt64 {
        var hash = StableHash()
        switch self {
        case .channel(let update):
            hash.combine("channel", update.channelURL, update.patch.sortedText, update.source)
            for user in update.users { hash.combine("user", user) }
            if let actor = update.actor { hash.combine("actor", actor) }
        case .channelRemoved(let url, let removal): hash.combine("channelRemoved", url, removal)
        case .channels(let urls): hash.combine("channels", urls.sorted())
        case .joinedChannels(let urls): hash.combine("joinedChannels", urls.sorted())
        case .openChannel(let channel): hash.combine("openChannel", channel)
        case .messageReceived(let message): hash.combine("messageReceived", message)
        case .messageUpdated(let message): hash.combine("messageUpdated", message)
        case .messageChanged(let id, in: let url): hash.combine("messageChanged", id, url)
        case .messageDeleted(let id, in: let url, at: let time):
            hash.combine("messageDeleted", id, url, time)
        case .messageOrEditDeleted(let id, in: let url, let createdAt, let time):
            hash.combine("messageOrEditDeleted", id, url, createdAt, time)
        case .messagesDeleted(ofSender: let sender, in: let url, at: let time):
            hash.combine("messagesDeleted", sender, url ?? "", time)
        case .reaction(let event): hash.combine("reaction", event)
        case .threadInfo(let event): hash.combine("threadInfo", event)
        case .truncation(in: let url): hash.combine("truncation", url)
        case .historyChanged(in: let url, let from, let through):
            hash.combine("historyChanged", url, from, through)
        case .read(by: let user, in: let url, at: let time): hash.combine("read", user, url, time)
        case .delivered(to: let user, in: let url, at: let time):
            hash.combine("delivered", user, url, time)
        case .typing(let users, in: let url):
            hash.combine("typing", url)
            for user in users { hash.combine("user", user) }
        case .participants(let entered, let exited, in: let url):
            hash.combine("participants", url)
            for user in entered { hash.combine("entered", user) }
            for user in exited { hash.combine("exited", user) }
        }
        return hash.value
    }

    /// `true` if pages or changelogs contain the same information.
    var isOfMessage: Bool {
        switch self {
        case .messageReceived, .messageUpdated, .messageChanged, .messageDeleted,
            .messageOrEditDeleted, .reaction:
            true
        default: false
        }
    }
}

extension Patch {
    fileprivate var sortedText: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // JSON cannot represent some values, such as NaN.
        guard let json = try? encoder.encode(self) else { return description }
        return String(decoding: json, as: UTF8.self)
    }
}

extension StableHash {
    fileprivate mutating func combine(_ name: String, _ parts: Any?...) {
        combine(name)
        for part in parts {
            switch part {
            case let record as any Record: combine(record.serialize())
            case let part?: combine("\(part)")
            case nil: combine("")
            }
        }
    }
}
