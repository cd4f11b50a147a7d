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
            "edit ID TEXT | JSON", freeTextAfter: 1,
            "Edits one of the user's own messages, sent or not."
        ) { arguments in
            guard arguments.words.count >= 2 else { throw CommandError.usage }
            let collection = try arguments.collection
            let message = try arguments.message(arguments.words[0])
            let text = arguments.rest
            if message.type == .file {
                var params = FileMessageUpdateParams()
                params.text = text
                if text.hasPrefix("{") { params = try arguments.params(.init(), text) }
                try await collection.update(message, with: .file(params))
            } else {
                var params = UserMessageUpdateParams()
                params.text = text
                if text.hasPrefix("{") { params = try arguments.params(.init(), text) }
                try await collection.update(message, with: .text(params))
            }
            return "edited \(arguments.words[0])"
        },
        Command("delete ID", "Deletes one of the user's own messages, sent or not.") { arguments in
            let (collection, id) = (try arguments.collection, try arguments.onlyWord)
            try await collection.delete(try arguments.message(id))
            return "deleted \(id)"
        },
        Command("react ID KEY", "Adds a reaction to a message.") { arguments in
            let (message, key, isGiven) = try arguments.reaction
            guard isGiven != true else { return "\(arguments.words[0]) has your \(key) already" }
            try await arguments.collection.addReaction(key, to: message)
            return "added \(key) to \(arguments.words[0])"
        },
        Command("unreact ID KEY", "Removes the user's reaction from a message.") { arguments in
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
            "drafts [CHANNEL TEXT]", freeTextAfter: 1,
            "Lists the drafts of all channels; with TEXT, saves the draft of a channel."
        ) { arguments in
            let client = try arguments.client
            if let word = arguments.words.first {
                guard arguments.words.count > 1 else { throw CommandError.usage }
                let url = try await arguments.existing(ChannelURL(word))
                try await client.setDraft(arguments.rest, of: url)
            }
            let drafts = try client.engine.store.drafts()
            return table(drafts.sorted { $0.key < $1.key }, limit: .everything, orNone: "no drafts")
            {
                [$0.key.rawValue, ($0.value.replyingTo.map { "↳ \($0) " } ?? "") + $0.value.text]
            }
        },
        Command("cancel REQUESTID", "Cancels a message that is not sent yet.") { arguments in
            let id = RequestID(try arguments.onlyWord)
            let wasThere: Bool
            if let collection = try arguments.device.collection {
                wasThere = try await collection.cancel(id)
            } else {
                wasThere = try await arguments.client.cancel(id)
            }
            guard wasThere else {
                throw CommandError.failed("there is no unsent message '\(id)': see pending")
            }
            return "canceled \(id)"
        },
        Command(
            "remove-failed [REQUESTID ...]",
            "Removes failed messages of the open channel: all, or some."
        ) { arguments in
            let collection = try arguments.collection
            let ids = arguments.words.map { RequestID($0) }
            let failed = Set(collection.failedMessages.compactMap(\.requestID))
            if let unknown = ids.first(where: { !failed.contains($0) }) {
                throw CommandError.failed("there is no failed message '\(unknown)': see failed")
            }
            let removed =
                try await ids.isEmpty
                ? collection.discardAllFailedItems() : collection.discardFailedItems(ids)
            return removed.isEmpty
                ? "no messages were removed"
                : "removed \(removed.map(\.rawValue).joined(separator: " "))"
        },
        Command(
            "download ID [PATH]", "Downloads the file of a message, and shows its size or saves it."
        ) { arguments in
            let words = arguments.words
            guard (1...2).contains(words.count) else { throw CommandError.usage }
            let message = try arguments.message(words[0])
            guard let file = message.file ?? message.files.first else {
                throw CommandError.failed("message \(words[0]) has no file")
            }
            let data = try await arguments.client.download(file)
            guard words.count == 2 else {
                return "\((file.name ?? "a file").oneLine): \(counted(data.count, "byte"))"
            }
            let path = words[1].fromHome
            let output = try OutputFile(path)
            output.write(data)
            guard output.end() else { throw OutputFile.failure(path) }
            return "saved \(counted(data.count, "byte")) to \(words[1])"
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
        onChannel("read [CHANNEL]", "Marks a channel as read.") { client, url in
            try await client.markAsRead(url)
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
