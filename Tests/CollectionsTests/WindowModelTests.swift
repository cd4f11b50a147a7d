import Models
import ScrollbackStorySupport
import ScrollbackTestSupport
import ScrollbackTesting
import Store
import Sync
import Testing

@testable import Collections

/// Compares a window with a simple read of the store, under random writes and moves of the window.
@Suite struct WindowModelTests {
    @Test(arguments: Seeds.count(60, atNight: 2_000)) func windowEqualsTheStoredHistory(seed: Int)
        throws
    {
        var random = SeededRandom(seed: seed)
        var world = try World(&random)
        for step in 0..<60 {
            try world.step(&random)
            guard try world.holds("seed \(seed), step \(step)") else { return }
        }
    }

    /// A store, a window that reads it, and the changes that the window has not applied yet.
    struct World {
        let url: ChannelURL = "c"
        let store: ChatStore
        let changes: ObservedChanges
        var window: Window
        var shown: [MessageItem] = []
        /// The rows of the listed messages, by message IDs or, of unsent ones, by request IDs.
        private var rows: [MessageReference: Message.ID] = [:]
        private(set) var problem: String?
        var last = ""
        private var nextID = 0
        private var hasOpened = false

        init(_ random: inout SeededRandom) throws {
            store = try ChatStore.inMemory()
            changes = try store.observe(.channel(url)).changes
            var params = MessageListParams()
            params.previousResultSize = random.number(below: 5)
            params.nextResultSize = random.number(below: 4)
            params.isReversed = random.oneIn(2)
            if random.oneIn(2) { params.customTypes = ["x"] }
            window = Window(
                on: url, params: params, userID: "me",
                capacity: random.oneIn(2) ? .max : 3 + random.number(below: 6))
        }

        mutating func step(_ random: inout SeededRandom) throws {
            if !hasOpened || random.oneIn(12) { return try open(&random) }
            switch random.number(below: 8) {
            case 0:
                last = "load older"
                let count = 1 + random.number(below: 4)
                let edits = try window.load(
                    .older, count, crossesGaps: random.oneIn(2), in: try store.snapshot()
                ).edits
                try apply(edits, trimming: .newest)
            case 1:
                last = "load newer"
                let count = 1 + random.number(below: 4)
                let edits = try window.load(
                    .newer, count, crossesGaps: random.oneIn(2), in: try store.snapshot()
                ).edits
                try apply(edits, trimming: .oldest)
            case 2 where random.oneIn(6):
                last = "read again"
                try apply(try window.readAgain(in: try store.snapshot()), trimming: .oldest)
            default:
                last = ""
                for _ in 0...random.number(below: 4) {
                    try store.write { batch in
                        for _ in 0...random.number(below: 3) { try change(batch, &random) }
                    }
                }
                var untaken = changes.drain()[...]
                while let change = untaken.popFirst() {
                    var edits = window.record(change)
                    if edits.mustReadAgain {
                        // `readAgain` reads a snapshot that already contains the remaining changes.
                        edits = try window.readAgain(
                            in: try store.snapshot(), after: edits, Array(untaken))
                        untaken = []
                    }
                    try apply(edits, trimming: .oldest)
                }
            }
        }

        private mutating func open(_ random: inout SeededRandom) throws {
            hasOpened = true
            let start: Window.Start =
                random.oneIn(2) ? .newest : .time(Timestamp(milliseconds: time(&random)))
            last = "open at \(start)"
            try apply(
                try window.open(
                    at: start, crossesGaps: random.oneIn(2), in: try store.snapshot()),
                trimming: .oldest)
        }

        private mutating func apply(_ edits: WindowEdits, trimming end: Window.End) throws {
            var edits = edits
            let diff = window.apply(&edits, trimming: end)
            shown = CollectionChange(diff, in: window.items).applied(to: shown)
            checkRows()
        }

        /// Checks that no two messages share a row, and that listed messages keep theirs.
        private mutating func checkRows() {
            let messages = window.items.compactMap(\.message)
            if Set(messages.map(\.id)).count < messages.count { problem = "a row occurs twice" }
            var next: [MessageReference: Message.ID] = [:]
            for message in messages {
                guard let reference = MessageReference(message) else { continue }
                next[reference] = message.id
                if let row = rows[reference], row != message.id {
                    problem = "\(message.text) has got another row"
                }
            }
            let ended = rows.filter { next[$0.key] == nil && $0.key == $0.value }.values
            for row in ended {
                guard case .written(let request) = row,
                    let message = messages.first(where: { $0.requestID == request }),
                    MessageReference(message).map({ rows[$0] == nil }) ?? false
                else { continue }
                if !next.values.contains(row) { problem = "\(message.text) has lost its row" }
            }
            rows = next
        }

        // MARK: The store

        private func time(_ random: inout SeededRandom) -> Int64 {
            Int64(random.number(below: 20)) * 10
        }

        private mutating func newID() -> String {
            nextID += 1
            return "\(nextID)"
        }

