import Foundation
import Scrollback

extension Command {
    static let users: [Command] = [
        Command(
            name: "connect",
            usage: "[USER [TOKEN]]",
            summary: "Connects a user on their own device; by default the current device's.",
            notes: ["Another device of the same user has a name of its own: connect alice@phone."],
            example: "connect alice",
            output: """
                alice
                = alice is connected
                """,
            offers: [.devices],
            covers: [
                "ChatClient.connect(as:)", "ChatClient.open(backend:options:migrationHandler:)",
            ],
            gives: [.device, .userID, .error, .damage]
        ) { arguments in
            guard arguments.words.count <= 2 else { throw CommandError.usage }
            let world = try arguments.world
            guard arguments.words.count < 2 || world.host.server != nil else {
                throw CommandError.failed(
                    "the prompt's history would keep the token: put it into a file for --secrets"
                )
            }
            let device =
                try await arguments.words.isEmpty
                ? arguments.device : world.device(arguments.words[0])
            world.use(device)
            let error = try await device.connect(accessToken: arguments.words.dropFirst().first)
            var values = device.owner
            let cachingNote = device.client.cachingError.map {
                "\nnothing is stored on disk: \(sentence(of: $0))"
            }
            let damage =
                (device.client.cachingError.map { [sentence(of: $0)] } ?? [])
                + device.client.storageDamage.sentences
            values[.damage] = damage.isEmpty ? nil : damage
            guard let error else { return .text("\(device.name)\(cachingNote ?? "")", values) }
            values[.error] = error.message
            return .text(
                "\(device.name), offline: \(error.message); retrying\(cachingNote ?? "")",
                values)
        },
        Command(
            name: "disconnect",
            summary: "Ends the connection; cached data can still be shown.",
            example: "disconnect",
            preparation: ["connect alice"],
            output: """
                disconnected
                = alice is disconnected
                """,
            covers: ["ChatClient.disconnect()"],
            gives: [.device, .userID, .connection]
        ) { arguments in
            try await arguments.client.disconnect()
            return .text("disconnected", try arguments.device.values)
        },
        Command(
            name: "reconnect",
            summary: "Reconnects immediately, as when the app becomes active.",
            example: "reconnect",
            preparation: ["connect alice"],
            output: "alice is connected",
            covers: ["ChatClient.reconnect()"],
            gives: [.device, .userID, .connection]
        ) { arguments in
            let device = try arguments.device
            await device.client.reconnect()
            return .text(
                "\(device.name) is \(device.client.connectionState.word)", device.values)
        },
        Command(
            name: "as",
            usage: "DEVICE [COMMAND]",
            freeTextAfter: 1,
            summary: "Switches to another user's device, or runs one command there.",
            example: "as bob",
            preparation: ["connect alice"],
            output: """
                bob
                = bob is connected
                """,
            offers: [.devices],
            gives: [.device, .userID, .connection]
        ) { arguments in
            guard let name = arguments.words.first else { throw CommandError.usage }
            let world = try arguments.world
            let before = world.current
            let isNew = !world.devices.contains { $0.name == name }
            let device = try await world.device(name)
            world.use(device)
            if isNew {
                _ = try await device.connect(accessToken: nil)
                await world.waitUntilIdle(within: arguments.workspace.patience)
            }
            guard !arguments.rest.isEmpty else { return .text(device.name, device.owner) }
            // Discard the earlier events of that device, because this command has not caused them.
            if device !== before { _ = device.removeEvents() }
            defer {
                if let before { world.use(before) }
                world.visited = device
            }
            if device.collection == nil, let url = before?.collection?.channelURL,
                try device.client.engine.store.groupChannel(url)?.myMemberState == .joined
            {
                // Open the channel that is open on the device `before`. Ignore an error: the
                // command itself reports it.
                let collection = try device.client.makeMessageCollection(of: url)
                device.show(collection)
                _ = try? await collection.start().refreshed
            }
            return try await run(arguments.rest, in: arguments.workspace)
        },
        Command(
            name: "stored-users",
            summary: "Lists the users whose data is on this device, with the sizes of their files.",
            example: "stored-users",
            preparation: ["connect alice"],
            covers: [
                "ChatClient.storedUsers(options:)", "StoredUser.userID", "StoredUser.directory",
                "StoredUser.isEncrypted", "StoredUser.byteCount",
            ],
            gives: [.text]
        ) { arguments in
            guard arguments.words.isEmpty else { throw CommandError.usage }
            let options = try arguments.device.client.options
            let lines = try await ChatClient.storedUsers(options: options).map { user in
                "\(user.userID?.rawValue ?? user.directory.lastPathComponent)  "
                    + counted(user.byteCount, "byte") + (user.isEncrypted ? "  encrypted" : "")
            }
            return .text(
                lines.isEmpty ? "no data is stored in files" : lines.joined(separator: "\n"),
                [.text: lines.joined(separator: "\n")])
        },
        Command(
            name: "wipe-user",
            usage: "USER | all [cache]",
            summary: "Removes a user's files, or only the cache, from this device.",
            example: "wipe-user carol",
            preparation: ["connect alice"],
            output: "removed the data of carol",
            covers: [
                "ChatClient.removeStoredData(of:wiping:options:)",
                "ChatClient.removeAllStoredData(wiping:options:)",
            ]
        ) { arguments in
            let words = arguments.words
            guard (1...2).contains(words.count), words.count == 1 || words[1] == "cache" else {
                throw CommandError.usage
            }
            let options = try arguments.device.client.options
            let wiping: ChatClient.Wiping = words.count == 2 ? .cachedData : .everything
            if words[0] == "all" {
                try await ChatClient.removeAllStoredData(wiping: wiping, options: options)
                return .text("removed the data of all users")
            }
            try await ChatClient.removeStoredData(
                of: UserID(words[0]), wiping: wiping, options: options)
            return .text("removed the data of \(words[0])")
        },
        Command(
            name: "devices",
            usage: "[limit N | all]",
            summary: "Lists the devices, those of earlier runs too, and what each shows.",
            example: "devices",
            preparation: ["connect alice", "as bob"],
            output: """
                alice  connected
                bob    connected  here
                """,
            gives: [.devices]
        ) { arguments in
            let (words, limit) = try arguments.limited()
            guard words.isEmpty else { throw CommandError.usage }
            let world = try arguments.world
            let kept = arguments.workspace.keptDeviceNames
            let rows =
                world.devices.map { device in
                    [
                        device.name, device.client.connectionState.word,
                        [
                            device === world.current ? "here" : nil,
                            device.collection.map { "shows \($0.channelURL)" },
                        ].compactMap { $0 }.joined(separator: ", "),
                    ]
                } + kept.map { [$0, "not started"] }
            let lines = table(rows, limit: limit) { $0 }
            let summaries =
                world.devices.map(\.summary)
                + kept.map { name in
                    [
                        "name": name, "user_id": Device.userID(of: name).rawValue,
                        "connection": "\(ConnectionState.closed)",
                    ]
                }
            return .text(
                lines.isEmpty ? "no devices: type connect alice" : lines.joined(separator: "\n"),
                [.devices: summaries])
        },
        Command(
            name: "status",
            summary: "Shows the user, the connection, the sync and the cache's directory.",
            example: "status",
            preparation: ["connect alice"],
            output: """
                user            alice
                connection      connected, live
                last connected  2023-11-14T22:13:20.000Z
                channels left   0
                unread          0
                not sent        0
                cache           in memory
                """,
            covers: ["ChatClient.engine"],
            gives: [
                .device, .userID, .connection, .time, .unread, .outboxItems, .count, .place, .error,
                .damage,
            ]
        ) { arguments in
            let client = try arguments.client
            let engine = try client.engine
            let state = await engine.state
            let store = engine.store
            let failure =
                state.failure.map { sentence(of: $0) }
                ?? client.cachingError.map { sentence(of: $0) }
            // While the client is suspended, the store cannot be read. All other values are in
            // memory.
            let unsent: [OutboxItem]?
            do throws(StoreError) {
                unsent = try store.outboxItems()
            } catch {
                guard error.code == .suspended else { throw error }
                unsent = nil
            }
            let place = unsent == nil ? "suspended, \(store.place)" : store.place
            let damage = client.storageDamage.sentences
            let rows =
                [
                    ("user", client.currentUser?.userID.rawValue ?? "nobody"),
                    ("connection", "\(client.connectionState.word)\(state.isLive ? ", live" : "")"),
                    ("last connected", client.lastConnectedAt?.iso8601 ?? "never"),
                    ("channels left", "\(state.channelsLeft)"),
                    ("unread", "\(client.unreadCount?.groupChannelUnreadMessageCount ?? 0)"),
                    ("not sent", unsent.map { "\($0.count)" } ?? "unknown until resume"),
                    ("cache", failure ?? place),
                ] + damage.map { ("damage", $0) }
            var values = try arguments.device.values
            values[.time] = client.lastConnectedAt
            values[.unread] = client.unreadCount?.groupChannelUnreadMessageCount ?? 0
            values[.outboxItems] = unsent
            values[.count] = state.channelsLeft
            values[.place] = store.directory?.path
            values[.error] = failure
            values[.damage] = damage.isEmpty ? nil : damage
            return .text(columns(rows.map { [$0.0, $0.1] }), values)
        },
        Command(
            name: "sync",
            usage: "[CHANNEL]",
            summary: "Waits until the device's background sync has finished.",
            example: "sync",
            preparation: ["connect alice"],
            output: "up to date",
            offers: [.channels],
            covers: ["SyncEngine.caughtUp(_:)", "SyncEngine.isIdle", "SyncEngine.state"]
        ) { arguments in
            guard arguments.words.count <= 1 else { throw CommandError.usage }
            let url =
                try await arguments.words.isEmpty ? nil : arguments.existing(arguments.channel)
            let engine = try arguments.client.engine
            try await arguments.workspace.withinPatience("not up to date") {
                try await engine.caughtUp(url)
            }
            return .text("up to date")
        },
        Command(
            name: "relaunch",
            summary: "Closes the client of this device, and opens a new one.",
            example: "relaunch",
            preparation: ["connect alice"],
            output: "alice is not connected",
            covers: ["ChatClient.close()"],
            gives: [.device, .userID, .connection]
        ) { arguments in
            let device = try await arguments.world.relaunch(try arguments.device)
            return .text(
                "\(device.name) is \(device.client.connectionState.word)", device.values)
        },
        Command(
            name: "log-out",
            usage: "[everything]",
            summary:
                "Logs the user out and removes cached data; everything removes unsent messages too.",
            example: "log-out",
            preparation: ["demo"],
            output: """
                logged out
                = alice is disconnected
                """,
            offers: [.oneOf(["everything"])],
            covers: ["ChatClient.logOut(wiping:)"],
            gives: [.outboxItems]
        ) { arguments in
            guard [[], ["everything"]].contains(arguments.words) else { throw CommandError.usage }
            let device = try arguments.device
            device.show(nil)
            device.channelList = nil
            let items = try await device.client.logOut(
                wiping: arguments.words.isEmpty ? .cachedData : .everything)
            let count = items.filter { $0.operation == .send }.count
            return .text(
                count == 0 ? "logged out" : "logged out; \(counted(count, "message")) not sent",
                [.outboxItems: items])
        },
        Command(
            name: "wait",
            usage: "DURATION",
            summary: "Lets time pass: 500ms, 2s, 10m.",
            example: "wait 1s",
            output: "1s later",
            gives: [.time]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            try await arguments.world.pass(try arguments.duration(arguments.words[0]))
            return .text(
                "\(arguments.words[0]) later", [.time: try arguments.world.clock.now])
        },
        Command(
            name: "listen",
            usage: "on | off",
            summary: "Registers the delegates that report events, or removes them.",
            example: "listen off",
            preparation: ["connect alice"],
            output: "events are not reported",
            offers: [.oneOf(["on", "off"])],
            covers: [
                "ChatClient.addChannelDelegate(_:identifier:)",
                "ChatClient.addConnectionDelegate(_:identifier:)",
                "ChatClient.addUserEventDelegate(_:identifier:)",
                "ChatClient.removeChannelDelegate(identifier:)",
                "ChatClient.removeConnectionDelegate(identifier:)",
                "ChatClient.removeUserEventDelegate(identifier:)",
            ]
        ) { arguments in
            switch arguments.words {
            case ["on"]: try arguments.device.listen()
            case ["off"]: try arguments.device.stopListening()
            default: throw CommandError.usage
            }
            return .text("events are \(arguments.words[0] == "on" ? "" : "not ")reported")
        },
        Command(
            name: "option",
            usage: "[NAME [VALUE]]",
            summary:
                "Shows the options of a client, or sets one for devices started later: relaunch.",
            example: "option sync.hugeGapThreshold 50",
            output: "sync.hugeGapThreshold is 50 for later devices",
            offers: [.options],
            gives: [.settings, .name, .value]
        ) { arguments in
            let world = try arguments.world
            guard let name = arguments.words.first else {
                return .text(
                    columns(ClientOption.all.map { [$0.name, $0.text(world.clientOptions)] }),
                    [.settings: ClientOption.all.texts(of: world.clientOptions)])
            }
            guard let option = ClientOption.all.first(where: { $0.name == name }) else {
                throw CommandError.failed("there is no option '\(name)': option lists them")
            }
            guard arguments.words.count == 2 else {
                guard arguments.words.count == 1 else { throw CommandError.usage }
                return .setting(name, option.text(world.clientOptions))
            }
            guard option.set(arguments.words[1], &world.clientOptions) else {
                throw CommandError.failed("'\(arguments.words[1])' is not a value of \(name)")
            }
            return .setting(name, option.text(world.clientOptions), " for later devices")
        },
    ]
}

extension Device {
    fileprivate var owner: Values { [.device: name, .userID: userID] }

    fileprivate var values: Values {
        owner.merging([.connection: "\(client.connectionState)"]) { $1 }
    }

    fileprivate var summary: [String: String] {
        var summary = [
            "name": name, "user_id": userID.rawValue, "connection": "\(client.connectionState)",
        ]
        summary["channel_url"] = collection?.channelURL.rawValue
        return summary
    }
}

extension Command.Reply {
    static func setting(_ name: String, _ value: String, _ remark: String = "") -> Command.Reply {
        .text("\(name) is \(value)\(remark)", [.name: name, .value: value])
    }
}

extension ConnectionState {
    var word: String {
        switch self {
        case .open: "connected"
        case .connecting: "connecting"
        case .closed: "not connected"
        }
    }
}
