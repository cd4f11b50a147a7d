import Foundation
import Scrollback

extension Command {
    static let fileCache: [Command] = [
        Command(
            name: "file-cache save",
            usage: "DIRECTORY CHANNEL [limit N] [key FILE]",
            summary: "Saves the newest messages of a channel to a text file in a directory.",
            example: "file-cache save /tmp/scrollback-files general",
            preparation: ["draw general a b c"],
            output: "saved 3 messages of general",
            offers: [.directories, .channels],
            gives: [.channelURL, .count]
        ) { arguments in
            let (all, key) = try arguments.wordsAndKey(arguments.words, creates: true)
            let (words, limit) = try arguments.limited(all, to: 100)
            guard words.count == 2 else { throw CommandError.usage }
            let url = try arguments.held(ChannelURL(words[1]))
            let cache = try FileCache(
                directory: URL(typed: words[0]), limit: limit, encryptionKey: key)
            let messages = try arguments.workspace.store.messages(in: url, limit: cache.limit)
            let isNew = try cache.save(messages, in: url)
            let count = counted(messages.count, "message")
            return .text(
                isNew
                    ? "saved \(count) of \(url)"
                    : "the file already has these \(count) of \(url)",
                [.channelURL: url, .count: messages.count])
        },
        Command(
            name: "file-cache load",
            usage: "DIRECTORY CHANNEL [key FILE]",
            summary: "Lists the messages in a channel's file, oldest first, and damaged lines.",
            example: "file-cache load /tmp/scrollback-files general",
            preparation: [
                "draw general a b", "file-cache save /tmp/scrollback-files general",
            ],
            output: """
                a  2023-11-14T22:13:20.000Z  a
                b  2023-11-14T22:14:20.000Z  b
                """,
            offers: [.directories, .channels],
            gives: [.channelURL, .messages, .damage]
        ) { arguments in
            let (cache, url) = try arguments.existingFileCacheAndChannel
            let contents = try cache.contents(of: url)
            let messages = contents.records.lines(orNone: "no messages").text
            let damage = contents.damage.map { "damaged: \($0)" }
            let more = contents.damageCount - damage.count
            return .text(
                ([messages] + damage + (more > 0 ? ["and \(more) more"] : []))
                    .joined(separator: "\n"),
                [
                    .channelURL: url, .messages: contents.records,
                    .damage: contents.damage.map { "\($0)" },
                ])
        },
        Command(
            name: "file-cache save-channels",
            usage: "DIRECTORY [key FILE]",
            summary: "Saves the list of group channels to a text file in a directory.",
            example: "file-cache save-channels /tmp/scrollback-files",
            preparation: [#"save GroupChannel {"channel_url": "cats", "name": "Cats"}"#],
            output: "saved 1 channel",
            offers: [.directories],
            gives: [.count]
        ) { arguments in
            let channels = try arguments.workspace.store.groupChannels(
                matching: GroupChannelListQuery())
            let (words, key) = try arguments.wordsAndKey(arguments.words, creates: true)
            guard words.count == 1 else { throw CommandError.usage }
            let isNew = try FileCache(directory: URL(typed: words[0]), encryptionKey: key)
                .saveChannels(channels)
            let count = counted(channels.count, "channel")
            return .text(
                isNew ? "saved \(count)" : "the file already has these \(count)",
                [.count: channels.count])
        },
        Command(
            name: "file-cache load-channels",
            usage: "DIRECTORY [limit N | all] [key FILE]",
            summary: "Lists the channels in the file of channels, and damaged lines.",
            example: "file-cache load-channels /tmp/scrollback-files",
            preparation: [
                #"save GroupChannel {"channel_url": "cats", "name": "Cats"}"#,
                "file-cache save-channels /tmp/scrollback-files",
            ],
            output: "cats  Cats",
            offers: [.directories],
            gives: [.channels, .damage]
        ) { arguments in
            let (all, key) = try arguments.wordsAndKey(arguments.words)
            let (words, limit) = try arguments.limited(all)
            guard words.count == 1 else { throw CommandError.usage }
            let contents = try arguments.existingFileCache(words[0], key).loadChannels()
            let channels = table(contents.records, limit: limit, \.tableRow)
            return .text(
                ((channels.isEmpty ? ["no channels"] : channels)
                    + contents.damage.map { "damaged: \($0)" }).joined(separator: "\n"),
                [.channels: contents.records, .damage: contents.damage.map { "\($0)" }])
        },
        Command(
            name: "file-cache list",
            usage: "DIRECTORY [limit N | all] [key FILE]",
            summary: "Lists the channels that have a file of messages, and the size of all files.",
            example: "file-cache list /tmp/scrollback-files",
            preparation: [
                "draw general a b", "file-cache save /tmp/scrollback-files general",
            ],
            output: """
                general
                162 bytes in all
                """,
            offers: [.directories],
            gives: [.channelURLs, .bytes]
        ) { arguments in
            let (all, key) = try arguments.wordsAndKey(arguments.words)
            let (words, limit) = try arguments.limited(all)
            guard words.count == 1 else { throw CommandError.usage }
            let cache = try arguments.existingFileCache(words[0], key)
            let (urls, size) = (try cache.channels(), try cache.size())
            let lines = urls.prefix(limit).map(\.rawValue.oneLine).cut(to: limit, of: urls.count)
            return .text(
                (lines + ["\(counted(size, "byte")) in all"]).joined(separator: "\n"),
                [.channelURLs: urls, .bytes: size])
        },
        Command(
            name: "file-cache remove",
            usage: "DIRECTORY CHANNEL | everything [key FILE]",
            summary: "Removes the file of a channel, or all files.",
            example: "file-cache remove /tmp/scrollback-files general",
            preparation: [
                "draw general a b", "file-cache save /tmp/scrollback-files general",
            ],
            output: "removed general",
            offers: [.directories, .channels]
        ) { arguments in
            let (cache, url) = try arguments.existingFileCacheAndChannel
            guard url != "everything" else {
                try cache.removeAll()
                return .text("removed everything")
            }
            _ = try cache.contents(of: url)
            try cache.remove(url)
            return .text("removed \(url)")
        },
    ]
}

extension FileCache {
    /// Returns the contents of a channel's file in the cache.
    ///
    /// - Throws: ``CommandError`` if there is no file; the error of reading the file.
    fileprivate func contents(of url: ChannelURL) throws -> Contents<Message> {
        let contents = try load(url)
        if contents.records.isEmpty, contents.damageCount == 0, try !channels().contains(url) {
            throw CommandError.failed("there is no file of a channel '\(url)': file-cache list")
        }
        return contents
    }
}

extension Command.Arguments {
    /// Opens the file cache in a directory.
    ///
    /// The directory must exist, because opening a cache would otherwise create it.
    @MainActor fileprivate func existingFileCache(
        _ path: String, _ key: EncryptionKey?
    ) throws -> FileCache {
        try FileCache(directory: .existingDirectory(path), encryptionKey: key)
    }

    /// The cache in an existing directory, and a channel.
    @MainActor fileprivate var existingFileCacheAndChannel: (FileCache, ChannelURL) {
        get throws {
            let (words, key) = try wordsAndKey(words)
            guard words.count == 2 else { throw CommandError.usage }
            return (try existingFileCache(words[0], key), ChannelURL(words[1]))
        }
    }
}
