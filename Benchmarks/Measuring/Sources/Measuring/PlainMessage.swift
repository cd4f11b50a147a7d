// The fields have the names of the service.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A message as an app would declare it without Scrollback.
///
/// It is used to measure `Codable`. The messages for all other libraries are created from its
/// values.
public struct PlainMessage: Codable, Hashable, Sendable {
    public struct Sender: Codable, Hashable, Sendable {
        public var userID: String
        public var nickname: String
        public var profileURL: String
    }

    public struct Reaction: Codable, Hashable, Sendable {
        public var key: String
        public var userIDs: [String]
        public var updatedAt: Int64
    }

    public enum Kind: Int, Codable, Sendable {
        case user, file, admin
    }

    public enum ChannelType: Int, Codable, Sendable {
        case open, group, feed
    }

    public enum Status: Int, Codable, Sendable {
        case none, pending, failed, succeeded, canceled, scheduled
    }

    public var type = Kind.user
    public var messageID: String
    public var createdAt: Int64
    public var updatedAt: Int64
    public var channelURL: String
    public var channelType = ChannelType.group
    public var requestID: String
    public var sender: Sender
    public var text: String
    public var data: String
    public var customType: String
    public var status = Status.succeeded
    public var parentMessageID: String
    public var reactions: [Reaction]
    public var mentionedUserIDs: [String]
    public var isOperatorMessage: Bool
}

extension PlainMessage {
    /// Creates the message with the given index.
    ///
    /// Equal indexes give equal messages.
    public init(_ index: Int, in language: Language) {
        messageID = String(7_310_402_600 + index)
        createdAt = 1_763_712_000_000 + Int64(index) * 61_337
        updatedAt = createdAt + 45_000
        channelURL = "group_channel_52601_9f1d3c7ab04e"
        requestID = "3f6c1a52-88d0-4e5b-\(1000 + index)"
        sender = Sender(
            userID: "user-\(100 + index % 5)",
            nickname: language.nicknames[index % language.nicknames.count],
            profileURL: "https://cdn.example.com/p/\(100 + index % 5).png")
        text = language.texts[index % language.texts.count]
        data = #"{"draft":0,"v":\#(index % 10)}"#
        customType = "note"
        parentMessageID = String(7_310_402_500 + index)
        reactions = [Reaction(key: "+1", userIDs: ["user-7"], updatedAt: createdAt + 90_000)]
        mentionedUserIDs = ["user-7"]
        isOperatorMessage = true
    }
}

/// The language of the texts.
public struct Language: Sendable {
    public let name: String
    public let nicknames: [String]
    public let texts: [String]

    public static let english = Language(
        name: "English",
        nicknames: ["Ada Lovelace", "Grace", "Alan M. Turing"],
        texts: [
            "Shall we meet at the station at half past six? I will bring the tickets, "
                + "you bring the sandwiches.",
            "The build is green again: it was the cache, of course. I have cleared it, and "
                + "will write it down.",
            "Thank you all for yesterday! The photos are in the shared folder, more will "
                + "follow on the weekend.",
            "Does anybody know whether the library is open on Monday? Their page says one "
                + "thing, the door another.",
        ])

    public static let mixed = Language(
        name: "German, Japanese, emoji",
        nicknames: ["Jürgen Groß", "山田さくら", "Zoë 🌻"],
        texts: [
            "Treffen wir uns um halb sechs? 切符は私が持って行きます 🎫, für Brötchen sorgst du 🥪!",
            "Läuft wieder 🎉: キャッシュのせいでした。Ich hab ihn geleert und schreib's gleich ins Büchlein.",
            "昨日はありがとうございました！写真は共有フォルダにあります 📷, den Rest lädt Zoë später hoch.",
            "Weiß jemand, ob die Bücherei am Montag öffnet? サイトとドアで書いてあることが違う 🤷",
        ])
}
