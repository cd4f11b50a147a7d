import EmbeddedServer
import Foundation
import Scrollback
import Sync

extension Command {
    static let network: [Command] = [
        Command("offline", "Disconnects this device from the network.") { arguments in
            try arguments.device.network.goOffline()
            return "no network"
        },
        Command("online", "Connects this device to the network again, and reconnects.") {
            arguments in
            let device = try arguments.device
            device.network.goOnline()
            await device.client.reconnect()
            return "the network is available"
        },
        Command("slow DURATION | off", "Delays each answer of the server.") { arguments in
            let word = try arguments.onlyWord
            let network = try arguments.device.network
            if word == "off" {
                network.update { $0.defaultLatency = .none }
                return "answers are not delayed"
            }
            let duration = try arguments.duration(word)
            network.update {
                $0.defaultLatency = Latency(request: duration / 2, answer: duration / 2)
            }
            return "answers take \(duration.brief)"
        },
        Command("drop [N]", "Loses the next answers: the requests have their effect.") {
            arguments in
            let count = try arguments.optionalCount ?? 1
            try arguments.device.network.failNext(
                count, of: CallSet.all.subtracting([.feed]),
                with: BackendError(.unanswered, "the answer is lost"), at: .afterEffect)
            return count == 1 ? "the next answer is lost" : "the next \(count) answers are lost"
        },
        Command(
            "fail CALL | all | off [CODE] [N]",
            "Makes the next calls of a kind fail, with code refused or another one.",
            notes: [
                ("CALL", Arguments.callNames().map(\.rawValue)), ("CODE", codes.map(\.description)),
            ]
            .flatMap(choices)
        ) { arguments in
            guard let word = arguments.words.first, arguments.words.count <= 3 else {
                throw CommandError.usage
            }
            let network = try arguments.device.network
            if arguments.words == ["off"] || arguments.words == ["all", "off"] {
                network.stopFailing()
                return "no failures are injected"
            }
            let calls: CallSet = word == "all" ? .all : [try arguments.call(word)]
            var code = BackendError.Code.refused
            var count = 1
            for word in arguments.words.dropFirst() {
                if let named = codes.first(where: { $0.description == word }) {
                    code = named
                } else {
                    guard Int(word) != nil else {
                        let names = codes.map(\.description).joined(separator: ", ")
                        throw CommandError.failed(
                            "'\(word)' is neither a number nor a code: \(names)")
                    }
                    count = try Arguments.count(word)
                }
            }
            network.failNext(
                count, of: calls, with: BackendError(code, "injected failure"))
            let what = count == 1 ? "the next call" : "the next \(count) calls"
            return "\(what) of \(word) \(count == 1 ? "fails" : "fail") as \(code)"
        },
        Command(
            "hold CALL ...", "Holds calls of some kinds until release: help fail lists them."
        ) { arguments in
            let calls = try arguments.words.map(arguments.call)
            guard !calls.isEmpty else { throw CommandError.usage }
            try arguments.device.network.hold(CallSet(calls), at: .beforeEffect)
            return "holding \(arguments.words.joined(separator: ", "))"
        },
        Command("release", "Lets held calls continue.") { arguments in
            try arguments.device.network.stopHolding()
            return "no calls are held"
        },
        Command(
            "condition [CONDITION [VALUE]]",
            "Lists the conditions of the network and the server, or sets one."
        ) { arguments in
            let network = try arguments.device.network
            var conditions = network.conditions
            let reply = try Setting.ofNetwork.showOrSet(arguments.words, of: &conditions)
            if arguments.words.count == 2 { network.conditions = conditions }
            return reply
        },
        Command(
            "conditions (perfect | train | awkward | within | hostile) [SEED]",
            "Sets all conditions of this device's network.",
            notes: [
                "perfect: no delays, no failures; train: a network that fails and returns; awkward:",
                "a server that answers as its contract allows, in the least convenient way; within:",
                "both; hostile: also answers that break the contract. condition lists the values.",
            ]
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
            return "\(network.conditions)"
        },
        Command(
            "network log [N]",
            "Lists the last calls of this device to the server, and their results."
        ) { arguments in
            let count = try arguments.optionalCount ?? 20
            let log = try arguments.device.network.log.suffix(count)
            return table(Array(log), limit: count, orNone: "no calls") { [$0] }
        },
        Command(
            "expire (session | cursors | pages | tokens | messages TIME)",
            "Makes the session, cursors, tokens or old messages expire at the server."
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
            return "expired: \(arguments.words.joined(separator: " "))"
        },
        Command(
            "away DURATION [N]",
            "Takes the device offline for a time, during which others send N messages."
        ) { arguments in
            guard (1...2).contains(arguments.words.count) else { throw CommandError.usage }
            let duration = try arguments.duration(arguments.words[0])
            let count = try arguments.words.dropFirst().first.map(Arguments.count) ?? 50
            let url = try arguments.collection.channelURL
            let device = try arguments.device
            let world = try arguments.world
            let others = try await arguments.others(in: url)
            device.network.goOffline()
            try arguments.talk(count, in: url, by: others, over: duration)
            world.clock.advance(by: duration)
            let names = others.map(\.userID.rawValue).joined(separator: ", ")
            return
                "\(grouped(count)) messages by \(names) in \(duration.brief); type online to reconnect"
        },
        Command("talk [N]", "Makes other members send N messages to the open channel.") {
            arguments in
            let count = try arguments.optionalCount ?? 1
            let url = try arguments.collection.channelURL
            let others = try await arguments.others(in: url)
            let span = Duration.milliseconds(count)
            try arguments.talk(count, in: url, by: others, over: span)
            return "\(counted(count, "message")) in \(url)"
        },
        Command("say TEXT", freeTextAfter: 0, "Sends an admin message to the open channel.") {
            arguments in
            guard !arguments.text.isEmpty else { throw CommandError.usage }
            let url = try arguments.collection.channelURL
            let message = try arguments.world.server.sendAdminMessage(arguments.text, to: url)
            return "\(url) says \(message.messageID?.rawValue ?? "?")"
        },
        Command("revoke USER", "Ends a user's sessions, and refuses further ones for good.") {
            arguments in
            let id = UserID(try arguments.onlyWord)
            try arguments.world.server.revokeUser(id)
            return "\(id) can no longer connect"
        },
        Command("server users [limit N | all]", "Lists the users that the server knows.") {
            arguments in
            try arguments.expectNoWords()
            let users = try arguments.world.server.userIDs
            return table(users, limit: arguments.limit, orNone: "no users") { [$0.rawValue] }
        },
        Command(
            "server purge USER [CHANNEL]",
            "Deletes all messages that a user has sent, in a channel or in all channels."
        ) { arguments in
            guard let user = arguments.words.first, arguments.words.count <= 2 else {
                throw CommandError.usage
            }
            let url = arguments.words.dropFirst().first.map { ChannelURL($0) }
            let count = try arguments.world.server.deleteMessages(
                ofSender: UserID(user), in: url)
            return "deleted \(count) messages of \(user)"
        },
        Command("server backup", "Copies all data of the server.") { arguments in
            let world = try arguments.world
            world.backup = try world.server.backup()
            return "copied"
        },
        Command("server restore", "Restores the server to the last server backup.") { arguments in
            let world = try arguments.world
            let server = try world.server
            guard let backup = world.backup else {
                throw CommandError.failed("there is no backup: server backup makes one")
            }
            try server.restore(backup)
            return "restored"
        },
        Command("server option [SETTING [VALUE]]", "Shows the options of the server, or sets one.")
        {
            arguments in
            let server = try arguments.world.server
            return try Setting.ofServer.showOrSet(arguments.words, of: &server.conditions)
        },
        Command("demo", "Creates example users, channels and messages, and connects alice.") {
            arguments in
            let world = try arguments.world
            try Demo.make(on: world.server, now: world.clock.now)
            let device = try await world.device("alice")
            world.use(device)
            _ = try await device.connect(accessToken: nil)
            await world.waitUntilIdle(within: arguments.workspace.patience)
            return try await run("open general", in: arguments.workspace)
        },
    ]

