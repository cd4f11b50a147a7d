import Foundation
import Scrollback

extension Command {
    static let fileCache: [Command] = [
        Command(
            "file-cache save DIRECTORY [CHANNEL] [key FILE] [limit N]",
            "Saves the newest messages of a channel, or the list of group channels, to a file."
        ) { arguments in
            let (words, key) = try arguments.wordsAndKey(arguments.words, creates: true)
            let limit = arguments.limit ?? rowLimit
            guard (1...2).contains(words.count) else { throw CommandError.usage }
            let store = try arguments.workspace.store
            let url = try words.count == 2 ? arguments.held(ChannelURL(words[1])) : nil
            let cache = try FileCache(
                directory: URL(typed: words[0]), limit: limit, encryptionKey: key)
            let what: String
            let isNew: Bool
            if let url {
                let messages = try store.messages(in: url, limit: limit)
                isNew = try cache.save(messages, in: url)
                what = "\(counted(messages.count, "message")) of \(url)"
            } else {
                let channels = try store.groupChannels(matching: GroupChannelListQuery())
                isNew = try cache.saveChannels(channels)
                what = counted(channels.count, "channel")
            }
            return isNew ? "saved \(what)" : "the file already has these \(what)"
        },
        Command(
            "file-cache load DIRECTORY [CHANNEL] [key FILE]",
            "Lists the saved messages of a channel, or the saved channels, and damaged lines."
        ) { arguments in
            let (cache, word) = try arguments.existingFileCache
            if let word {
                let contents = try savedMessages(of: ChannelURL(word), in: cache)
                return contents.report(
                    ValuedReply(
                        contents.records.lines(orNone: "no messages"), list: contents.records))
            }
            let contents = try cache.loadChannels()
            return contents.report(
                table(
                    records: contents.records, limit: .everything, orNone: "no channels",
                    \.tableRow))
        },
        Command(
            "file-cache list DIRECTORY [key FILE]",
            "Lists the channels that have a file of messages, and the size of all files."
        ) { arguments in
            let (cache, word) = try arguments.existingFileCache
            guard word == nil else { throw CommandError.usage }
            let lines = try cache.channels().map(\.rawValue.oneLine)
            return (lines + ["\(counted(try cache.size(), "byte")) in all"])
                .joined(separator: "\n")
        },
        Command(
            "file-cache remove DIRECTORY CHANNEL | everything [key FILE]",
            "Removes the file of a channel, or all files."
        ) { arguments in
            let (cache, word) = try arguments.existingFileCache
            guard let word else { throw CommandError.usage }
            guard word != "everything" else {
                guard try !cache.channels().contains("everything") else {
                    throw CommandError.failed(
                        "a channel is named everything: to remove all files, delete the directory")
                }
                try cache.removeAll()
                return "removed everything"
            }
            _ = try savedMessages(of: ChannelURL(word), in: cache)
            try cache.remove(ChannelURL(word))
            return "removed \(word)"
        },
    ]
}

extension Command {
    private static func savedMessages(
        of url: ChannelURL, in cache: FileCache
    ) throws -> FileCache.Contents<Message> {
        let contents = try cache.load(url)
        if contents.records.isEmpty, contents.damageCount == 0,
            try !cache.channels().contains(url)
        {
            throw CommandError.failed("there is no file of a channel '\(url)': file-cache list")
        }
        return contents
    }
}

extension FileCache.Contents {
    fileprivate func report(_ reply: ValuedReply) -> ValuedReply {
        let more = damageCount - damage.count
        let lines = damage.map { "damaged: \($0)" } + (more > 0 ? ["and \(more) more"] : [])
        return reply + lines.map { "\n\($0)" }.joined()
    }
}

extension Command.Arguments {
    @MainActor fileprivate var existingFileCache: (FileCache, String?) {
        get throws {
            let (words, key) = try wordsAndKey(words)
            guard (1...2).contains(words.count) else { throw CommandError.usage }
            let cache = try FileCache(directory: .existingDirectory(words[0]), encryptionKey: key)
            return (cache, words.dropFirst().first)
        }
    }
}
