import Models
import ScrollbackTesting

extension Trace {
    static let channels = ["x", "y"]
    static let users = ["alice", "carol", "bob"]

    /// Creates a random trace.
    ///
    /// Equal seeds give equal traces.
    init(seed: Int, length: Int = 100) {
        var maker = TraceMaker(random: SeededRandom(seed: seed &* 7919 &+ 17))
        var config = maker.config()
        // This property has its own random numbers, so that it does not change the steps.
        var random = SeededRandom(seed: seed &* 7919 &+ 18)
        config.hasSeparateReactions = random.oneIn(3)
        self.init(seed: seed, config: config, steps: maker.steps(length))
        if seed.isMultiple(of: 3) { addPagesOfKinds(&random) }
        if seed % 6 > 3 { addOmittedChanges(&random) }
    }

    /// Inserts connections after which the feed omits changes of known messages, and the app
    /// fetches a page before the engine has read these changes.
    ///
    /// Half of them are followed by another such connection before the engine has read the changes.
    private mutating func addOmittedChanges(_ random: inout SeededRandom) {
        var index = 15
        while index < steps.count {
            let said = steps[..<index].compactMap { step in
                if case .say(let tag, let url, _, _) = step { (tag: tag, url: url) } else { nil }
            }
            if let page = said.randomElement(using: &random) {
                func changes() -> [Step] {
                    (0...random.number(below: 3)).map { _ in
                        let tag = said.randomElement(using: &random)?.tag ?? page.tag
                        return random.oneIn(2) ? .edit(tag) : .delete(tag)
                    }
                }
                let place: Step.Anchor =
                    switch random.number(below: 3) {
                    case 0: .newest
                    case 1: .time(page.tag)
                    default: .message(page.tag)
                    }
                let fetch = Step.fetch(
                    page.url, place, older: random.number(below: 4), newer: random.number(below: 4))
                let limit = random.number(below: 2)
                var group: [Step] = []
                for _ in 0...random.number(below: 2) {
                    group += [.disconnect] + changes() + [.feedLimit(limit), .connect]
                    group += [.pass(-1), .passFeed]
                }
                group += [.feedLimit(nil), fetch, .perform(-1), .deliver(-1)]
                steps.insert(contentsOf: group, at: index)
                index += group.count
            }
            index += 8 + random.number(below: 24)
        }
    }

    /// Inserts requests for messages of a kind, during many of which something else happens.
    private mutating func addPagesOfKinds(_ random: inout SeededRandom) {
        var index = 12
        while index < steps.count {
            let url = random.oneIn(4) ? "y" : "x"
            let limit = 1 + random.number(below: 3)
            for step in [.fetchKind(url, ofThreads: random.oneIn(3), limit: limit), .perform(-1)]
                as [Step]
            {
                steps.insert(step, at: min(index, steps.count))
                index += 1
            }
            if random.oneIn(3) { index += random.number(below: 4) }
            if random.oneIn(2) {
                steps.insert(.passFeed, at: min(index, steps.count))
                index += 1
            }
            steps.insert(.deliver(-1), at: min(index, steps.count))
            index += 2 + random.number(below: 12)
        }
    }
}

private struct TraceMaker {
    var random: SeededRandom
    private var tags: [(tag: String, url: String)] = []
    /// The tags of the items that the device's user has written.
    private var written: [String] = []
    private var changeCount = 0

    init(random: SeededRandom) { self.random = random }

