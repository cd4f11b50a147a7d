import Foundation
import Models
import Store
import Sync

/// A backend with one deliberate mistake.
///
/// It changes one call; other calls may record data for it.
struct WrongBackend: ForwardingBackend {
    let base: any Backend
    var onConnect: (@Sendable (Credentials) async throws -> BackendSession)?
    var onFeed: (@Sendable (FeedCursor?) async throws -> FeedBatch)?
    var onMessages: (@Sendable (ChannelURL, MessageAnchor, Int, Int) async throws -> MessagePage)?
    var onLookup: (@Sendable ([MessageID], ChannelURL) async throws -> MessageLookup)?
    var onChanges: (@Sendable (ChannelURL, ChangelogPoint) async throws -> MessageChangelog)?
    var onSend: (@Sendable (OutboxItem) async throws -> Message)?
    var onUpdate:
        (@Sendable (MessageID, ChannelURL, MessageUpdate, RequestID) async throws -> Message)?
    var onDelete: (@Sendable (MessageID, ChannelURL, RequestID) async throws -> Void)?
    var onTyping: (@Sendable (Bool, ChannelURL) async throws -> Void)?
    var onChannelChanges: (@Sendable (ChangelogPoint) async throws -> GroupChannelChangelog)?
    var onChannels:
        (@Sendable (GroupChannelListQuery, PageCursor?) async throws -> Page<GroupChannel>)?
    var onChannel: (@Sendable (ChannelURL) async throws -> GroupChannel)?
    var onMembers: (@Sendable (ChannelURL, PageCursor?, Int) async throws -> Page<Member>)?
    var onReplies:
        (@Sendable (MessageID, ChannelURL, MessageAnchor, Int, Int) async throws -> MessagePage)?
    var onCount: (@Sendable (ChannelURL, Timestamp?, Timestamp?) async throws -> Int)?
    var onSearch: (@Sendable (MessageSearchParams, PageCursor?, Int) async throws -> Page<Message>)?
    var onReact:
        (
            @Sendable (ReactionEventAction, String, MessageID, ChannelURL, RequestID) async throws
                -> ReactionEvent
        )?
    var onDownload: (@Sendable (FileInfo) async throws -> Data)?
    var onCreate: (@Sendable (GroupChannelCreateParams) async throws -> GroupChannel)?
    var onUpdateChannel: (@Sendable (ChannelURL, Patch<GroupChannel>) async throws -> GroupChannel)?
    var onDeleteChannel: (@Sendable (ChannelURL) async throws -> Void)?
    var onInvite: (@Sendable ([UserID], ChannelURL) async throws -> Void)?
    var onAnswer: (@Sendable (ChannelURL, Bool) async throws -> Void)?
    var onLeave: (@Sendable (ChannelURL) async throws -> Void)?
    var onHide: (@Sendable (ChannelURL, HiddenState) async throws -> Void)?
    var onFrozen: (@Sendable (Bool, ChannelURL) async throws -> Void)?
    var onRestrict: (@Sendable (UserID, ChannelURL, RestrictionType) async throws -> Void)?
    var onExit: (@Sendable (ChannelURL) async throws -> Void)?
    var onUnread: (@Sendable (MessageID, ChannelURL) async throws -> Void)?
    var onPin: (@Sendable (Bool, MessageID, ChannelURL) async throws -> Void)?
    var onPoll: (@Sendable (Poll) async throws -> Poll)?
    var onVote: (@Sendable ([Int64], MessageID, ChannelURL) async throws -> Message)?
    var onBlock: (@Sendable (Bool, UserID) async throws -> Void)?
    var onBlocked: (@Sendable (PageCursor?, Int) async throws -> Page<User>)?
    var onReport: (@Sendable (ModerationReport) async throws -> Void)?
    var onRole: (@Sendable (Role, [UserID], ChannelURL) async throws -> Void)?
    var onRestricted:
        (
            @Sendable (ChannelURL, RestrictionType, PageCursor?, Int) async throws
                -> Page<RestrictedUser>
        )?
    /// Changes a response.
    var alter: @Sendable (Any) -> Any = { $0 }
    var disconnects = true
    var losesChangesWithParams = false

    init(_ base: any Backend) { self.base = base }

    func disconnect() async { if disconnects { await base.disconnect() } }

    func perform<Answer: Sendable>(
        _ call: String, _ arguments: [(any Sendable)?],
        _ body: () async throws(BackendError) -> Answer
    ) async throws(BackendError) -> Answer {
        let name = String(call.prefix { $0 != "(" })
        guard let wrong = replacement(of: name, arguments) else {
            let answer = try await body()
            return alter(answer) as? Answer ?? answer
        }
        do {
            guard let answer = try await wrong() as? Answer else { preconditionFailure(call) }
            return answer
        } catch {
            throw (error as? BackendError) ?? BackendError(.serverFailure, "\(error)")
        }
    }

