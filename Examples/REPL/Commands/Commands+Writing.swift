import Foundation
import Scrollback

extension Command {
    static let writing: [Command] = [
        Command(
            "send TEXT | JSON", freeTextAfter: 0,
            "Sends a message to the open channel; offline, it waits in the outbox."
        ) { arguments in
            guard !arguments.text.isEmpty else { throw CommandError.usage }
            let text = arguments.text
            let params =
                try text.hasPrefix("{")
                ? arguments.params(NewMessage(), text) : NewMessage(text)
            return written(try await arguments.collection.send(params))
        },
        Command(
            "send-file PATH ... [JSON]",
            "Sends a message with one file or several; copies are kept until it is sent.",
            example: "send-file /etc/hostname"
        ) { arguments in
            let (paths, json) = (arguments.words, arguments.json)
            guard !paths.isEmpty else { throw CommandError.usage }
            let files = try paths.map { try UploadableFile(readableAt: $0) }
            let collection = try arguments.collection
            // A store in memory has no directory for copies.
            let keepsCopies = collection.engine.store.directory != nil
            var params = try arguments.params(NewMessage(), json)
            params.files = files
            return written(try await collection.send(params, keepsCopies: keepsCopies))
        },
        Command("reply ID TEXT", freeTextAfter: 1, "Replies to a message.") { arguments in
            guard arguments.words.count >= 2 else { throw CommandError.usage }
            let collection = try arguments.collection
            let parent = try arguments.message(arguments.words[0])
            guard let id = parent.messageID else {
                throw CommandError.failed("\(arguments.words[0]) is not sent yet")
            }
            var params = NewMessage(arguments.rest)
            params.parentMessageID = id
            params.isReplyToChannel = true
            return written(try await collection.send(params))
        },
        Command("copy ID to CHANNEL", "Sends a copy of a message to another channel.") {
            arguments in
            guard arguments.words.count == 3, arguments.words[1] == "to" else {
                throw CommandError.usage
            }
            let message = try arguments.message(arguments.words[0])
            let url = try await arguments.existing(ChannelURL(arguments.words[2]))
            return written(try await arguments.client.forward(message, to: url))
        },
        Command(
            "edit ID TEXT | JSON | in CHANNEL ID TEXT", freeTextAfter: 1,
            "Edits one of the user's own messages, sent or not."
        ) { arguments in
            if arguments.words.first == "in" { return try await arguments.editInChannel() }
            guard arguments.words.count >= 2 else { throw CommandError.usage }
            let collection = try arguments.collection
            let message = try arguments.message(arguments.words[0])
            let text = arguments.rest
            if text.hasPrefix("{") {
                try await collection.update(message, with: arguments.update(of: message, to: text))
            } else {
                try await collection.edit(message, text: text)
            }
            return "edited \(arguments.words[0])"
        },
        Command(
            "delete ID [in CHANNEL]", "Deletes one of the user's own messages, sent or not."
        ) { arguments in
            let (word, url) = try await arguments.wordInChannel()
            if arguments.words.count == 1 {
                try await arguments.collection.delete(try arguments.message(word))
            } else {
                let id = try arguments.messageID(word, in: url)
                try await arguments.client.delete(.sent(id), in: url)
            }
            return "deleted \(word)"
        },
        Command("react ID KEY [in CHANNEL]", "Adds a reaction to a message.") { arguments in
            if let (id, key, url) = try await arguments.reactionInChannel() {
                try await arguments.client.addReaction(key, to: .sent(id), in: url)
                return "added \(key) to \(id)"
            }
            let (message, key, isGiven) = try arguments.reaction
            guard isGiven != true else { return "\(arguments.words[0]) has your \(key) already" }
            try await arguments.collection.addReaction(key, to: message)
            return "added \(key) to \(arguments.words[0])"
        },
        Command(
            "unreact ID KEY [in CHANNEL]", "Removes the user's reaction from a message."
        ) { arguments in
            if let (id, key, url) = try await arguments.reactionInChannel() {
                try await arguments.client.deleteReaction(key, from: .sent(id), in: url)
                return "removed \(key) from \(id)"
            }
            let (message, key, isGiven) = try arguments.reaction
            guard isGiven != false else {
                throw CommandError.failed("\(arguments.words[0]) has no \(key) of yours")
            }
            try await arguments.collection.deleteReaction(key, from: message)
            return "removed \(key) from \(arguments.words[0])"
        },
        Command(
            "resend REQUESTID [N=PATH ...]",
            "Sends a failed message again; with N=PATH, in place of its Nth file."
        ) { arguments in
            guard let word = arguments.words.first else { throw CommandError.usage }
            let id = RequestID(word)
            var files: [Int: UploadableFile] = [:]
            for word in arguments.words.dropFirst() {
                let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
                guard parts.count == 2, let number = Int(parts[0]) else { throw CommandError.usage }
                files[number - 1] = try UploadableFile(readableAt: parts[1])
            }
            if let collection = try arguments.device.collection {
                try await collection.resend(id, replacing: files)
            } else {
                try await arguments.client.resend(id, replacing: files)
            }
            return "sending \(id) again"
        },
        Command(
            "result REQUESTID [in CHANNEL]",
            "Waits until a message or a change was sent, has failed, or was canceled."
        ) { arguments in
            let (word, url) = try await arguments.wordInChannel()
            let engine = try arguments.client.engine
            let id = RequestID(word)
            let result = try await arguments.workspace.withinPatience("\(id) is not sent") {
                try await engine.deliveryResult(of: id, in: url)
            }
            switch result {
            case .sent(let message):
                return ValuedReply("\(id) was sent as \(message.messageID ?? "?")", message)
            case .done: return "\(id) is done"
            case .failed(let item): return ValuedReply("\(id) has failed", item)
            case .canceled: return "\(id) was canceled"
            case .unknown:
                throw CommandError.failed("the result of '\(id)' in \(url) is not known")
            }
        },
        Command(
            "draft [TEXT | clear]", freeTextAfter: 0,
            "Saves the draft of the open channel; without a text, shows it."
        ) { arguments in
            let collection = try arguments.collection
            let text = arguments.text
            if text == "clear" {
                try await collection.setDraft("")
            } else if !text.isEmpty {
                try await collection.setDraft(text, replyingTo: collection.draftReplyingTo)
            }
            return shownDraft(of: collection)
        },
        Command(
            "draft-reply ID [TEXT]", freeTextAfter: 1,
            "Saves the draft of a reply to a message, with the text or that of the draft."
        ) { arguments in
            guard let word = arguments.words.first else { throw CommandError.usage }
            let collection = try arguments.collection
            let message = try arguments.message(word)
            guard let id = message.messageID else {
                throw CommandError.failed("\(word) is not sent yet")
            }
            let text = arguments.rest.isEmpty ? collection.draft : arguments.rest
            try await collection.setDraft(text, replyingTo: id)
            return shownDraft(of: collection)
        },
        Command(
            "drafts [CHANNEL [TEXT]]", freeTextAfter: 1,
            "Lists the drafts of all channels or shows one; with TEXT, saves it."
        ) { arguments in
            let client = try arguments.client
            let store = try client.engine.store
            func line(_ draft: Draft) -> String {
                (draft.replyingTo.map { "↳ \($0) " } ?? "") + draft.text
            }
            if let word = arguments.words.first {
                let url = try await arguments.existing(ChannelURL(word))
                guard arguments.words.count > 1 else {
                    let draft = try store.draft(of: url)
                    return draft.map { "draft of \(url): \(line($0).oneLine)" }
                        ?? "\(url) has no draft"
                }
                try await client.setDraft(arguments.rest, of: url)
            }
            let drafts = try store.drafts().sorted { $0.key < $1.key }
            return table(drafts, limit: .everything, orNone: "no drafts") {
                [$0.key.rawValue, line($0.value)]
            }
        },
        Command("cancel REQUESTID", "Cancels a message that is not sent yet.") { arguments in
            let id = RequestID(try arguments.onlyWord)
            let wasThere: Bool
            if let collection = try arguments.device.collection {
                let unsent = collection.pendingMessages + collection.failedMessages
                if let message = unsent.first(where: { $0.requestID == id }) {
                    wasThere = try await collection.discard(message)
                } else {
                    // The ID may be that of a change.
                    wasThere = try await collection.cancel(id)
                }
            } else {
                wasThere = try await arguments.client.cancel(id)
            }
            guard wasThere else {
                throw CommandError.failed("there is no unsent message '\(id)': see pending")
            }
            return "canceled \(id)"
        },
        Command(
            "remove-failed [REQUESTID ...] [in CHANNEL]",
            "Removes failed messages of a channel: all, or some."
        ) { arguments in
            let (words, url) = try await arguments.wordsInChannel()
            let ids = words.map { RequestID($0) }
            let engine = try arguments.client.engine
            // Without `in CHANNEL`, it is the open channel.
            let collection: MessageCollection? =
                try words.count == arguments.words.count ? arguments.collection : nil
            let messages = try collection?.failedMessages ?? engine.store.failedMessages(in: url)
            let failed = Set(messages.compactMap(\.requestID))
            if let unknown = ids.first(where: { !failed.contains($0) }) {
                throw CommandError.failed("there is no failed message '\(unknown)': see failed")
            }
            let removed: [RequestID]
            if let collection {
                removed =
                    try await ids.isEmpty
                    ? collection.discardAllFailedItems() : collection.discardFailedItems(ids)
            } else {
                removed =
                    try await ids.isEmpty
                    ? engine.discardAllFailedItems(in: url) : engine.discardFailedItems(ids)
            }
            return removed.isEmpty
                ? "no messages were removed"
                : "removed \(removed.map(\.rawValue).joined(separator: " "))"
        },
        Command(
            "download ID [PATH]",
            "Downloads the file of a message, and shows its size or saves it.",
            notes: ["A file that is kept on this device is not downloaded again."],
            example: "download 69"
        ) { arguments in
            let words = arguments.words
            guard (1...2).contains(words.count) else { throw CommandError.usage }
            let message = try arguments.message(words[0])
            guard let file = message.file else {
                throw CommandError.failed("message \(words[0]) has no file")
            }
            let data = try await arguments.client.download(file)
            return try shown(data, file.name, savedTo: words.dropFirst().first)
        },
        Command(
            "typing (on | off)", "Shows the members of the open channel that the user is typing."
        ) { arguments in
            let url = try arguments.collection.channelURL
            switch arguments.words {
            case ["on"]:
                try await arguments.client.startTyping(in: url)
                return "typing in \(url)"
            case ["off"]:
                try await arguments.client.endTyping(in: url)
                return "not typing in \(url)"
            default: throw CommandError.usage
            }
        },
        Command(
            "poll TITLE TEXT TEXT ... [in CHANNEL]", "Creates a poll, and sends it.",
            example: "poll 'Tea or coffee?' tea coffee"
        ) { arguments in
            let (words, url) = try await arguments.wordsInChannel()
            guard words.count > 2 else { throw CommandError.usage }
            let client = try arguments.client
            let poll = try await client.createPoll(words[0], options: Array(words.dropFirst()))
            var params = NewMessage(words[0])
            params.pollID = poll.id
            _ = try await client.send(params, in: url).result
            let options = poll.options.map { "\($0.id) \($0.text)" }.joined(separator: ", ")
            return "poll \(poll.id): \(options)"
        },
        Command(
            "vote ID NUMBER ... [in CHANNEL]",
            "Votes for options of a message's poll, by their numbers.",
            notes: ["NUMBER is none to take the vote back."]
        ) { arguments in
            let (words, url) = try await arguments.wordsInChannel()
            guard words.count > 1 else { throw CommandError.usage }
            let options = try words.dropFirst().filter { $0 != "none" }.map { word in
                guard let number = Int64(word) else {
                    throw CommandError.failed("'\(word)' is no number of an option")
                }
                return number
            }
            let message = try await arguments.client.vote(
                for: options, inPollOf: arguments.messageID(words[0], in: url), in: url)
            let counts = (message.poll?.options ?? [])
                .map { "\($0.text.oneLine) \($0.voteCount)" }.joined(separator: ", ")
            return "\((message.poll?.title ?? "").oneLine)  \(counts)"
        },
        onMessage("mark-unread", "Marks a message and all newer ones as unread.") {
            client, id, url in
            try await client.markAsUnread(from: id, in: url)
            return "\(url) is unread from \(id) on"
        },
        onMessage("pin-message", "Pins a message to its channel for all members.") {
            client, id, url in
            try await client.pinMessage(id, in: url)
            return "pinned message \(id) to \(url)"
        },
        onMessage("unpin-message", "Removes the pin of a message.") { client, id, url in
            try await client.unpinMessage(id, in: url)
            return "removed the pin of message \(id) from \(url)"
        },
        Command("read [CHANNEL]", "Marks a channel as read.") { arguments in
            let url = try await arguments.channelOrOpenOne
            if arguments.words.isEmpty {
                try await arguments.collection.markAsRead()
            } else {
                try await arguments.client.markAsRead(url)
            }
            return "read \(url)"
        },
        onChannel(
            "delivered [CHANNEL]", "Marks the messages of a channel as delivered to this device."
        ) { client, url in
            try await client.markAsDelivered(url)
            return "delivered \(url)"
        },
    ]

