import Foundation
import Scrollback

extension Command {
    static let fileCache: [Command] = [
        Command(
            name: "file-cache save",
            usage: "DIRECTORY CHANNEL",
            summary: "Saves the newest messages of a channel to a text file in a directory.",
            example: "file-cache save /tmp/scrollback-files general",
            preparation: ["draw general a b c"],
            output: "saved 3 messages of general",
            offers: [.directories, .channels],
            gives: [.channelURL, .count]
        ) { arguments in
            let (cache, url) = try arguments.fileCacheAndChannel
            _ = try arguments.held(url)
            let messages = try arguments.workspace.store.messages(in: url, limit: cache.limit)
            let isNew = try cache.save(messages, in: url)
            let count = counted(messages.count, "message")
            return .text(
                isNew
                    ? "saved \(count) of \(url)"
                    : "the file has these \(count) of \(url) already",
                [.channelURL: url, .count: messages.count])
        },
        Command(
            name: "file-cache load",
            usage: "DIRECTORY CHANNEL",
            summary: "Lists the messages in that file, oldest first, and what is damaged in it.",
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
            let (cache, url) = try arguments.fileCacheAndChannel
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
            usage: "DIRECTORY",
            summary: "Saves the list of group channels to a text file in a directory.",
            example: "file-cache save-channels /tmp/scrollback-files",
            preparation: [#"save GroupChannel {"channel_url": "cats", "name": "Cats"}"#],
            output: "saved 1 channel",
            offers: [.directories],
            gives: [.count]
        ) { arguments in
            let channels = try arguments.workspace.store.groupChannels(
                matching: GroupChannelListQuery())
            let isNew = try arguments.fileCache.saveChannels(channels)
            let count = counted(channels.count, "channel")
            return .text(
                isNew ? "saved \(count)" : "the file has these \(count) already",
                [.count: channels.count])
        },
        Command(
            name: "file-cache load-channels",
            usage: "DIRECTORY",
            summary: "Lists the channels in that file, and what is damaged in it.",
            example: "file-cache load-channels /tmp/scrollback-files",
            preparation: [
                #"save GroupChannel {"channel_url": "cats", "name": "Cats"}"#,
                "file-cache save-channels /tmp/scrollback-files",
            ],
            output: "cats  Cats",
            offers: [.directories],
            gives: [.channels, .damage]
        ) { arguments in
            let contents = try arguments.fileCache.loadChannels()
            let channels = columns(contents.records.map(\.tableRow))
            return .text(
                ([channels.isEmpty ? "no channels" : channels]
                    + contents.damage.map { "damaged: \($0)" }).joined(separator: "\n"),
                [.channels: contents.records, .damage: contents.damage.map { "\($0)" }])
        },
        Command(
            name: "file-cache list",
            usage: "DIRECTORY",
            summary: "Lists the channels that have a file of messages, and tells the size of all.",
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
            let cache = try arguments.fileCache
            let (urls, size) = (try cache.channels(), try cache.size())
            return .text(
                (urls.map(\.rawValue.oneLine) + ["\(counted(size, "byte")) in all"])
                    .joined(separator: "\n"),
                [.channelURLs: urls, .bytes: size])
        },
        Command(
            name: "file-cache remove",
            usage: "DIRECTORY CHANNEL | DIRECTORY everything",
            summary: "Removes the file of a channel, or all files.",
            example: "file-cache remove /tmp/scrollback-files general",
            preparation: [
                "draw general a b", "file-cache save /tmp/scrollback-files general",
            ],
            output: "removed general",
            offers: [.directories, .channels]
        ) { arguments in
            let (cache, url) = try arguments.fileCacheAndChannel
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
    /// What the file of a channel says; of one whose header is damaged, that it is.
    ///
    /// - Throws: ``CommandError`` if there is no file; what reading throws.
    fileprivate func contents(of url: ChannelURL) throws -> Contents<Message> {
        let contents = try load(url)
        if contents.records.isEmpty, contents.damageCount == 0, try !channels().contains(url) {
            throw CommandError.failed("there is no file of a channel '\(url)': file-cache list")
        }
        return contents
    }
}

extension Command.Arguments {
    /// A directory.
    fileprivate var fileCache: FileCache {
        get throws {
            guard fileWords.count == 1 else { throw CommandError.usage }
            return try FileCache(directory: URL(typed: fileWords[0]))
        }
    }

    /// A directory, and behind it a channel.
    fileprivate var fileCacheAndChannel: (FileCache, ChannelURL) {
        get throws {
            guard fileWords.count == 2 else { throw CommandError.usage }
            let directory = URL(typed: fileWords[0])
            return (try FileCache(directory: directory), ChannelURL(fileWords[1]))
        }
    }
}
