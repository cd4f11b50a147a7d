import EmbeddedServer
import Foundation
import Scrollback

extension Command {
    static let network: [Command] = [
        Command(
            name: "offline",
            summary: "Disconnects this device from the network.",
            example: "offline",
            preparation: ["demo"]
        ) { arguments in
            try arguments.device.network.goOffline()
            return .text("no network")
        },
        Command(
            name: "online",
            summary: "Connects this device to the network again, and reconnects.",
            example: "online",
            preparation: ["demo", "offline", "send Later"]
        ) { arguments in
            let device = try arguments.device
            device.network.goOnline()
            await device.client.reconnect()
            return .text("the network is available")
        },
        Command(
            name: "slow",
            usage: "DURATION | off",
            summary: "Delays each answer of the server.",
            example: "slow 2s",
            preparation: ["demo"],
            output: "answers take 2s",
            offers: [.oneOf(["off"])]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let network = try arguments.device.network
            if arguments.words[0] == "off" {
                network.update { $0.defaultLatency = .none }
                return .text("answers are not delayed")
            }
            let duration = try arguments.duration(arguments.words[0])
            network.update {
                $0.defaultLatency = Latency(request: duration / 2, answer: duration / 2)
            }
            return .text("answers take \(duration.brief)")
        },
        Command(
            name: "drop",
            usage: "[N]",
            summary: "Loses the next answers: the requests have their effect.",
            example: "drop",
            preparation: ["demo"],
            output: "the next answer is lost"
        ) { arguments in
            guard arguments.words.count <= 1 else { throw CommandError.usage }
            let count = try arguments.words.first.map { try arguments.count($0) } ?? 1
            try arguments.device.network.failNext(
                count, of: Set<BackendCall>.all.subtracting([.feed]),
                with: BackendError(.unanswered, "the answer is lost"), at: .afterEffect)
            return .text(
                count == 1 ? "the next answer is lost" : "the next \(count) answers are lost")
        },
        Command(
            name: "fail",
            usage: "CALL | all [CODE] [N]  or  fail off",
            summary: "Makes the next calls of a kind fail, with code refused or another one.",
            example: "fail send throttled 2",
            preparation: ["demo"],
            output: "the next 2 calls of send fail as throttled",
            offers: [.calls, .oneOf(codes.map(\.description))]
        ) { arguments in
            guard let word = arguments.words.first, arguments.words.count <= 3 else {
                throw CommandError.usage
            }
            let network = try arguments.device.network
            if word == "off", arguments.words.count == 1 {
                network.stopFailing()
                return .text("no failures are injected")
            }
            let call = BackendCall(rawValue: word)
            guard call != nil || word == "all" else {
                throw CommandError.failed(
                    "there is no call '\(word)', such as send, messages or feed")
            }
            var code = BackendError.Code.refused
            var count = 1
            for word in arguments.words.dropFirst() {
                if let named = codes.first(where: { $0.description == word }) {
                    code = named
                } else {
                    count = try arguments.count(word)
                }
            }
            network.failNext(
                count, of: call.map { [$0] } ?? .all,
                with: BackendError(code, "injected failure"))
            let calls = count == 1 ? "the next call" : "the next \(count) calls"
            return .text("\(calls) of \(word) \(count == 1 ? "fails" : "fail") as \(code)")
        },
        Command(
            name: "hold",
            usage: "CALL ...",
            summary: "Holds calls of some kinds until release.",
            example: "hold send",
            preparation: ["demo"],
            output: "holding send",
            offers: [.calls],
            offersForMore: true
        ) { arguments in
            let calls = try arguments.words.map { word in
                guard let call = BackendCall(rawValue: word) else {
                    throw CommandError.failed(
                        "there is no call '\(word)', such as send, messages or feed")
                }
                return call
            }
            guard !calls.isEmpty else { throw CommandError.usage }
            try arguments.device.network.hold(Set(calls), at: .beforeEffect)
            return .text("holding \(arguments.words.joined(separator: ", "))")
        },
        Command(
            name: "release",
            summary: "Lets held calls continue.",
            example: "release",
            preparation: ["demo", "hold send"],
            output: "no calls are held"
        ) { arguments in
            try arguments.device.network.stopHolding()
            return .text("no calls are held")
        },
        Command(
            name: "condition",
            usage: "[NAME [VALUE]]",
            summary: "Lists the conditions of the network and the server, or sets one.",
            example: "condition feed.truncations 0.5",
            preparation: ["demo"],
            output: "feed.truncations is 0.5",
            offers: [.conditions],
            gives: [.settings, .name, .value]
        ) { arguments in
            let network = try arguments.device.network
            guard let name = arguments.words.first else {
                let conditions = network.conditions
                return .text(
                    columns(
                        NetworkCondition.all.map { [$0.name, $0.text(in: conditions), $0.meaning] }),
                    [
                        .settings: Dictionary(
                            uniqueKeysWithValues: NetworkCondition.all.map {
                                ($0.name, $0.text(in: conditions))
                            })
                    ])
            }
            guard let condition = NetworkCondition.named(name) else {
                throw CommandError.failed("there is no condition '\(name)': condition lists them")
            }
            guard arguments.words.count == 2 else {
                guard arguments.words.count == 1 else { throw CommandError.usage }
                return .setting(
                    name, condition.text(in: network.conditions), ": \(condition.meaning)")
            }
            var isValue = true
            network.update { isValue = condition.set(arguments.words[1], in: &$0) }
            guard isValue else {
                throw CommandError.failed("'\(arguments.words[1])' is not a value of \(name)")
            }
            return .setting(name, condition.text(in: network.conditions))
        },
        Command(
            name: "conditions",
            usage: "perfect | train [SEED] | awkward [SEED] | within [SEED] | hostile [SEED]",
            summary: "Sets all conditions of this device's network.",
            example: "conditions awkward 7",
            preparation: ["demo"],
            offers: [.oneOf(["perfect", "train", "awkward", "within", "hostile"])]
        ) { arguments in
            guard (1...2).contains(arguments.words.count) else { throw CommandError.usage }
            let network = try arguments.device.network
            let seed = try arguments.words.dropFirst().first.map { try arguments.seed($0) } ?? 0
            switch arguments.words[0] {
            case "perfect": network.conditions = .perfect
            case "train": network.conditions = .train(seed: seed)
            case "awkward": network.conditions = .awkward(seed: seed)
            case "within": network.conditions = .withinContract(seed: seed)
            case "hostile": network.conditions = .hostile(seed: seed)
            default: throw CommandError.usage
            }
            return .text("\(network.conditions)")
        },
        Command(
            name: "network log",
            usage: "[N]",
            summary: "Lists the last calls of this device to the server, and their results.",
            example: "network log 3",
            preparation: ["demo"],
            gives: [.log]
        ) { arguments in
            guard arguments.words.count <= 1 else { throw CommandError.usage }
            let count = try arguments.words.first.map { try arguments.count($0) } ?? 20
            return try arguments.device.network.log.suffix(count).map { $0 }
                .lines({ $0 }, orNone: "no calls", as: .log)
        },
        Command(
            name: "expire",
            usage: "session | cursors | pages | tokens | messages TIME",
            summary: "Makes the session, cursors, tokens or old messages expire at the server.",
            example: "expire session",
            preparation: ["demo"],
            offers: [.oneOf(["session", "cursors", "pages", "tokens", "messages"])]
        ) { arguments in
            guard let what = arguments.words.first else { throw CommandError.usage }
            guard arguments.words.count == (what == "messages" ? 2 : 1) else {
                throw CommandError.usage
            }
            let device = try arguments.device
            switch what {
            case "session": try arguments.world.server.expireSessions(of: device.userID)
            case "cursors": device.network.expire(.feedCursors)
            case "pages": device.network.expire(.pageCursors)
            case "tokens": device.network.expire(.changelogTokens)
            case "messages":
                try arguments.world.server.expireMessages(
                    before: try arguments.time(arguments.words[1]))
            default: throw CommandError.usage
            }
            return .text("expired: \(arguments.words.joined(separator: " "))")
        },
        Command(
            name: "away",
            usage: "DURATION [N]",
            summary: "Takes the device offline for a time, during which others send N messages.",
            example: "away 1d 400",
            preparation: ["demo"],
            gives: [.channelURL, .count]
        ) { arguments in
            guard (1...2).contains(arguments.words.count) else { throw CommandError.usage }
            let duration = try arguments.duration(arguments.words[0])
            let count = try arguments.words.dropFirst().first.map { try arguments.count($0) } ?? 50
            let url = try arguments.collection.channelURL
            let device = try arguments.device
            let world = try arguments.world
            let others = try await arguments.others(in: url)
            device.network.goOffline()
            try arguments.talk(count, in: url, by: others, over: duration)
            world.clock.advance(by: duration)
            let names = others.map(\.userID.rawValue).joined(separator: ", ")
            return .text(
                "\(grouped(count)) messages by \(names) in \(duration.brief); type online to reconnect",
                [.channelURL: url, .count: count])
        },
        Command(
            name: "talk",
            usage: "[N]",
            summary: "Makes other members send N messages to the open channel.",
            example: "talk 3",
            preparation: ["demo"],
            gives: [.channelURL, .count]
        ) { arguments in
            guard arguments.words.count <= 1 else { throw CommandError.usage }
            let count = try arguments.words.first.map { try arguments.count($0) } ?? 1
            let url = try arguments.collection.channelURL
            let others = try await arguments.others(in: url)
            let span = Duration.milliseconds(count)
            try arguments.talk(count, in: url, by: others, over: span)
            return .text(
                "\(counted(count, "message")) in \(url)", [.channelURL: url, .count: count])
        },
        Command(
            name: "say",
            usage: "TEXT",
            freeTextAfter: 0,
            summary: "Sends an admin message to the open channel.",
            example: "say The office is closed tomorrow.",
            preparation: ["demo"],
            gives: [.message]
        ) { arguments in
            guard !arguments.text.isEmpty else { throw CommandError.usage }
            let url = try arguments.collection.channelURL
            let message = try arguments.world.server.sendAdminMessage(arguments.text, to: url)
            return .text(
                "\(url) says \(message.messageID?.rawValue ?? "?")", [.message: message])
        },
        Command(
            name: "revoke",
            usage: "USER",
            summary: "Revokes a user's access to the server.",
            example: "revoke bob",
            preparation: ["demo"],
            gives: [.userID]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let id = UserID(arguments.words[0])
            try arguments.world.server.revokeUser(id)
            return .text("\(id) can no longer connect", [.userID: id])
        },
        Command(
            name: "server users",
            usage: "[limit N | all]",
            summary: "Lists the users that the server knows.",
            example: "server users",
            preparation: ["demo"],
            output: """
                alice
                bob
                carol
                """,
            gives: [.userIDs]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            guard words.isEmpty else { throw CommandError.usage }
            return try arguments.world.server.userIDs
                .lines(\.rawValue.oneLine, orNone: "no users", limit: limit, as: .userIDs)
        },
        Command(
            name: "server backup",
            summary: "Copies all data of the server.",
            example: "server backup",
            preparation: ["demo"],
            output: "copied"
        ) { arguments in
            let world = try arguments.world
            world.backup = try world.server.backup()
            return .text("copied")
        },
        Command(
            name: "server restore",
            summary: "Restores the server to the last server backup.",
            example: "server restore",
            preparation: ["demo", "server backup", "send Hello"]
        ) { arguments in
            let world = try arguments.world
            let server = try world.server
            guard let backup = world.backup else {
                throw CommandError.failed("there is no backup: server backup makes one")
            }
            try server.restore(backup)
            return .text("restored")
        },
        Command(
            name: "server option",
            usage: "[NAME [VALUE]]",
            summary: "Shows the options of the server, or sets one.",
            example: "server option pageLimit 50",
            preparation: ["demo"],
            output: "pageLimit is 50",
            offers: [.oneOf(ServerSetting.all.map(\.name))],
            gives: [.settings, .name, .value]
        ) { arguments in
            let server = try arguments.world.server
            guard let name = arguments.words.first else {
                let conditions = server.conditions
                return .text(
                    columns(ServerSetting.all.map { [$0.name, $0.text(conditions)] }),
                    [.settings: ServerSetting.all.texts(of: conditions)])
            }
            guard let setting = ServerSetting.all.first(where: { $0.name == name }) else {
                throw CommandError.failed("there is no option '\(name)': server option lists them")
            }
            if arguments.words.count == 2 {
                guard setting.set(arguments.words[1], &server.conditions) else {
                    throw CommandError.failed("'\(arguments.words[1])' is not a value of \(name)")
                }
            } else if arguments.words.count > 2 {
                throw CommandError.usage
            }
            return .setting(name, setting.text(server.conditions))
        },
        Command(
            name: "demo",
            summary: "Creates example users, channels and messages, and connects alice.",
            example: "demo",
            gives: [.channelURL, .messages, .gaps, .hasMore]
        ) { arguments in
            let world = try arguments.world
            try Demo.make(on: world.server, now: world.clock.now)
            let device = try await world.device("alice")
            world.use(device)
            _ = try await device.connect(accessToken: nil)
            await world.waitUntilIdle(within: arguments.workspace.patience)
            return try await run("open general", in: arguments.workspace)
        },
    ]

