import Foundation
import Scrollback

extension Command {
    static let writing: [Command] = [
        Command(
            name: "send",
            usage: "TEXT | JSON",
            freeTextAfter: 0,
            summary: "Sends a message to the open channel; offline, it waits in the outbox.",
            example: "send Hello, everybody!",
            preparation: ["demo"],
            covers: ["MessageCollection.send(_:)", "ChatClient.send(_:in:)"],
            gives: [.message]
        ) { arguments in
            guard !arguments.text.isEmpty else { throw CommandError.usage }
            let text = arguments.text
            let params =
                try text.hasPrefix("{")
                ? arguments.params(UserMessageCreateParams(), text) : UserMessageCreateParams(text)
            return .written(try await arguments.collection.send(params))
        },
        Command(
            name: "send-file",
            usage: "PATH [PATH ...] [JSON]",
            summary: "Sends a message with one file or several; copies are kept until it is sent.",
            example: "send-file /etc/hostname",
            preparation: ["demo"],
            offers: [.files],
            offersForMore: true,
            covers: [
                "MessageCollection.send(_:keepsCopies:)", "ChatClient.send(_:in:keepsCopies:)",
            ],
            gives: [.message]
        ) { arguments in
            let (paths, json) = (arguments.words, arguments.json)
            guard !paths.isEmpty else { throw CommandError.usage }
            let files = try paths.map { try UploadableFile(readableAt: $0) }
            let collection = try arguments.collection
            // Keep no copies if the store is in memory, because it has no directory for them.
            let keepsCopies = collection.engine.store.directory != nil
            if files.count == 1 {
                var params = try arguments.params(FileMessageCreateParams(), json)
                params.file = files[0]
                return .written(try await collection.send(params, keepsCopies: keepsCopies))
            }
            var params = try arguments.params(MultipleFilesMessageCreateParams(), json)
            params.files = files
            return .written(try await collection.send(params, keepsCopies: keepsCopies))
        },
        Command(
            name: "reply",
            usage: "ID TEXT",
            freeTextAfter: 1,
            summary: "Replies to a message.",
            example: "reply 60 So do I",
            preparation: ["demo"],
            offers: [.messages],
            gives: [.message]
        ) { arguments in
            guard arguments.words.count >= 2 else { throw CommandError.usage }
            let collection = try arguments.collection
            let parent = try collection.message(arguments.words[0])
            guard let id = parent.messageID else {
                throw CommandError.failed("\(arguments.words[0]) is not sent yet")
            }
            var params = UserMessageCreateParams(arguments.rest)
            params.parentMessageID = id
            params.isReplyToChannel = true
            return .written(try await collection.send(params))
        },
        Command(
            name: "copy",
            usage: "ID to CHANNEL",
            summary: "Sends a copy of a message to another channel.",
            example: "copy 60 to cats",
            preparation: ["demo"],
            offers: [.messages, .oneOf(["to"]), .channels],
            covers: ["ChatClient.copy(_:to:)"],
            gives: [.message]
        ) { arguments in
            guard arguments.words.count == 3, arguments.words[1] == "to" else {
                throw CommandError.usage
            }
            let message = try arguments.collection.message(arguments.words[0])
            let url = try await arguments.existing(ChannelURL(arguments.words[2]))
            return .written(try await arguments.client.copy(message, to: url))
        },
        Command(
            name: "edit",
            usage: "ID TEXT | JSON",
            freeTextAfter: 1,
            summary: "Edits one of the user's own messages, sent or not.",
            example: "edit 69 Hello!",
            preparation: ["demo", "send Helo!"],
            offers: [.messages],
            covers: [
                "MessageCollection.update(_:with:)", "ChatClient.update(_:in:with:)",
                "ChatClient.update(_:with:)",
            ],
            gives: [.channelURL, .messageID, .requestID]
        ) { arguments in
            guard arguments.words.count >= 2 else { throw CommandError.usage }
            let collection = try arguments.collection
            let message = try collection.message(arguments.words[0])
            let text = arguments.rest
            let isJSON = text.hasPrefix("{")
            if message.type == .file {
                var params = FileMessageUpdateParams()
                if isJSON {
                    params = try arguments.params(params, text)
                } else {
                    params.text = text
                }
                try await collection.update(message, with: .file(params))
            } else {
                var params = UserMessageUpdateParams()
                if isJSON {
                    params = try arguments.params(params, text)
                } else {
                    params.text = text
                }
                try await collection.update(message, with: .user(params))
            }
            return .of(message, "edited \(arguments.words[0])")
        },
        Command(
            name: "delete",
            usage: "ID",
            summary: "Deletes one of the user's own messages, sent or not.",
            example: "delete 69",
            preparation: ["demo", "send Never mind"],
            output: """
                deleted 69
                - general 69
                """,
            offers: [.messages],
            covers: [
                "MessageCollection.delete(_:)", "ChatClient.delete(_:in:)", "ChatClient.delete(_:)",
            ],
            gives: [.channelURL, .messageID, .requestID]
        ) { arguments in
            guard arguments.words.count == 1 else { throw CommandError.usage }
            let collection = try arguments.collection
            let message = try collection.message(arguments.words[0])
            try await collection.delete(message)
            return .of(message, "deleted \(arguments.words[0])")
        },
        Command(
            name: "react",
            usage: "ID KEY",
            summary: "Adds a reaction to a message.",
            example: "react 60 +1",
            preparation: ["demo"],
            output: """
                added +1 to 60
                * general 60  [+1 1]
                """,
            offers: [.messages],
            covers: [
                "MessageCollection.addReaction(_:to:)", "ChatClient.addReaction(_:to:in:)",
                "ChatClient.addReaction(_:to:)",
            ],
            gives: [.channelURL, .messageID, .requestID]
        ) { arguments in
            guard arguments.words.count == 2 else { throw CommandError.usage }
            let collection = try arguments.collection
            let message = try collection.message(arguments.words[0])
            try await collection.addReaction(arguments.words[1], to: message)
            return .of(message, "added \(arguments.words[1]) to \(arguments.words[0])")
        },
        Command(
            name: "unreact",
            usage: "ID KEY",
            summary: "Removes the user's reaction from a message.",
            example: "unreact 60 +1",
            preparation: ["demo", "react 60 +1"],
            output: """
                removed +1 from 60
                * general 60  no reactions
                """,
            offers: [.messages],
            covers: [
                "MessageCollection.deleteReaction(_:from:)",
                "ChatClient.deleteReaction(_:from:in:)", "ChatClient.deleteReaction(_:from:)",
            ],
            gives: [.channelURL, .messageID, .requestID]
        ) { arguments in
            guard arguments.words.count == 2 else { throw CommandError.usage }
            let collection = try arguments.collection
            let message = try collection.message(arguments.words[0])
            try await collection.deleteReaction(arguments.words[1], from: message)
            return .of(message, "removed \(arguments.words[1]) from \(arguments.words[0])")
        },
        Command(
            name: "resend",
            usage: "REQUESTID [[N=]PATH ...]",
            summary: "Sends a failed message again; with PATH, in place of its file number N.",
            example: "resend alice-1",
            preparation: ["demo", "fail send refused", "send Hello"],
            offers: [.requests, .files],
            offersForMore: true,
            covers: [
                "MessageCollection.resend(_:replacing:)", "ChatClient.resend(_:replacing:)",
            ],
            gives: [.requestID]
        ) { arguments in
            guard let word = arguments.words.first else { throw CommandError.usage }
            let id = RequestID(word)
            var files: [Int: UploadableFile] = [:]
            for (index, word) in arguments.words.dropFirst().enumerated() {
                let (number, path) = word.numberAndPath(or: index + 1)
                files[number - 1] = try UploadableFile(readableAt: path)
            }
            if let collection = try arguments.device.collection {
                try await collection.resend(id, replacing: files)
            } else {
                try await arguments.client.resend(id, replacing: files)
            }
            return .text("sending \(id) again", [.requestID: id])
        },
        Command(
            name: "draft",
            usage: "[TEXT | clear]",
            freeTextAfter: 0,
            summary:
                "Saves the draft of the open channel; without a text, shows it.",
            example: "draft See you at",
            preparation: ["demo"],
            output: "draft of general: See you at",
            covers: [
                "MessageCollection.setDraft(_:)", "MessageCollection.draft",
                "SyncEngine.setDraft(_:of:)", "Batch.setDraft(_:of:)", "StoreReader.draft(of:)",
            ],
            gives: [.channelURL, .text]
        ) { arguments in
            let collection = try arguments.collection
            let text = arguments.text
            if !text.isEmpty { try await collection.setDraft(text == "clear" ? "" : text) }
            let url = collection.channelURL
            let draft = collection.draft
            var reply = Command.Reply.of(
                url, draft.isEmpty ? "\(url) has no draft" : "draft of \(url): \(draft.oneLine)")
            reply.values[.text] = draft
            return reply
        },
        Command(
            name: "drafts",
            usage: "[CHANNEL TEXT]",
            freeTextAfter: 1,
            summary: "Lists the drafts of all channels; with TEXT, saves the draft of a channel.",
            example: "drafts general See you at",
            preparation: ["demo"],
            output: "general  See you at",
            offers: [.channels],
            covers: [
                "ChatClient.setDraft(_:of:)", "GroupChannelCollection.drafts",
                "StoreReader.drafts()",
            ],
            gives: [.drafts]
        ) { arguments in
            let client = try arguments.client
            if let word = arguments.words.first {
                guard arguments.words.count > 1 else { throw CommandError.usage }
                let url = try await arguments.existing(ChannelURL(word))
                try await client.setDraft(arguments.rest, of: url)
            }
            let drafts = try client.engine.store.drafts()
            let lines = drafts.sorted { $0.key < $1.key }
                .map { "\($0.key)  \($0.value.oneLine)" }
            return .text(
                lines.isEmpty ? "no drafts" : lines.joined(separator: "\n"),
                [
                    .drafts: Dictionary(
                        uniqueKeysWithValues: drafts.map { ($0.key.rawValue, $0.value) })
                ])
        },
        Command(
            name: "cancel",
            usage: "REQUESTID",
            summary: "Cancels a message that is not sent yet.",
            example: "cancel alice-1",
            preparation: ["demo", "offline", "send Oops"],
            output: """
                canceled alice-1
                = alice-1 was canceled
                """,
            offers: [.requests],
            covers: ["MessageCollection.cancel(_:)", "ChatClient.cancel(_:)"],
            gives: [.requestID]
        ) { arguments in
            let id = try arguments.requestID
            let wasThere: Bool
            if let collection = try arguments.device.collection {
                wasThere = try await collection.cancel(id)
            } else {
                wasThere = try await arguments.client.cancel(id)
            }
            guard wasThere else {
                throw CommandError.failed("there is no unsent message '\(id)': see pending")
            }
            return .text("canceled \(id)", [.requestID: id])
        },
        Command(
            name: "remove-failed",
            usage: "[REQUESTID ...]",
            summary: "Removes failed messages of the open channel: all, or some.",
            example: "remove-failed",
            preparation: ["demo", "fail send refused", "send Hello"],
            output: """
                removed alice-1
                = alice-1 was canceled
                """,
            offers: [.requests],
            offersForMore: true,
            covers: [
                "MessageCollection.removeFailedMessages(_:)",
                "MessageCollection.removeAllFailedMessages()",
            ],
            gives: [.requestIDs]
        ) { arguments in
            let collection = try arguments.collection
            let ids = arguments.words.map { RequestID($0) }
            let failed = Set(collection.failedMessages.compactMap(\.requestID))
            if let unknown = ids.first(where: { !failed.contains($0) }) {
                throw CommandError.failed("there is no failed message '\(unknown)': see failed")
            }
            let removed =
                try await ids.isEmpty
                ? collection.removeAllFailedMessages() : collection.removeFailedMessages(ids)
            return .text(
                removed.isEmpty
                    ? "no messages were removed"
                    : "removed \(removed.map(\.rawValue).joined(separator: " "))",
                [.requestIDs: removed])
        },
        Command(
            name: "download",
            usage: "ID [PATH]",
            summary: "Downloads the file of a message, and shows its size or saves it.",
            example: "download 69",
            preparation: ["demo", "send-file /etc/hostname"],
            offers: [.messages, .files],
            covers: ["ChatClient.download(_:)"],
            gives: [.name, .bytes, .path]
        ) { arguments in
            let words = arguments.words
            guard (1...2).contains(words.count) else { throw CommandError.usage }
            let message = try arguments.collection.message(words[0])
            guard let file = message.file ?? message.files.first else {
                throw CommandError.failed("message \(words[0]) has no file")
            }
            let data = try await arguments.client.download(file)
            guard words.count == 2 else {
                return .text(
                    "\(file.name ?? "a file"): \(counted(data.count, "byte"))",
                    [.name: file.name, .bytes: data.count])
            }
            let path = words[1].fromHome
            do {
                try data.write(to: URL(filePath: path))
            } catch {
                throw CommandError.failed("the file '\(words[1])' cannot be written")
            }
            return .text(
                "saved \(counted(data.count, "byte")) to \(words[1])",
                [.name: file.name, .bytes: data.count, .path: path])
        },
        Command(
            name: "typing",
            usage: "on | off",
            summary: "Shows the members of the open channel that the user is typing.",
            example: "typing on",
            preparation: ["demo"],
            output: "typing in general",
            offers: [.oneOf(["on", "off"])],
            covers: ["ChatClient.startTyping(in:)", "ChatClient.endTyping(in:)"],
            gives: [.channelURL]
        ) { arguments in
            let url = try arguments.collection.channelURL
            switch arguments.words {
            case ["on"]:
                try await arguments.client.startTyping(in: url)
                return .of(url, "typing in \(url)")
            case ["off"]:
                try await arguments.client.endTyping(in: url)
                return .of(url, "not typing in \(url)")
            default: throw CommandError.usage
            }
        },
        Command(
            name: "poll",
            usage: "TITLE OPTION OPTION ... [in CHANNEL]",
            summary: "Creates a poll, and sends it.",
            example: "poll 'Tea or coffee?' tea coffee",
            preparation: ["demo"],
            covers: ["ChatClient.createPoll(_:options:allowsMultipleVotes:)"],
            gives: [.text]
        ) { arguments in
            let (words, url) = try await arguments.wordsInChannel()
            guard words.count > 2 else { throw CommandError.usage }
            let client = try arguments.client
            let poll = try await client.createPoll(words[0], options: Array(words.dropFirst()))
            var params = UserMessageCreateParams(words[0])
            params.pollID = poll.id
            _ = try await client.send(params, in: url).result
            let options = poll.options.map { "\($0.id) \($0.text)" }.joined(separator: ", ")
            return .text("poll \(poll.id): \(options)", [.text: options])
        },
        Command(
            name: "vote",
            usage: "ID OPTION ... [in CHANNEL]",
            summary: "Votes for options of a message's poll, by their numbers.",
            notes: ["OPTION is none to take the vote back."],
            example: "vote 69 2",
            preparation: ["demo", "poll 'Tea or coffee?' tea coffee"],
            output: "Tea or coffee?  tea 0, coffee 1",
            offers: [.messages],
            covers: ["ChatClient.vote(for:inPollOf:in:)"],
            gives: [.text]
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
                for: options, inPollOf: MessageID(words[0]), in: url)
            let counts = (message.poll?.options ?? []).map { "\($0.text) \($0.voteCount)" }
                .joined(separator: ", ")
            return .text("\(message.poll?.title ?? "")  \(counts)", [.text: counts])
        },
        onMessage(
            "mark-unread", "Marks a message and all newer ones as unread.",
            example: "mark-unread 60", after: ["demo"],
            output: "general is unread from 60 on\n* general was read",
            covers: ["ChatClient.markAsUnread(from:in:)"]
        ) { client, id, url in
            try await client.markAsUnread(from: id, in: url)
            return "\(url) is unread from \(id) on"
        },
        onMessage(
            "pin-message", "Pins a message to its channel for all members.",
            example: "pin-message 60", after: ["demo"],
            output: "pinned message 60 to general\n* general has other pinned messages",
            covers: ["ChatClient.pinMessage(_:in:)"]
        ) { client, id, url in
            try await client.pinMessage(id, in: url)
            return "pinned message \(id) to \(url)"
        },
        onMessage(
            "unpin-message", "Removes the pin of a message.",
            example: "unpin-message 60", after: ["demo", "pin-message 60"],
            output: """
                removed the pin of message 60 from general
                * general has other pinned messages
                """,
            covers: ["ChatClient.unpinMessage(_:in:)"]
        ) { client, id, url in
            try await client.unpinMessage(id, in: url)
            return "removed the pin of message \(id) from \(url)"
        },
        onChannel(
            "read", orOpenOne: true, "Marks a channel as read.",
            example: "read", after: ["demo"],
            covers: ["ChatClient.markAsRead(_:)"]
        ) { client, url in
            try await client.markAsRead(url)
            return .of(url, "read \(url)")
        },
        onChannel(
            "delivered", orOpenOne: true,
            "Marks the messages of a channel as delivered to this device.",
            example: "delivered", after: ["demo"],
            covers: ["ChatClient.markAsDelivered(_:)"]
        ) { client, url in
            try await client.markAsDelivered(url)
            return .of(url, "delivered \(url)")
        },
    ]
}

