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
            output: "saved 3 messages of general"
        ) { arguments in
            let (cache, url) = try arguments.fileCacheAndChannel
            let messages = try arguments.workspace.store.messages(in: url, limit: cache.limit)
            let isNew = try cache.save(messages, in: url)
            let count = counted(messages.count, "message")
            return .text(
                isNew
                    ? "saved \(count) of \(url)"
                    : "the file has these \(count) of \(url) already")
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
                """
        ) { arguments in
            let (cache, url) = try arguments.fileCacheAndChannel
            let contents = try cache.load(url)
            guard case .text(let messages) = contents.records.lines(orNone: "no messages") else {
                throw CommandError.usage
            }
            let damage = contents.damage.map { "damaged: \($0)" }
            let more = contents.damageCount - damage.count
            return .text(
                ([messages] + damage + (more > 0 ? ["and \(more) more"] : []))
                    .joined(separator: "\n"))
        },
    ]
}

extension Command.Arguments {
    /// A directory, which may have spaces in its name, and behind it a channel.
    fileprivate var fileCacheAndChannel: (FileCache, ChannelURL) {
        get throws {
            guard words.count >= 2, let channel = words.last else { throw CommandError.usage }
            let directory = text.dropLast(channel.count)
                .trimmingCharacters(in: .whitespaces)
            return (try FileCache(directory: URL(typed: directory)), ChannelURL(channel))
        }
    }
}
