import Models
import ScrollbackTesting
import Testing

@testable import Sync

/// Tests which events are recorded for the requests that are in flight when the events arrive.
@Suite struct FlightsTests {
    @Test func tooManyRecordsMakeAnAnswerVoid() {
        var flights = Flights()
        let flight = flights.begin(in: "c", feedHadBegun: true)
        for number in 0...20_000 { flights.record(.touched, of: MessageID("\(number)"), in: "c") }
        #expect(flights.end(flight) == nil)
    }

    @Test func interimHasTheChannelsReportedSinceTheRequest() {
        var flights = Flights()
        let first = flights.begin(in: nil, feedHadBegun: true)
        flights.recordChannel("a")
        let second = flights.begin(in: nil, feedHadBegun: true)
        flights.recordChannel("b")
        #expect(flights.end(first)?.channels == ["a", "b"])
        #expect(flights.end(second)?.channels == ["b"])
        let third = flights.begin(in: nil, feedHadBegun: true)
        #expect(flights.end(third)?.channels == [])
    }

    private enum Happening {
        case touched(MessageID, ChannelURL)
        case unconfirmed(MessageID, ChannelURL)
        case deleted(MessageID, ChannelURL)
        case void(ChannelURL)
        case voidAll
    }

    /// Compares `Flights` with a model that keeps a list of all events.
    @Test(arguments: 0..<100) func flightsEqualAModelThatRecordsEverything(seed: Int) {
        var random = SeededRandom(seed: seed)
        var flights = Flights()
        var happened: [Happening] = []
        var open: [(flight: Flights.Flight, since: Int)] = []
        let urls: [ChannelURL] = ["c", "d"]
        for _ in 0..<300 {
            let url = urls[random.number(below: 2)]
            let id = MessageID("\(random.number(below: 4))")
            switch random.number(below: 12) {
            case 0...2:
                let flight =
                    random.oneIn(4)
                    ? flights.begin(in: nil, feedHadBegun: false, isSearch: true)
                    : flights.begin(in: url, feedHadBegun: true)
                open.append((flight, happened.count))
            case 3...5 where !open.isEmpty:
                let (flight, since) = open.remove(at: random.number(below: open.count))
                if flight.channelURL == nil {
                    compare(flights.end(flight), happened[since...])
                    continue
                }
                var touched: Set<MessageID> = []
                var unconfirmed: Set<MessageID> = []
                var deleted: Set<MessageID> = []
                var isVoid = false
                for happening in happened[since...] {
                    switch happening {
                    case .touched(let id, flight.channelURL):
                        touched.insert(id)
                        unconfirmed.remove(id)
                        deleted.remove(id)
                    case .unconfirmed(let id, flight.channelURL): unconfirmed.insert(id)
                    case .deleted(let id, flight.channelURL):
                        touched.insert(id)
                        unconfirmed.remove(id)
                        deleted.insert(id)
                    case .void(flight.channelURL), .voidAll: isVoid = true
                    default: break
                    }
                }
                let interim = flights.end(flight)
                #expect(interim?.touched == (isVoid ? nil : touched))
                #expect(interim?.unconfirmed == (isVoid ? nil : unconfirmed))
                #expect(interim?.deleted == (isVoid ? nil : deleted))
            case 6, 7:
                flights.record(.touched, of: id, in: url)
                happened.append(.touched(id, url))
            case 8:
                flights.record(.unconfirmed(isNew: random.oneIn(2)), of: id, in: url)
                happened.append(.unconfirmed(id, url))
            case 9, 10:
                flights.record(.deleted, of: id, in: url)
                happened.append(.deleted(id, url))
            default:
                if random.oneIn(8) {
                    flights.voidAll()
                    happened.append(.voidAll)
                } else if random.oneIn(3) {
                    flights.void(url)
                    happened.append(.void(url))
                }
            }
            #expect(flights.inFlightCount == open.count)
            for url in urls {
                #expect(
                    flights.hasRequests(in: url)
                        == open.contains { [url, nil].contains($0.flight.channelURL) })
            }
        }
    }

    /// Compares the changes since a search with a list of all events.
    private func compare(_ interim: Flights.Interim?, _ happened: ArraySlice<Happening>) {
        var touched: [ChannelURL: Set<MessageID>] = [:]
        var deleted: [ChannelURL: Set<MessageID>] = [:]
        var void: Set<ChannelURL> = []
        for happening in happened {
            switch happening {
            case .touched(let id, let url):
                touched[url, default: []].insert(id)
                deleted[url]?.remove(id)
            case .unconfirmed: break
            case .deleted(let id, let url):
                touched[url, default: []].insert(id)
                deleted[url, default: []].insert(id)
            case .void(let url):
                void.insert(url)
                (touched[url], deleted[url]) = (nil, nil)
            case .voidAll:
                #expect(interim == nil)
                return
            }
        }
        #expect(interim?.voidChannels == void)
        for url in ["c", "d"] as [ChannelURL] {
            #expect(interim?.ofSearch(in: url).touched == touched[url] ?? [])
            #expect(interim?.ofSearch(in: url).deleted == deleted[url] ?? [])
        }
    }
}