extension Command.Reply {
    fileprivate static func written(_ outgoing: OutgoingMessage) -> Command.Reply {
        let message = outgoing.message
        let text = message.text.isEmpty ? "" : "  \(message.text.oneLine)"
        return .text("(\(message.requestID?.rawValue ?? "?"))\(text)", [.message: message])
    }

    fileprivate static func of(_ message: Message, _ text: String) -> Command.Reply {
        var reply = of(message.channelURL, text)
        reply.values[.messageID] = message.messageID
        reply.values[.requestID] = message.requestID
        return reply
    }
}

extension UploadableFile {
    /// Creates a reference to a file of this machine.
    ///
    /// The file must exist.
    fileprivate init(readableAt word: String) throws {
        let path = word.fromHome
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw CommandError.failed("there is no file '\(word)' that can be read")
        }
        self.init(path: path, name: URL(filePath: path).lastPathComponent)
    }
}

extension String {
    /// Splits a text of the form `N=PATH`.
    ///
    /// If `N=` is missing, the result is `number` and the whole text.
    fileprivate func numberAndPath(or number: Int) -> (number: Int, path: String) {
        guard let mark = firstIndex(of: "="), let given = Int(self[..<mark]) else {
            return (number, self)
        }
        return (given, String(self[index(after: mark)...]))
    }
}

extension Command.Arguments {
    fileprivate var requestID: RequestID {
        get throws {
            guard words.count == 1 else { throw CommandError.usage }
            return RequestID(words[0])
        }
    }
}