    static let codes: [BackendError.Code] = [
        .notConnected, .unanswered, .throttled, .serverFailure, .refused, .notFound,
        .sessionExpired, .sessionRevoked, .expired, .unsupported,
    ]
}

extension Command.Arguments {
    fileprivate func seed(_ word: String) throws -> UInt64 {
        guard let seed = UInt64(word) else {
            throw CommandError.failed("'\(word)' is not a seed: a seed is a number of at least 0")
        }
        return seed
    }

    /// Returns up to three other members of a channel.
    ///
    /// Requests as many pages as necessary.
    @MainActor fileprivate func others(in url: ChannelURL) async throws -> [Member] {
        let me = try device.userID
        let server = try world.server
        let watcher = server.client()
        _ = try await watcher.connect(as: Credentials(me))
        defer { withExtendedLifetime(watcher) {} }
        var others: [Member] = []
        var cursor: PageCursor?
        repeat {
            let page = try await watcher.members(of: url, after: cursor, limit: 4)
            others += page.elements.filter { $0.userID != me }
            cursor = page.next
        } while cursor != nil && others.count < 3
        await watcher.disconnect()
        guard !others.isEmpty else {
            throw CommandError.failed("\(url) has no other members: type invite USER")
        }
        return Array(others.prefix(3))
    }

    /// Makes other members write messages in turn, evenly distributed over a duration from now.
    @MainActor fileprivate func talk(
        _ count: Int, in url: ChannelURL, by others: [Member], over duration: Duration
    ) throws {
        let start = try world.clock.now
        let messages = (1...count).map { number in
            let sender = others[(number - 1) % others.count]
            return Message(
                id: nil, channelURL: url,
                sender: Sender(id: sender.userID, nickname: sender.nickname),
                text: "\(number) of \(count)",
                createdAt: start.later(by: duration * (Double(number) / Double(count))))
        }
        try world.server.importMessages(messages, isReported: true)
    }
}
