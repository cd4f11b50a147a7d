import Collections
import Foundation
import MatrixBackend
import Models
import Store
import Sync

/// Draws what a device of Alice has of a room.
///
/// Messages are separated by `|`. A message consists of these parts, if it has them:
///
///     alice:            its sender, unless it is Bob
///     text
///     file(NAME TYPE SIZE DATA)
///     [custom type] {data} KEY=VALUE of each meta array, @user, @room
///     ↩TEXT             the message that it replies to
///     ⤷TEXT             the first message of its thread
///     ✎                 it was edited
///     +1×2 #3           reactions; the number of replies in its thread
struct KindPictures {
    var messages: [Message] = []
    var channel: GroupChannel?
    var members: [Member] = []
    /// The names of users, by their IDs.
    let names: [String: String]

    var messagePicture: String {
        let texts = Dictionary(
            uniqueKeysWithValues: messages.map { ($0.messageID?.rawValue ?? "", title($0)) })
        return messages.map { picture($0, texts) }.joined(separator: " | ")
    }

    private func title(_ message: Message) -> String {
        let text = message.text.isEmpty ? message.file?.name ?? "" : message.text
        return text.count > 40 ? "\(text.prefix(3))…\(text.count)" : text
    }

    private func name(_ user: UserID) -> String { names[user.rawValue] ?? user.rawValue }

    private func picture(_ message: Message, _ texts: [String: String]) -> String {
        var words: [String] = []
        if let sender = message.sender?.userID, name(sender) != "bob" {
            words.append("\(name(sender)):")
        }
        if !message.text.isEmpty { words.append(title(message)) }
        if let file = message.file {
            let size = file.size.map { "\($0)" } ?? ""
            let type = (file.customType ?? "").isEmpty ? "" : "[\(file.customType ?? "")]"
            let thumbnail = file.thumbnails.isEmpty ? "" : "thumbnail"
            let parts = [
                file.name ?? "", file.mimeType ?? "", size, file.data ?? "", type, thumbnail,
            ]
            words.append("file(\(parts.filter { !$0.isEmpty }.joined(separator: " ")))")
        }
        if !message.customType.isEmpty { words.append("[\(message.customType)]") }
        if !message.data.isEmpty { words.append("{\(message.data)}") }
        for meta in message.metaArrays {
            let values = meta.values.map { texts[$0] ?? $0 }.joined(separator: ",")
            words.append("\(meta.key)=\(values)")
        }
        if message.mentionType == .channel { words.append("@room") }
        words += message.mentionedUserIDs.map { "@\(name($0))" }
        if let parent = message.parentMessageID {
            words.append((message.isReplyToChannel ? "↩" : "⤷") + (texts[parent.rawValue] ?? "?"))
        }
        if message.updatedAt != nil { words.append("✎") }
        words += message.reactions.map { "\($0.key)×\($0.userIDs.count)" }.sorted()
        if let count = message.threadInfo?.replyCount, count > 0 { words.append("#\(count)") }
        return words.joined(separator: " ")
    }

    // MARK: The channel

    /// Returns the property with a name; `state` is `none` without a channel.
    func property(_ key: String) -> String? {
        guard let channel else { return key == "state" ? "none" : nil }
        switch key {
        case "state": return "\(channel.myMemberState)"
        case "name":
            return names.reduce(channel.name) { $0.replacing(localpart($1.key), with: $1.value) }
        case "cover": return channel.coverURL
        case "public": return "\(channel.isPublic)"
        case "distinct": return "\(channel.isDistinct)"
        case "frozen": return "\(channel.isFrozen)"
        case "role": return "\(channel.myRole)"
        case "muted": return "\(channel.isCurrentUserMuted)"
        case "count": return "\(channel.memberCount) \(channel.joinedMemberCount)"
        case "inviter": return channel.inviter.map { name($0.userID) } ?? ""
        case "unread": return "\(channel.unreadMessageCount) \(channel.unreadMentionCount)"
        case "pinned": return texts(of: channel.pinnedMessageIDs).joined(separator: ",")
        case "last": return channel.lastMessage?.text ?? ""
        case "members": return memberNames.joined(separator: " ")
        case "read": return readers(of: channel).joined(separator: " ")
        case "data": return channel.data
        default: return channel.metadata[key] ?? ""
        }
    }

    private func localpart(_ id: String) -> String {
        String(id.dropFirst().prefix { $0 != ":" })
    }

    private func texts(of ids: [MessageID]) -> [String] {
        ids.map { id in messages.first { $0.messageID == id }.map(title) ?? "?" }
    }

    /// The members, with their nicknames if these are not the default ones.
    private var memberNames: [String] {
        members.map { member in
            let nickname =
                member.nickname == localpart(member.userID.rawValue) ? "" : member.nickname
            let marks = [
                member.state == .invited ? "?" : "", member.state == .requested ? "~" : "",
                member.role == .operator ? "*" : "",
                member.isMuted ? "-" : "", nickname.isEmpty ? "" : "(\(nickname))",
            ]
            return name(member.userID) + marks.joined()
        }.sorted()
    }

    /// Each reader with the text of the newest message that the reader has read.
    private func readers(of channel: GroupChannel) -> [String] {
        channel.readReceipts.map { user, time in
            let last = messages.last { $0.createdAt <= time }
            return "\(name(user))=\(last.map(title) ?? "")"
        }.sorted()
    }
}

extension KindPictures {
    /// Creates the pictures of what a device has stored.
    @MainActor
    init(of room: KindRoom, on device: LiveDevice, names: [String: String]) async throws {
        self.names = names
        channel = try device.engine.store.groupChannel(room.url)
        if room.kind.sees != nil { messages = try device.messages(in: room.url) }
        if room.kind.channel["members"] != nil {
            members = try await device.client.members(of: room.url, limit: 100).elements
        }
    }

    /// Creates the pictures of what a backend returns.
    init(of room: KindRoom, from backend: MatrixBackend, names: [String: String]) async throws {
        self.names = names
        do throws(BackendError) {
            channel = try await backend.channel(room.url)
        } catch {
            guard error.code == .notFound else { throw error }
        }
        if room.kind.channel["members"] != nil {
            members = try await backend.perform(ListMembers(of: room.url, after: nil, limit: 100))
                .elements
        }
        guard room.kind.sees != nil else { return }
        messages = try await backend.messages(in: room.url, at: .newest, older: 100, newer: 0)
            .messages
        let ids = messages.compactMap(\.messageID)
        let reactions = try await backend.reactions(of: ids, in: room.url)
        for index in messages.indices {
            messages[index].reactions = reactions[messages[index].messageID ?? ""] ?? []
        }
    }
}

extension KindPictures {
    /// Returns the differences to what a device must show.
    func faults(of kind: Kind) -> [String] {
        var faults: [String] = []
        if let expected = kind.sees, messagePicture != expected {
            faults.append("shows \(messagePicture) instead of \(expected)")
        }
        for (key, expected) in kind.channel.sorted(by: { $0.key < $1.key }) {
            let found = property(key)
            if found != expected {
                faults.append("\(key) is \(found ?? "nil") instead of \(expected)")
            }
        }
        return faults
    }
}
