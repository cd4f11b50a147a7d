import EmbeddedServer
import Foundation
import Scrollback

extension Command {
    static let users: [Command] = [
        Command(
            "connect [USER [TOKEN] [offline | within DURATION]]",
            "Connects a user on their own device; by default the current device's.",
            notes: [
                "Another device of the same user has a name of its own: connect alice@phone. A name",
                "with a dot after the @, such as ann@example.org, is the id of a user.",
                "With offline, the stored data is opened without the server. With within, the command",
                "fetches what the device has missed in at most that time, as a background task does.",
            ]
        ) { arguments in
            let (words, mode) = try arguments.connectionMode()
            guard words.count <= 2 else { throw CommandError.usage }
            let world = try arguments.world
            guard words.count < 2 || world.options.host.isEmbedded else {
                throw CommandError.failed(
                    "the prompt's history would keep the token: put it into a file for --secrets"
                )
            }
            let device =
                try await words.isEmpty ? arguments.device : world.device(words[0])
            let before = world.current
            world.use(device)
            let error: BackendError?
            do {
                switch mode {
                case .online:
                    error = try await device.connect(accessToken: words.dropFirst().first)
                case .offline:
                    try await device.open()
                    return "\(device.name), \(device.client.connectionState.word)"
                case .within(let limit):
                    let result = await device.catchUp(
                        within: limit, accessToken: words.dropFirst().first)
                    let messages = result.messages
                    let failure = result.error.map { "; \(sentence(of: $0))" } ?? ""
                    let head =
                        "\(device.name): \(counted(messages.count, "new message"))"
                        + (result.isComplete ? "" : ", and there are more") + failure
                    return ValuedReply(
                        messages.isEmpty
                            ? head : "\(head)\n\(messages.lines(orNone: "", isShort: true))",
                        list: messages)
                }
            } catch {
                world.use(before ?? device)
                throw error
            }
            let cachingNote = world.notStored.map { "\n\($0)" }
            let offline = error.map { ", offline: \($0.message); retrying" }
            return ValuedReply(
                "\(device.name)\(offline ?? "")\(cachingNote ?? "")",
                ["device": device.name, "user_id": device.userID])
        },
        Command("disconnect", "Ends the connection; cached data can still be shown.") { arguments in
            try await arguments.client.disconnect()
            return "disconnected"
        },
        Command("reconnect", "Reconnects immediately, as when the app becomes active.") {
            arguments in
            let device = try arguments.device
            await device.client.reconnect()
            guard device.client.connectionState != .offline else {
                throw CommandError.failed(device.statusLine)
            }
            return "\(device.name) is \(device.client.connectionState.word)"
        },
        Command(
            "as DEVICE [COMMAND]", freeTextAfter: 1,
            "Switches to another device, or runs one command there.",
            notes: ["A device that does not exist is created, and its user too. See also: connect."]
        ) { arguments in
            guard let name = arguments.words.first else { throw CommandError.usage }
            let world = try arguments.world
            let before = world.current
            let isNew = !world.devices.contains { $0.name == name }
            let device = try await world.device(name)
            if isNew {
                _ = try await device.connect(accessToken: nil)
                await world.waitUntilIdle(within: arguments.workspace.patience)
            }
            world.use(device)
            guard !arguments.rest.isEmpty else { return device.name }
            // Discard earlier events: this command has not caused them.
            if device !== before { _ = device.removeEvents() }
            defer {
                if let before { world.use(before) }
                world.visited = device
            }
            if device.collection == nil, let url = before?.collection?.channelURL,
                // Without a session, the device has no store.
                try (try? device.client.engine)?.store.groupChannel(url)?.myMemberState == .joined
            {
                // Open the channel that is open on the device `before`. Ignore an error: the
                // command reports it.
                let collection = try device.client.makeMessageCollection(of: url)
                device.show(collection)
                _ = try? await collection.start().refreshed
            }
            return try await run(arguments.rest, in: arguments.workspace)
        },
        Command(
            "stored-users",
            "Lists the users who have files on a device of the prompt, with the files' sizes."
        ) { arguments in
            let lines = try await arguments.world.storedUsers.map { user in
                let name = user.userID?.rawValue ?? user.directory.lastPathComponent
                let device = user.directory.deletingLastPathComponent()
                    .deletingLastPathComponent().lastPathComponent.removingPercentEncoding
                let line =
                    "\(name)  \(counted(user.byteCount, "byte"))"
                    + (device == nil || device == name ? "" : "  of \(device!)")
                    + (user.isEncrypted ? "  encrypted" : "")
                return line.oneLine
            }
            return lines.isEmpty ? "no data is stored in files" : lines.joined(separator: "\n")
        },
        Command(
            "wipe-user USER | all [cache]",
            "Removes a user's files, or only the cache, from all devices of the prompt."
        ) { arguments in
            let words = arguments.words
            guard (1...2).contains(words.count), words.count == 1 || words[1] == "cache" else {
                throw CommandError.usage
            }
            let wiping: ChatClient.Wiping = words.count == 2 ? .cachedData : .everything
            let userID = words[0] == "all" ? nil : UserID(words[0])
            if userID == nil, try await arguments.world.storedUsers.contains(where: \.isNamedAll) {
                throw CommandError.failed(
                    "a user is named all: to remove all data, delete the directory")
            }
            let removed = try await arguments.world.removeData(of: userID, wiping: wiping)
            guard removed > 0 else {
                let whose = userID.map { " of \($0)" } ?? ""
                throw CommandError.failed(
                    "no data\(whose) is stored in files: stored-users lists what is")
            }
            let whose = userID.map(\.rawValue) ?? "all users"
            return "removed \(counted(removed, "byte")) of \(whose)"
        },
        Command(
            "devices [limit N | all]",
            "Lists the devices, those of earlier runs too, and what each shows."
        ) { arguments in
            try arguments.expectNoWords()
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
            return table(
                rows, limit: arguments.limit, orNone: "no devices: type connect alice"
            ) { $0 }
        },
        Command("status", "Shows the user, the connection, the sync and the cache's directory.") {
            arguments in
            let client = try arguments.client
            let engine = try client.engine
            let state = await engine.state
            let store = engine.store
            let failure =
                state.failure.map { sentence(of: $0) }
                ?? client.cachingError.map { sentence(of: $0) }
            // While the client is suspended, the store is closed.
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
                    ("user", client.currentUser?.userID.rawValue ?? "none"),
                    (
                        "connection",
                        client.connectionState.word + (state.isLive ? ", live" : "")
                            + (try arguments.device.reasonForNoConnection.map { ": \($0)" } ?? "")
                    ),
                    ("last connected", client.lastConnectedAt?.iso8601 ?? "never"),
                    ("still syncing", counted(state.channelsLeft, "channel")),
                    ("unread", "\(client.unreadCount?.groupChannelUnreadMessageCount ?? 0)"),
                    ("not sent", unsent.map { "\($0.count)" } ?? "unknown until resume"),
                    ("cache", failure ?? place),
                ] + (client.cachingError == nil ? [] : [("stored", "nothing: all is in memory")])
                + damage.map { ("damage", $0) }
            return table(rows, limit: .everything, orNone: "") { [$0.0, $0.1] }
        },
        Command("sync [CHANNEL]", "Waits until the device's background sync has finished.") {
            arguments in
            let word = try arguments.optionalWord
            let url = word == nil ? nil : try await arguments.existing(arguments.channel)
            let engine = try arguments.client.engine
            try await arguments.workspace.withinPatience("not up to date") {
                try await engine.caughtUp(url)
            }
            return "up to date"
        },
        Command("relaunch", "Closes the client of this device, and opens a new one.") { arguments in
            let device = try await arguments.world.relaunch(try arguments.device)
            return device.statusLine
        },
        Command(
            "log-out [everything]",
            "Logs the user out and removes cached data; everything removes unsent messages too."
        ) { arguments in
            guard [[], ["everything"]].contains(arguments.words) else { throw CommandError.usage }
            let device = try arguments.device
            device.show(nil)
            device.channelList = nil
            let items = try await device.client.logOut(
                wiping: arguments.words.isEmpty ? .cachedData : .everything)
            let count = items.filter { $0.operation == .send }.count
            let fate = arguments.words.isEmpty ? "not sent" : "removed before it was sent"
            let fates = count == 1 ? fate : fate.replacing("it was", with: "they were")
            return ValuedReply(
                count == 0 ? "logged out" : "logged out; \(counted(count, "message")) \(fates)",
                list: items)
        },
        Command(
            "wait DURATION", "Lets time pass: 500ms, 2s, 10m.",
            notes: ["Without --clock, the command takes that long; away simulates an absence."]
        ) { arguments in
            let word = try arguments.onlyWord
            try await arguments.world.pass(try arguments.duration(word))
            return "\(word) later"
        },
        Command(
            "listen (on | off | streams) [IDENTIFIER]",
            "Registers the delegates that report events, or removes them.",
            notes: [
                "The delegates have the IDENTIFIER, if any. After streams, events are read from",
                "asynchronous sequences instead, and the progress of all uploads is reported.",
            ]
        ) { arguments in
            guard (1...2).contains(arguments.words.count) else { throw CommandError.usage }
            let device = try arguments.device
            let (word, identifier) = (arguments.words[0], arguments.words.dropFirst().first)
            switch (word, identifier) {
            case ("on", _): device.listen(as: identifier)
            case ("off", _): device.stopListening(as: identifier)
            case ("streams", nil): device.readStreams()
            default: throw CommandError.usage
            }
            return "events are \(device.isListening ? "" : "not ")reported"
        },
        Command(
            "option [OPTION [VALUE]]",
            "Shows the options of a client, or sets one for devices started later: relaunch."
        ) { arguments in
            let world = try arguments.world
            return try Setting.ofClient.showOrSet(
                arguments.words, of: &world.clientOptions, " for later devices")
        },
    ]
}