    private func replacement(
        of name: String, _ arguments: [(any Sendable)?]
    ) -> (() async throws -> Any)? {
        func at<Argument>(_ index: Int) -> Argument {
            guard let argument = arguments[index] as? Argument else {
                preconditionFailure("\(name): argument \(index)")
            }
            return argument
        }
        if losesChangesWithParams, name == "messageChanges", arguments[2] != nil {
            return {
                var changes = try await base.messageChanges(in: at(0), since: at(1))
                changes.updated = []
                return changes
            }
        }
        if losesChangesWithParams, name == "channelChanges", arguments[1] != nil {
            return {
                var changes = try await base.channelChanges(since: at(0))
                changes.updated = []
                return changes
            }
        }
        return switch name {
        case "connect": onConnect.map { on in { try await on(at(0)) } }
        case "feed": onFeed.map { on in { try await on(at(0)) } }
        case "messages": onMessages.map { on in { try await on(at(0), at(1), at(2), at(3)) } }
        case "lookup": onLookup.map { on in { try await on(at(0), at(1)) } }
        case "messageChanges": onChanges.map { on in { try await on(at(0), at(1)) } }
        case "channelChanges": onChannelChanges.map { on in { try await on(at(0)) } }
        case "channels": onChannels.map { on in { try await on(at(0), at(1)) } }
        case "channel": onChannel.map { on in { try await on(at(0)) } }
        case "members": onMembers.map { on in { try await on(at(0), at(1), at(2)) } }
        case "send": onSend.map { on in { try await on(at(0)) } }
        case "update": onUpdate.map { on in { try await on(at(0), at(1), at(2), at(3)) } }
        case "delete": onDelete.map { on in { try await on(at(0), at(1), at(2)) } }
        case "setTyping": onTyping.map { on in { try await on(at(0), at(1)) } }
        case "replies": onReplies.map { on in { try await on(at(0), at(1), at(2), at(3), at(4)) } }
        case "countMessages": onCount.map { on in { try await on(at(0), at(1), at(2)) } }
        case "searchMessages": onSearch.map { on in { try await on(at(0), at(1), at(2)) } }
        case "react": onReact.map { on in { try await on(at(0), at(1), at(2), at(3), at(4)) } }
        case "download": onDownload.map { on in { try await on(at(0)) } }
        case "createChannel": onCreate.map { on in { try await on(at(0)) } }
        case "updateChannel": onUpdateChannel.map { on in { try await on(at(0), at(1)) } }
        case "deleteChannel": onDeleteChannel.map { on in { try await on(at(0)) } }
        case "invite": onInvite.map { on in { try await on(at(0), at(1)) } }
        case "answerInvitation": onAnswer.map { on in { try await on(at(0), at(1)) } }
        case "leave": onLeave.map { on in { try await on(at(0)) } }
        case "hide": onHide.map { on in { try await on(at(0), at(1)) } }
        case "setFrozen": onFrozen.map { on in { try await on(at(0), at(1)) } }
        case "restrict": onRestrict.map { on in { try await on(at(0), at(1), at(2)) } }
        case "markAsUnread": onUnread.map { on in { try await on(at(0), at(1)) } }
        case "setPinned": onPin.map { on in { try await on(at(0), at(1), at(2)) } }
        case "setRole": onRole.map { on in { try await on(at(0), at(1), at(2)) } }
        case "restrictedUsers":
            onRestricted.map { on in { try await on(at(0), at(1), at(2), at(3)) } }
        case "createPoll": onPoll.map { on in { try await on(at(0)) } }
        case "vote": onVote.map { on in { try await on(at(0), at(1), at(2)) } }
        case "setBlocked": onBlock.map { on in { try await on(at(0), at(1)) } }
        case "blockedUsers": onBlocked.map { on in { try await on(at(0), at(1)) } }
        case "report": onReport.map { on in { try await on(at(0)) } }
        case "exit": onExit.map { on in { try await on(at(0)) } }
        default: nil
        }
    }
}

/// The state that all devices of a wrong backend share.
final class Memory: Sendable {
    struct Contents {
        var outboxItems: [RequestID: Int] = [:]
        var messages: [Message] = []
        var senders: [MessageID: any Backend] = [:]
        var pages: [String: MessagePage] = [:]
        var firstMessages: [ChannelURL: Message] = [:]
        var user: UserID?
        var cursors: Set<FeedCursor> = []
        var channels: [ChannelURL: Int] = [:]
        var reactions: Set<String> = []
        var count = 0
    }

    private let contents = Locked(Contents())

    func use<Result: Sendable>(_ body: (inout Contents) -> Result) -> Result {
        contents.withLock { body(&$0) }
    }
}
