/// A message as an app would write it down without Scrollback: what `Codable` is measured with, and
/// the values that all other forms are made of.
struct PlainMessage: Codable, Hashable {
    struct Sender: Codable, Hashable {
        var userID: String
        var nickname: String
        var profileURL: String
    }

    struct Reaction: Codable, Hashable {
        var key: String
        var userIDs: [String]
        var updatedAt: Int64
    }

    enum Kind: Int, Codable {
        case user, file, admin
    }

    enum ChannelType: Int, Codable {
        case open, group, feed
    }

    enum Status: Int, Codable {
        case none, pending, failed, succeeded, canceled, scheduled
    }

    var type = Kind.user
    var messageID: String
    var createdAt: Int64
    var updatedAt: Int64
    var channelURL: String
    var channelType = ChannelType.group
    var requestID: String
    var sender: Sender
    var text: String
    var data: String
    var customType: String
    var status = Status.succeeded
    var parentMessageID: String
    var reactions: [Reaction]
    var mentionedUserIDs: [String]
    var isOperatorMessage: Bool
}

extension PlainMessage {
    /// Makes up a message.
    init(_ index: Int, in language: Language) {
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

/// What people write in.
struct Language {
    let name: String
    let nicknames: [String]
    let texts: [String]

    static let english = Language(
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

    static let mixed = Language(
        name: "German, Japanese, emoji",
        nicknames: ["Jürgen Groß", "山田さくら", "Zoë 🌻"],
        texts: [
            "Treffen wir uns um halb sechs? 切符は私が持って行きます 🎫, für Brötchen sorgst du 🥪!",
            "Läuft wieder 🎉: キャッシュのせいでした。Ich hab ihn geleert und schreib's gleich ins Büchlein.",
            "昨日はありがとうございました！写真は共有フォルダにあります 📷, den Rest lädt Zoë später hoch.",
            "Weiß jemand, ob die Bücherei am Montag öffnet? サイトとドアで書いてあることが違う 🤷",
        ])
}