    mutating func config() -> WorldConfig {
        var config = WorldConfig()
        // In many of the worlds, a property has its simplest value.
        if random.oneIn(3) { config.granularity = 3 }
        if random.oneIn(4) { config.clockSkew = 2 }
        config.pageLimit = pick([1, 2, 3, 3, 10])
        config.feedBatchSize = pick([1, 2, 4, 100, 100])
        config.changelogPageSize = pick([1, 2, 100, 100])
        config.repeatsChangelogEntries = random.oneIn(4)
        config.feedLimit = pick([nil, nil, nil, 0, 1, 2])
        config.hasInvitations = random.oneIn(3)
        config.networkSeed = random.oneIn(2) ? UInt64(random.number(below: 1 << 30)) : nil
        config.returnsEmptyBatches = random.oneIn(4)
        config.parallelRequests = pick([1, 2, 3])
        config.backgroundChannels = pick([0, 1, 2])
        config.backgroundPages = pick([0, 1, 5])
        config.hugeGapThreshold = pick([300, 2, 4])
        config.fillsHugeGaps = random.oneIn(2)
        config.deduplicates = !random.oneIn(4)
        config.stopsAtFailure = random.oneIn(4)
        config.failedLimit = pick([nil, nil, nil, 1])
        config.forgetsFailed = random.oneIn(4)
        // A run lasts only a few milliseconds, so a message that is 12 milliseconds late is older
        // than many others.
        config.federationDelay = pick([nil, nil, nil, 12])
        config.lossSeed = random.oneIn(4) ? UInt64(random.number(below: 1 << 30)) : nil
        return config
    }

    mutating func steps(_ count: Int) -> [Step] {
        var steps: [Step] = []
        for _ in 0..<random.number(below: 12) { steps.append(say()) }
        if !random.oneIn(8) { steps.append(.connect) }
        if random.oneIn(3) { steps.append(.backUp) }
        while steps.count < count { steps += next() }
        return steps
    }

    /// Returns one step, or a few steps that belong together.
    private mutating func next() -> [Step] {
        switch random.number(below: 100) {
        case 0..<44: [network()]
        case 44..<62: [user()]
        case 62..<65: race()
        case 65: overlap()
        case 66..<68: [server()]
        // The messages that were sent meanwhile then arrive as one batch, or the feed omits some of
        // them.
        case 68..<71:
            [.disconnect] + (0..<random.number(below: 10)).map { _ in change() } + [.connect]
        case 71..<72:
            [.leave(url())] + (0..<random.number(below: 4)).map { _ in user() } + [.invite(url())]
        case 72..<74: [.tick(Int64(random.number(below: 4)))]
        case 74: [.kill, .connect]
        case 75:
            random.oneIn(2)
                ? [.losePower(pick([0, 1, 2, 5, 20])), .connect]
                : [
                    random.oneIn(3)
                        ? .fillOutbox(random.number(below: 4)) : .fillDisk(random.number(below: 6))
                ]
                    + (0..<random.number(below: 8)).map { _ in
                        random.oneIn(2) ? network() : write()
                    } + [.emptyDisk]
        case 76..<86: writing()
        case 86..<88: [list()]
        default: [app()]
        }
    }

    /// Returns a request whose answer arrives after feed events that are newer than the answer.
    private mutating func race() -> [Step] {
        let url = url()
        let question: Step =
            switch random.number(below: 7) {
            case 0..<3: .fetch(url, .newest, older: 3, newer: 0)
            case 3: .lookUp([tag(), tag()])
            case 6: search()
            case 4: .readChanges(url)
            default: .lookAt(url)
            }
        var meanwhile: [Step] = (0...random.number(below: 2)).map { _ in
            change()
        }
        switch random.number(below: 6) {
        case 0: meanwhile = [.leave(url)] + meanwhile + [.invite(url)]
        case 1: meanwhile += [.resetHistory(url)]
        case 2: meanwhile += [.leave(url)]
        default: break
        }
        return [question, .perform(-1)] + meanwhile + [.passFeed, .deliver(-1)]
    }

