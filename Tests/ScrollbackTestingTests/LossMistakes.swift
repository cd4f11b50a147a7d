import Models
import Sync

// Calls that lose a field of a message which others return.
extension Mistake {
    /// The losses, by the field that is lost.
    private static let losses: [(field: String, lose: @Sendable (inout Message) -> Void)] = [
        ("data", { $0.data = "" }),
        ("custom type", { $0.customType = "" }),
        ("meta arrays", { $0.metaArrays = [] }),
        ("request ID", { $0.requestID = nil }),
    ]

    private static let lossesOfAbilities:
        [(field: String, lose: @Sendable (inout Message) -> Void)] = [
            ("nickname", { $0.sender?.nickname = "" }),
            ("mentions", { $0.mentionedUserIDs = [] }),
            ("template of mentions", { $0.mentionedMessageTemplate = nil }),
            ("parent", { $0.parentMessageID = nil }),
            ("summary of the parent", { $0.parentMessageInfo = nil }),
            ("thread", { $0.threadInfo = nil }),
            ("reactions", { $0.reactionHistory = [] }),
            ("name of the file", { $0.file?.name = nil }),
            ("type of the file", { $0.file?.mimeType = nil }),
            ("time of the edit", { $0.updatedAt = nil }),
            ("poll", { $0.poll = nil }),
        ]

    /// Losses on a server for texts only.
    static let lossMistakes: [Mistake] =
        losses.flatMap { [inPages($0), inTheFeed($0)] } + [
            .altering("loses the custom type in lookups", ["messages.same", "feed.whole"]) {
                (lookup: inout MessageLookup) in
                lookup.found = lookup.found.map { $0.changed { $0.customType = "" } }
            },
            .altering("omits the sending status in pages", ["messages.sent"]) {
                (page: inout MessagePage) in
                page.messages = page.messages.map { $0.changed { $0.sendingStatus = .none } }
            },
        ]

    /// Losses on a server that has all capabilities.
    static let lossesOfAllFields: [Mistake] =
        lossesOfAbilities.flatMap { [inPages($0), inTheFeed($0)] }

    private static func inPages(
        _ loss: (field: String, lose: @Sendable (inout Message) -> Void),
        _ promises: Set<String> = ["messages.same"]
    ) -> Mistake {
        .altering("loses the \(loss.field) in pages", promises) { (page: inout MessagePage) in
            page.messages = page.messages.map { $0.changed(loss.lose) }
        }
    }

    private static func inTheFeed(
        _ loss: (field: String, lose: @Sendable (inout Message) -> Void),
        _ promises: Set<String> = ["feed.whole"]
    ) -> Mistake {
        .altering("loses the \(loss.field) in the feed", promises) { (batch: inout FeedBatch) in
            batch.events = batch.events.map { event in
                switch event {
                case .messageReceived(let message): .messageReceived(message.changed(loss.lose))
                case .messageUpdated(let message): .messageUpdated(message.changed(loss.lose))
                default: event
                }
            }
        }
    }
}

extension Message {
    fileprivate func changed(_ change: (inout Message) -> Void) -> Message {
        var message = self
        change(&message)
        return message
    }
}