    private static func choices(of argument: String, _ values: [String]) -> [String] {
        var lines = ["\(argument) is one of:"]
        var line = " "
        for value in values {
            if line.count + value.count > 88 {
                lines.append(line)
                line = " "
            }
            line += " \(value)"
        }
        return lines + [line]
    }

    static let codes: [BackendError.Code] = [
        .notConnected, .unanswered, .throttled, .serverFailure, .refused, .notFound,
        .sessionExpired, .sessionRevoked, .expired, .unsupported,
    ]
}

extension Command.Arguments {
    /// Returns the names of all calls; with a backend, also those of the requests that an app
    /// declares.
    static func callNames(of backend: (any Backend)? = nil) -> [CallName] {
        let requests = StandardRequests.types + (backend?.requests.types ?? [])
        return CoreCall.types.map { $0.declaration.name } + requests.map { $0.declaration.name }
    }

    @MainActor fileprivate func call(_ word: String) throws -> CallName {
        let names = Self.callNames(of: try device.network)
        if let name = names.first(where: { $0.rawValue == word }) { return name }
        throw CommandError.failed("there is no call '\(word)': help fail lists them")
    }

    fileprivate func seed(_ word: String) throws -> UInt64 {
        guard let seed = UInt64(word) else {
            throw CommandError.failed("'\(word)' is not a seed: a seed is a number of at least 0")
        }
        return seed
    }

    @MainActor fileprivate func others(in url: ChannelURL) async throws -> [Member] {
        let me = try device.userID
        let server = try world.server
        let watcher = server.client()
        _ = try await watcher.connect(as: Credentials(me))
        defer { withExtendedLifetime(watcher) {} }
        var others: [Member] = []
        var cursor: PageCursor?
        repeat {
            let page = try await watcher.perform(ListMembers(of: url, after: cursor, limit: 4))
            others += page.elements.filter { $0.userID != me }
            cursor = page.next
        } while cursor != nil && others.count < 3
        await watcher.disconnect()
        guard !others.isEmpty else {
            throw CommandError.failed("\(url) has no other members: type invite USER")
        }
        return Array(others.prefix(3))
    }

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
                createdAt: start.advanced(by: duration * (Double(number) / Double(count))))
        }
        try world.server.importMessages(messages, isReported: true)
    }
}