    private static func onMessage(
        _ name: String, _ summary: String,
        _ body:
            @escaping @MainActor @Sendable (ChatClient, MessageID, ChannelURL) async throws
            -> String
    ) -> Command {
        Command("\(name) ID [in CHANNEL]", summary) { arguments in
            let (id, url) = try await arguments.messageInChannel()
            return try await body(arguments.client, id, url)
        }
    }

    @MainActor private static func shownDraft(of collection: MessageCollection) -> String {
        let (url, text) = (collection.channelURL, collection.draft.oneLine)
        guard let id = collection.draftReplyingTo else {
            return text.isEmpty ? "\(url) has no draft" : "draft of \(url): \(text)"
        }
        return "draft of \(url), a reply to \(id): \(text)"
    }

    private static func written(_ outgoing: OutgoingMessage) -> any Reply {
        let message = outgoing.message
        let text = message.text.isEmpty ? "" : "  \(message.text.oneLine)"
        return ValuedReply("(\(message.requestID?.rawValue ?? "?"))\(text)", message)
    }
}

extension Command.Arguments {
    /// Edits a message of a channel that need not be open, from `in CHANNEL ID TEXT`.
    @MainActor fileprivate func editInChannel() async throws -> any Reply {
        guard words.count >= 4 else { throw CommandError.usage }
        let url = try await existing(ChannelURL(words[1]))
        let id = try messageID(words[2], in: url)
        guard let message = try await client.message(id, in: url) else {
            throw CommandError.noMessage(words[2], in: url)
        }
        try await client.update(
            .sent(id), in: url, with: try update(of: message, to: rest(after: 3)))
        return "edited \(id)"
    }

