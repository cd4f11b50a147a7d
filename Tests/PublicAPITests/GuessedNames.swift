import Foundation
import Scrollback

// Calls that an app developer guesses before reading the reference. This file only has to compile.

private func list<Data: RandomAccessCollection>(_ data: Data) where Data.Element: Identifiable {}

@MainActor
func guessedLists(
    _ channels: GroupChannelCollection, _ messages: MessageCollection, _ channel: GroupChannel
) {
    list(channels.channels)
    list(messages.messages)
    list(messages.items)
    list(messages.failedChanges)
    list(channel.members)
    if let message = messages.messages.first { list(message.reactions) }
}

@MainActor
func guessedCalls(_ collection: MessageCollection, _ id: MessageID) async throws {
    try await collection.restart(at: .message(id))
    try await collection.jump(to: id)
    let _: MessageID? = collection.firstUnreadMessageID
    if let requestID = collection.pendingMessages.first?.requestID {
        _ = collection.uploadProgress[requestID]
    }
}

func guessedProperties(_ message: Message, _ channel: GroupChannel, _ user: User) {
    let _: Date = message.createdAt.date
    let _: Int = channel.unreadMemberCount(of: message)
    let _: UserID = user.id
    let _: ChannelURL = channel.id
    let _: Bool = message.reactions.first?.contains("alice") ?? message.isEdited
    let _: Bool = message.isSent(by: user.id)
    let _: String? = message.extra["mood"]?.string
    let _: Timestamp = message.createdAt + .seconds(1)
    let _: Timestamp = .now
}