extension Command.Arguments {
    fileprivate enum ConnectionMode {
        case online
        case offline
        case within(Duration)
    }

    /// Returns the words before `offline` or `within DURATION`, and what these mean.
    fileprivate func connectionMode() throws -> (words: [String], ConnectionMode) {
        if words.count > 1, words.last == "offline" { return (words.dropLast(), .offline) }
        if words.count > 2, words[words.count - 2] == "within" {
            return (words.dropLast(2), .within(try duration(words[words.count - 1])))
        }
        return (words, .online)
    }
}

extension World {
    /// Removes the data of a user, or of all users, from the devices' directories, and returns the
    /// number of bytes.
    fileprivate func removeData(
        of userID: UserID?, wiping: ChatClient.Wiping
    ) async throws -> Int {
        // A device without an engine has no file open.
        let open = devices.first { device in
            (userID ?? device.userID) == device.userID && options.home != nil
                && (try? device.client.engine) != nil
        }
        if let open {
            throw CommandError.failed(
                "\(open.name) has these files open: as \(open.name) log-out everything")
        }
        let before = try await storedUsers.byteCount
        for options in try storageOptions {
            if let userID {
                try await ChatClient.removeStoredData(of: userID, wiping: wiping, options: options)
            } else {
                try await ChatClient.removeAllStoredData(wiping: wiping, options: options)
            }
        }
        return try await before - storedUsers.byteCount
    }
}

extension StoredUser {
    /// True for the user `all`, also if the store is encrypted, so that the ID is unknown.
    fileprivate var isNamedAll: Bool {
        [false, true].contains { hidesUser in
            let named = ChatStore.directory(
                in: directory, applicationID: "", userID: "all", hidesUser: hidesUser)
            return named.lastPathComponent == directory.lastPathComponent
        }
    }
}

extension Device {
    fileprivate var statusLine: String {
        "\(name) is \(client.connectionState.word)"
            + (reasonForNoConnection.map { ": \($0)" } ?? "")
    }

    fileprivate var reasonForNoConnection: String? {
        switch client.connectionState {
        case .online, .connecting: nil
        case .revoked: "the server has ended the session"
        case .waiting: network.conditions.isOnline ? "retrying" : "no network; online ends that"
        case .offline: "connect \(name) connects it"
        }
    }
}

extension ConnectionState {
    var word: String {
        switch self {
        case .online: "connected"
        case .connecting: "connecting"
        case .offline, .waiting, .revoked: "not connected"
        }
    }
}