        private mutating func message(_ random: inout SeededRandom) -> Message {
            var message = Message(
                id: MessageID("m\(newID())"), channelURL: url, text: "t\(random.number(below: 3))",
                createdAt: Timestamp(milliseconds: time(&random)))
            message.customType = random.oneIn(3) ? "" : "x"
            // Some servers do not deduplicate, so that request IDs occur twice.
            if random.oneIn(4) {
                message.requestID = RequestID("r\(1 + random.number(below: nextID))")
            }
            return message
        }

        private func bound(_ random: inout SeededRandom, _ held: [Message]) -> Gap.Bound {
            switch random.number(below: 5) {
            case 0: return .beginning
            case 1: return .end
            default:
                return held.randomElement(using: &random)?.position.map { .position($0) } ?? .end
            }
        }

        private mutating func change(_ batch: Batch, _ random: inout SeededRandom) throws {
            let held = try batch.messages(in: url)
            let items = try batch.outboxItems(in: url)
            let item = items.randomElement(using: &random)
            var some = held.randomElement(using: &random)
            switch random.number(below: 15) {
            case 0, 1, 2:
                last += " save"
                try batch.save(message(&random))
            case 3:
                last += " edit"
                some?.text += "'"
                some?.customType = random.oneIn(2) ? "" : "x"
                if random.oneIn(3) { some?.requestID = RequestID("r\(newID())") }
                if let some { try batch.save(some) }
            case 4:
                last += " move"
                some?.createdAt = Timestamp(milliseconds: time(&random))
                if let some { try batch.save(some) }
            case 5:
                last += " remove"
                if let id = some?.messageID { try batch.removeMessage(id, in: url) }
            case 6:
                guard random.oneIn(4) else { return }
                last += " remove some"
                let bounds = [bound(&random, held), bound(&random, held)].sorted()
                _ = try batch.removeMessages(in: url, from: bounds[0], through: bounds[1])
            case 7:
                let bounds = [bound(&random, held), bound(&random, held)].sorted()
                guard bounds[0] < bounds[1] else { return }
                last += " gap"
                try batch.open(Gap(in: url, from: bounds[0], to: bounds[1]))
            case 8, 9:
                let bounds = [bound(&random, held), bound(&random, held)].sorted()
                last += " cover"
                _ = try batch.cover(url, from: bounds[0], through: bounds[1])
            case 10:
                guard random.oneIn(6) else { return }
                last += " clear"
                if random.oneIn(2) {
                    try batch.clearMessages(in: url)
                } else {
                    try batch.clearCachedData()
                }
            case 11:
                last += " write"
                var message = message(&random)
                let id = RequestID("r\(newID())")
                message.messageID = nil
                message.requestID = id
                message.sendingStatus = .pending
                try batch.save(OutboxItem(message, requestID: id))
            case 12:
                guard let item else { return }
                last += " take back"
                try batch.removeOutboxItem(item.requestID, source: .localMessageCanceled)
            case 13:
                guard var item else { return }
                if item.operation == .send, var message = item.message {
                    last += " sent"
                    message.messageID = MessageID("m\(newID())")
                    message.createdAt = Timestamp(milliseconds: 200 + time(&random))
                    message.sendingStatus = .succeeded
                    if random.oneIn(2) { try batch.save(message) }
                    try batch.removeOutboxItem(item.requestID)
                    if random.oneIn(2) { try batch.save(message) }
                } else {
                    last += " fail"
                    item.state = .failed
                    try batch.save(item)
                }
            default:
                var item = OutboxItem()
                item.requestID = RequestID("r\(newID())")
                item.channelURL = url
                item.createdAt = 1
                let target = items.filter { $0.operation == .send }.randomElement(using: &random)
                if let target, random.oneIn(2) {
                    item.targetRequestID = target.requestID
                } else if let some {
                    item.messageID = some.messageID
                } else {
                    return
                }
                switch random.number(below: 4) {
                case 0: item.operation = .delete
                case 1:
                    item.operation = .addReaction
                    item.reactionKey = "+1"
                default:
                    item.operation = .update
                    var params = UserMessageUpdateParams()
                    params.text = "edited"
                    params.customType = random.oneIn(2) ? "" : "x"
                    item.userMessageUpdateParams = params
                }
                last += " change by \(item.operation)"
                try batch.save(item)
            }
        }

        // MARK: Checking

        func holds(_ place: String) throws -> Bool {
            let expected = try naiveItems()
            let sentCount = window.items.count { $0.message?.position != nil }
            #expect(sentCount <= window.capacity, "\(place), \(last): \(sentCount) messages")
            #expect(problem == nil, "\(place), \(last)")
            let isRight = expected == window.items && shown == window.items && problem == nil
            #expect(
                isRight,
                """
                \(place), \(last), from \(window.lower) to \(window.upper):
                \(picture(window.items)) instead of
                \(picture(expected)); reported \(picture(shown))
                """)
            return isRight
        }

        private func picture(_ items: [MessageItem]) -> String {
            items.map { item in
                item.message.map { "\($0.id) \($0.text)" } ?? "~\(item.gap!)"
            }.joined(separator: ", ")
        }

        private func naiveItems() throws -> [MessageItem] {
            try store.snapshot().naiveItems(
                in: url, from: window.lower, to: window.upper, params: window.params, userID: "me")
        }
    }
}