    /// Returns requests for pages that overlap in time: the server answers them between changes,
    /// and the answers arrive in any order.
    private mutating func overlap() -> [Step] {
        let url = url()
        var steps: [Step] = []
        for _ in 0...1 + random.number(below: 2) {
            let newest = tags.last { $0.url == url }?.tag ?? "m0"
            let place: Step.Anchor =
                switch random.number(below: 4) {
                case 0: .newest
                case 1: .time(newest)
                case 2: .message(newest)
                default: anchor()
                }
            let isOlder = random.oneIn(2)
            steps.append(
                .fetch(
                    url, place, older: isOlder ? 1 + random.number(below: 4) : 0,
                    newer: isOlder ? 0 : 1 + random.number(below: 4)))
            steps.append(.perform(-1))
            for _ in 0..<random.number(below: 3) { steps.append(say(in: url)) }
            if random.oneIn(3) { steps.append(.passFeed) }
        }
        for _ in 0...random.number(below: 3) { steps.append(.deliver(random.number(below: 3))) }
        return steps
            + (random.oneIn(2)
                ? [.feedLimit(random.number(below: 2)), .passFeed, .feedLimit(nil)]
                : [.passFeed])
    }

    /// Returns something that the device's user does.
    private mutating func writing() -> [Step] {
        switch random.number(below: 32) {
        case 0..<10: return [write()]
        case 10..<12: return [writeFiles()]
        case 12..<15: return [write(), write()]
        case 15..<21: return [change(of: writtenTag())]
        case 21..<23: return [change(of: tag())]
        case 23..<25: return [.cancel(writtenTag())]
        case 25..<28: return [.resend(writtenTag())]
        case 28: return [.moveClock(Int64(pick([-900_000, -5, 3, 1000, 90_000, 300_000])))]
        case 29: return [.freeze(url(), !random.oneIn(3))]
        // Something else happens while the item is in flight.
        case 30:
            let failure = pick([
                Step.fail(-1, .unanswered), .fail(-1, .serverFailure), .kill, .losePower(2),
            ])
            return [write(), .perform(-1), failure, change(of: writtenTag())]
        default: return [write(), .perform(-1), .passFeed, .deliver(-1)]
        }
    }

    private mutating func write() -> Step {
        let url = url()
        let tag = "w\(written.count)"
        written.append(tag)
        tags.append((tag, url))
        return .write(tag, in: url, isLong: random.oneIn(12))
    }

    /// Messages with files have their own kind of tag, so that they can be recognized in a trace.
    private mutating func writeFiles() -> Step {
        let url = url()
        let tag = "f\(written.count)"
        written.append(tag)
        tags.append((tag, url))
        return .writeFiles(tag, in: url)
    }

    private mutating func change(of tag: String) -> Step {
        changeCount += 1
        return .change("c\(changeCount)", of: tag, pick([.edit, .edit, .delete, .react, .unreact]))
    }

    /// Returns the tag of an item that the user has written, preferably a new one, or the tag of a
    /// change.
    private mutating func writtenTag() -> String {
        if random.oneIn(8), changeCount > 0 {
            return "c\(1 + random.number(below: changeCount))"
        }
        let newest = random.oneIn(2) ? written.suffix(2) : written[...]
        return newest.randomElement(using: &random) ?? "w0"
    }

    private mutating func network() -> Step {
        let turn = random.number(below: 4)
        return switch random.number(below: 20) {
        case 0..<7: .pass(turn)
        case 7..<12: .perform(turn)
        case 12..<16: .deliver(turn)
        case 16: .fire(turn)
        case 17: random.oneIn(4) ? .giveUp(turn) : .fire(turn)
        case 18: .renew
        default: .fail(turn, pick(Step.Failure.allCases))
        }
    }

    private mutating func user() -> Step {
        switch random.number(below: 43) {
        case 40...: importOld()
        case 0..<18: say()
        case 18..<23: .edit(tag())
        case 23..<29: .delete(tag())
        case 29..<33:
            .react(tag(), key: pick(["+", "-"]), by: pick(Trace.users), gives: !random.oneIn(3))
        case 33: .read(url(), by: pick(Trace.users))
        case 34: .rename(url())
        case 35: .resetHistory(url())
        case 36: .leave(url())
        case 37: .invite(url())
        case 38: random.oneIn(2) ? .ban(url()) : .invite(url())
        default: random.oneIn(2) ? .deleteChannel(url()) : .createChannel(url())
        }
    }

