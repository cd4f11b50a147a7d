import Scrollback
import Testing

@testable import ScrollbackREPL

@Suite struct PictureTests {
    private let a = Position(createdAt: 1, messageID: "a")
    private let b = Position(createdAt: 2, messageID: "b")
    private let c = Position(createdAt: 3, messageID: "c")

    private func gap(_ lower: Position?, _ upper: Position?) -> Gap {
        Gap(
            in: "general", from: lower.map(Gap.Bound.position) ?? .beginning,
            to: upper.map(Gap.Bound.position) ?? .end)
    }

    private func picture(_ messages: [Position], _ gaps: [Gap]) -> String {
        Picture(messages: messages, gaps: gaps).description
    }

    @Test func messagesStandOldestFirst() {
        #expect(picture([a, b, c], []) == "a b c")
        #expect(picture([], []) == "")
    }

    @Test func gapIsDrawnAtItsPosition() {
        #expect(picture([a, b, c], [gap(a, b)]) == "a ~ b c")
        #expect(picture([a, b, c], [gap(b, c)]) == "a b ~ c")
        #expect(picture([a, b, c], [gap(a, b), gap(b, c)]) == "a ~ b ~ c")
    }

    @Test func moreStandsBeforeTheFirstAndAfterTheLast() {
        #expect(picture([a, b], [gap(nil, a)]) == "… a b")
        #expect(picture([a, b], [gap(b, nil)]) == "a b …")
        #expect(picture([], [gap(nil, nil)]) == "…")
    }

    @Test func messageInsideAGapIsDrawnBetweenGaps() {
        #expect(picture([a, b, c], [gap(a, c)]) == "a ~ b ~ c")
        #expect(picture([b], [gap(nil, nil)]) == "… b …")
    }

    @Test func gapIsDrawnAfterTheMessageAtItsBoundIsRemoved() {
        #expect(picture([a, c], [gap(a, b)]) == "a ~ c")
        #expect(picture([a, c], [gap(a, b), gap(b, c)]) == "a ~ c")
        #expect(picture([a], [gap(b, c)]) == "a …")
    }

    @Test func omittedOlderMessagesAreDrawnAsAnEllipsis() {
        #expect(Picture(messages: [b, c], gaps: [], isCut: true).description == "… b c")
        #expect(
            Picture(messages: [b, c], gaps: [gap(b, c)], isCut: true).description == "… b ~ c")
    }

    @Test func outboxItemsComeLastAndChangesAreNotShown() {
        var failed = OutboxItem(
            Message(id: nil, channelURL: "general", createdAt: 4), requestID: "r2")
        failed.fail(.requestFailed)
        let items = [
            OutboxItem(Message(id: nil, channelURL: "general", createdAt: 4), requestID: "r1"),
            OutboxItem(
                .delete, requestID: "r3", channelURL: "general", createdAt: 5, messageID: "a"),
            failed,
        ]
        #expect(
            Picture(messages: [a], gaps: [], items: items).description == "a (r1) !r2")
    }

    @Test(arguments: [
        (1005, 1010, "█████░░░░░"), (1011, Int64.max - 1, "█████████░"), (1, 5, "░█████████"),
    ])
    func barShowsMissingHistoryOfAnyTime(lower: Int64, upper: Int64, bar: String) throws {
        let times: [Timestamp] = [1000, 1010]
        let bounds = [lower, upper].map {
            Position(createdAt: Timestamp(milliseconds: $0), messageID: "a")
        }
        let store = try ChatStore.inMemory()
        try store.write { batch in
            for time in times {
                try batch.save(Message(id: "\(time)", channelURL: "general", createdAt: time))
            }
            try batch.cover("general", from: .beginning, through: .end)
            try batch.open(gap(bounds[0], bounds[1]))
        }
        let coverage = try store.read { try $0.coverage(of: "general") }
        let shown = CoverageBar(coverage, from: times[0], to: times[1], items: 0, width: 10)
        #expect(shown.description == bar)
    }

    @Test(arguments: [
        "a", "a b c", "… a", "a …", "… a …", "…", "a ~ b", "… a ~ b ~ c …", "(a)", "a (b) !c (d)",
        "… (a)", "… a b ~ d e !f",
    ])
    func drawnHistoryEqualsTheDiagram(text: String) throws {
        let store = try ChatStore.inMemory()
        for before in ["… x y (z)", "a b c"] {
            try store.write { batch in
                try Picture(before).write(to: "general", from: 0, in: batch)
            }
            try store.write { batch in
                try Picture(text).write(to: "general", from: 0, in: batch)
            }
            let messages = try store.messages(in: "general", after: .oldest)
            let picture = Picture(
                messages: messages.compactMap(\.position), gaps: try store.gaps(in: "general"),
                items: try store.outboxItems(in: "general"))
            #expect(picture.description == text)
        }
    }

    @Test func threeDotsAreAnEllipsis() throws {
        #expect(try Picture(" ... a  ~ b ").description == "… a ~ b")
    }

    @Test(arguments: [
        ("~", "'~': ~ must be between two messages"),
        ("~ a", "'~ a': ~ must be between two messages"),
        ("a ~ ~ b", "'a ~ ~ b': ~ must be between two messages"),
        ("a ~ …", "'a ~ …': ~ must be between two messages"),
        ("a … b", "'a … b': … must be first or last"),
        ("… …", "'… …': a history without messages is drawn as …"),
        ("a b a", "'a b a': each message can be drawn only once"),
        ("(a) !a", "'(a) !a': each message can be drawn only once"),
        ("(a) b", "'(a) b': unsent messages must come last"),
    ])
    func invalidDiagramIsAnError(text: String, message: String) {
        let error = #expect(throws: CommandError.self) { try Picture(text) }
        #expect(error?.description == message)
    }
}
