import Models
import ScrollbackTesting
import Store
import Testing

@testable import Sync

/// Tests which ranges pages cover, for all pages that a server may return of some small histories.
@Suite struct PageExtentTests {
    /// The three possible positions.
    ///
    /// In each history, some of them have a message.
    static let places = (1...3).map { Message.sample($0) }

    /// Returns the page that a correct server returns for positions `from` to `to`.
    ///
    /// On each side with further messages, the page has a cursor.
    private func page(_ history: [Message], from: Int, to: Int) -> MessagePage {
        func place(_ message: Message) -> Int {
            Self.places.firstIndex { $0.messageID == message.messageID }!
        }
        return MessagePage(
            messages: history.filter { (from..<to).contains(place($0)) },
            older: history.contains { place($0) < from } ? "older" : nil,
            newer: history.contains { place($0) >= to } ? "newer" : nil)
    }

    private func covers(_ extent: PageExtent, _ message: Message) -> Bool {
        let bound = Gap.Bound.position(message.position!)
        return extent.from <= bound && bound <= extent.through
    }

    /// Tests every history of three positions and every page of it, with and without a known
    /// message next to the page.
    ///
    /// The page must contain all messages of the range that it covers.
    @Test func pageCoversOnlyItsOwnRange() {
        for mask in 0..<8 {
            let history = Self.places.enumerated().filter { mask & (1 << $0.offset) != 0 }
                .map(\.element)
            for from in 0...3 {
                for to in from...3 {
                    let page = page(history, from: from, to: to)
                    // The edge is the message next to the page, at its newer or its older end, or
                    // nil.
                    let above = to < 3 ? Gap.Bound.position(Self.places[to].position!) : nil
                    let below = from > 0 ? Gap.Bound.position(Self.places[from - 1].position!) : nil
                    for bound in [nil, above, below] {
                        for feedHadBegun in [true, false] {
                            check(page, history, bound, feedHadBegun)
                        }
                    }
                }
            }
        }
    }

    private func check(
        _ page: MessagePage, _ history: [Message], _ bound: Gap.Bound?, _ feedHadBegun: Bool
    ) {
        guard let extent = PageExtent(page, bound: bound, feedHadBegun: feedHadBegun) else {
            #expect(page.messages.isEmpty || !feedHadBegun)
            return
        }
        // If the feed does not follow the channel, a page covers nothing: no event would report a
        // message that is sent after the page was read.
        #expect(feedHadBegun)
        #expect(extent.from <= extent.through)
        if extent.from == .beginning { #expect(page.older == nil) }
        if extent.through == .end { #expect(page.newer == nil) }
        for message in history where covers(extent, message) {
            let isBound = bound == .position(message.position!)
            #expect(page.messages.contains(message) || isBound)
        }
        for message in page.messages { #expect(covers(extent, message)) }
        if let bound { #expect(extent.from <= bound && bound <= extent.through) }
    }

    @Test func wholeHistoryIsCoveredToBothEndsIfItIsFollowed() {
        let empty = MessagePage(messages: [], older: nil, newer: nil)
        for page in [page(Self.places, from: 0, to: 3), empty] {
            #expect(
                PageExtent(page, bound: nil, feedHadBegun: true)
                    == PageExtent(from: .beginning, through: .end))
            #expect(PageExtent(page, bound: nil, feedHadBegun: false) == nil)
        }
    }

    @Test func emptyPageInTheMiddleCoversOnlyItsEdge() {
        let page = MessagePage(messages: [], older: "older", newer: "newer")
        let bound = Gap.Bound.position(Self.places[1].position!)
        #expect(PageExtent(page, bound: nil, feedHadBegun: true) == nil)
        #expect(
            PageExtent(page, bound: bound, feedHadBegun: true)
                == PageExtent(from: bound, through: bound)
        )
    }

    @Test func aPageDoesNotCoverTheRangeToItsOutliers() {
        let places = Self.places
        func extent(_ outliers: Set<MessageID>, bound: Gap.Bound? = nil) -> PageExtent? {
            let page = MessagePage(
                messages: places, outliers: outliers, older: "older", newer: "newer")
            return PageExtent(page, bound: bound, feedHadBegun: true)
        }
        let bounds = places.map { Gap.Bound.position($0.position!) }
        #expect(extent(["1"]) == PageExtent(from: bounds[1], through: bounds[2]))
        #expect(extent(["2"]) == PageExtent(from: bounds[0], through: bounds[2]))
        #expect(extent(["1", "3"]) == PageExtent(from: bounds[1], through: bounds[1]))
        #expect(extent(["1", "2", "3"]) == nil)
        #expect(
            extent(["1", "2", "3"], bound: bounds[2])
                == PageExtent(from: bounds[2], through: bounds[2]))
    }
}