    /// Returns a change to a message, preferably to a new one.
    private mutating func change() -> Step {
        switch random.number(below: 5) {
        case 0..<2: .delete(tag())
        case 2: .edit(tag())
        case 3: .react(tag(), key: "+", by: "carol", gives: !random.oneIn(3))
        default: user()
        }
    }

    private mutating func server() -> Step {
        switch random.number(below: 10) {
        case 0..<2: .backUp
        case 2..<4: .restore
        case 4..<5: .expireCursors
        case 5..<7: .expirePageCursors
        case 7..<8: .expireSession
        default: .feedLimit(pick([nil, 0, 1, 2]))
        }
    }

    /// A search that finds one message, or several.
    private mutating func search() -> Step {
        let text = tag()
        return .search(
            random.oneIn(3) ? text : String(text.prefix(1)), limit: random.number(below: 5) + 1)
    }

    private mutating func app() -> Step {
        switch random.number(below: 35) {
        case 34: .damageCache
        case 31, 32: .evict(url(), count: 1 + random.number(below: 6))
        case 33: random.oneIn(3) ? .clearCache : .clearMessages(url())
        case 0..<2: .connect
        case 2: .disconnect
        case 3: .reconnect
        case 4..<8:
            .show(url(), from: place(.beginning), to: place(.end), viewer: random.number(below: 2))
        case 8: .hide(url(), viewer: random.number(below: 2))
        case 9..<17:
            .fetch(url(), anchor(), older: random.number(below: 5), newer: random.number(below: 4))
        case 17..<19: .lookUp((0...random.number(below: 3)).map { _ in tag() })
        case 19..<21: .readChanges(url())
        case 21: .readChannelChanges
        case 22: .listChannels
        case 23: .lookAt(url())
        case 24..<26: .push(tag(), version: random.number(below: 3))
        case 26..<28: .awaitCaughtUp(random.oneIn(4) ? nil : url())
        case 28: .abandon(random.number(below: 3))
        case 29: search()
        default: .kill
        }
    }

    private mutating func list() -> Step {
        let number = random.number(below: 2)
        return switch random.number(below: 5) {
        case 0, 1:
            .openList(
                url(), number: number, at: random.oneIn(2) ? tag() : nil,
                size: random.number(below: 4), isReversed: random.oneIn(3))
        case 2 where random.oneIn(3): .closeList(number: number)
        default:
            .load(
                number: number, isOlder: random.oneIn(2), count: 1 + random.number(below: 4),
                crossesGaps: random.oneIn(3))
        }
    }

    private mutating func say() -> Step { say(in: url()) }

    private mutating func say(in url: String) -> Step {
        let parent = random.oneIn(6) ? tags.last { $0.url == url }?.tag : nil
        let tag = "m\(tags.count)"
        tags.append((tag, url))
        return .say(tag, in: url, by: pick(Trace.users), to: parent)
    }

    private mutating func importOld() -> Step {
        let url = url()
        let tag = "i\(tags.count)"
        tags.append((tag, url))
        return .importOld(
            tag, in: url, by: pick(["alice", "carol"]), age: Int64(random.number(below: 12)),
            isReported: random.oneIn(3))
    }

    private mutating func url() -> String { random.oneIn(4) ? "y" : "x" }

    /// Returns the tag of a message, preferably of a new one.
    private mutating func tag() -> String {
        let newest = random.oneIn(2) ? tags.suffix(4) : tags[...]
        return newest.randomElement(using: &random)?.tag ?? "m0"
    }

    private mutating func place(_ end: Step.Place) -> Step.Place {
        random.oneIn(2) ? end : .message(tag())
    }

    private mutating func anchor() -> Step.Anchor {
        switch random.number(below: 8) {
        case 0..<2: .newest
        case 2: .time(tag())
        case 3: .message(tag())
        case 4..<7: .gapTop(random.number(below: 3))
        default: .gapBottom(random.number(below: 3))
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[random.number(below: values.count)]
    }
}