    /// Returns the change of a message to a text, or as JSON describes it; an unknown field is an
    /// error.
    fileprivate func update(of message: Message, to text: String) throws -> MessageUpdate {
        let json = text.hasPrefix("{") ? text : ""
        if message.type == .file {
            var update = try params(FileMessageUpdateParams(), json)
            if json.isEmpty { update.text = text }
            return .file(update)
        }
        var update = try params(UserMessageUpdateParams(), json)
        if json.isEmpty { update.text = text }
        return .text(update)
    }

    /// The message, the key and the channel of a reaction; `nil` without `in CHANNEL`.
    @MainActor fileprivate func reactionInChannel() async throws -> (
        id: MessageID, key: String, url: ChannelURL
    )? {
        guard words.count == 4, words[2] == "in" else { return nil }
        let url = try await existing(ChannelURL(words[3]))
        return (try messageID(words[0], in: url), words[1], url)
    }

    /// The message and the key of a reaction, and whether the user has given it; `nil` if the
    /// server lists only other users.
    @MainActor fileprivate var reaction: (message: Message, key: String, isGiven: Bool?) {
        get throws {
            guard words.count == 2 else { throw CommandError.usage }
            let message = try message(words[0])
            guard let reaction = message.reactions.first(where: { $0.key == words[1] }) else {
                return (message, words[1], false)
            }
            let isGiven = try client.currentUser.map { reaction.contains($0.userID) }
            let isUnknown = reaction.totalCount != nil && isGiven != true
            return (message, words[1], isUnknown ? nil : isGiven)
        }
    }
}

extension UploadableFile {
    fileprivate init(readableAt word: String) throws {
        let path = word.fromHome
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw CommandError.failed("there is no file '\(word)' that can be read")
        }
        self.init(path: path, name: URL(filePath: path).lastPathComponent)
    }
}
