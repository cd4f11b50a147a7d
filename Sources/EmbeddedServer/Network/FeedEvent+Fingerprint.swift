import Foundation
import Models

extension FeedEvent {
    /// A hash of the event that is the same in every process.
    ///
    /// Events with different versions of a message have different fingerprints.
    var fingerprint: UInt64 {
        var hash = StableHash()
        switch self {
        case .channel(let update):
            hash.combine("channel")
            hash.combine(update.channelURL.rawValue)
            hash.combine(update.patch.sortedText)
            hash.combine("\(update.source)")
            for user in update.users { hash.combine(user.serialize()) }
            if let actor = update.actor { hash.combine(actor.serialize()) }
        case .channelRemoved(let url, let removal):
            hash.combine("channelRemoved")
            hash.combine(url.rawValue)
            hash.combine("\(removal)")
        case .channels(let urls):
            hash.combine("channels")
            for url in urls.sorted() { hash.combine(url.rawValue) }
        case .joinedChannels(let urls):
            hash.combine("joinedChannels")
            for url in urls.sorted() { hash.combine(url.rawValue) }
        case .openChannel(let channel):
            hash.combine("openChannel")
            hash.combine(channel.serialize())
        case .unreadCount(let count):
            hash.combine("unreadCount")
            hash.combine(count.serialize())
        case .messageReceived(let message):
            hash.combine("messageReceived")
            hash.combine(message.serialize())
        case .messageUpdated(let message):
            hash.combine("messageUpdated")
            hash.combine(message.serialize())
        case .messageChanged(let messageID, in: let url):
            hash.combine("messageChanged")
            hash.combine(messageID.rawValue)
            hash.combine(url.rawValue)
        case .messageDeleted(let messageID, in: let url, at: let time):
            hash.combine("messageDeleted")
            hash.combine(messageID.rawValue)
            hash.combine(url.rawValue)
            hash.combine(time.map { "\($0)" } ?? "")
        case .reaction(let event):
            hash.combine("reaction")
            hash.combine(event.serialize())
        case .threadInfo(let event):
            hash.combine("threadInfo")
            hash.combine(event.serialize())
        case .truncation(in: let url):
            hash.combine("truncation")
            hash.combine(url.rawValue)
        case .historyChanged(in: let url, let from, let through):
            hash.combine("historyChanged")
            hash.combine(url.rawValue)
            hash.combine(from.map { "\($0)" } ?? "")
            hash.combine(through.map { "\($0)" } ?? "")
        case .read(by: let user, in: let url, at: let time):
            hash.combine("read")
            hash.combine(user.rawValue)
            hash.combine(url.rawValue)
            hash.combine("\(time)")
        case .delivered(to: let user, in: let url, at: let time):
            hash.combine("delivered")
            hash.combine(user.rawValue)
            hash.combine(url.rawValue)
            hash.combine("\(time)")
        case .typing(let users, in: let url):
            hash.combine("typing")
            hash.combine(url.rawValue)
            for user in users { hash.combine(user.serialize()) }
        case .participants(let entered, let exited, in: let url):
            hash.combine("participants")
            hash.combine(url.rawValue)
            for user in entered { hash.combine(user.serialize()) }
            hash.combine("exited")
            for user in exited { hash.combine(user.serialize()) }
        }
        return hash.value
    }

    /// A Boolean value that indicates whether the event is about a message.
    ///
    /// Pages or changelogs then contain the same information.
    var isOfMessage: Bool {
        switch self {
        case .messageReceived, .messageUpdated, .messageChanged, .messageDeleted, .reaction: true
        default: false
        }
    }
}

extension Patch {
    /// The JSON of the patch with sorted keys.
    fileprivate var sortedText: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // JSON cannot represent some values, such as NaN: use their description.
        guard let json = try? encoder.encode(self) else { return description }
        return String(decoding: json, as: UTF8.self)
    }
}
