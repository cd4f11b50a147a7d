public import Models

/// The text that the user has begun to write in a channel or a thread, and the message to reply to.
public struct Draft: Hashable, Sendable, ExpressibleByStringInterpolation {
    /// The text.
    public var text: String

    /// The message to which the text replies; `nil` if the user has chosen none.
    public var replyingTo: MessageID?

    /// Creates a draft.
    public init(_ text: String, replyingTo: MessageID? = nil) {
        (self.text, self.replyingTo) = (text, replyingTo)
    }

    /// Creates a draft that replies to no message.
    public init(stringLiteral text: String) { self.init(text) }

    /// Whether there is neither a text nor a message to reply to.
    public var isEmpty: Bool { text.isEmpty && replyingTo == nil }
}

// MARK: The row
//
// On-disk format, DO NOT CHANGE: the byte FF, which no text in UTF-8 contains, separates a channel
// from a thread, and a message to reply to from the text.

struct DraftPlace: Hashable {
    var channelURL: ChannelURL
    /// The parent message of the thread; `nil` for the channel itself.
    var parentMessageID: MessageID?

    private static let separator: UInt8 = 0xFF

    func writeKey(to key: inout ByteWriter) {
        key.byte(OutboxTable.draft.rawValue)
        key.text(channelURL.rawValue)
        guard let parentMessageID else { return }
        key.byte(Self.separator)
        key.text(parentMessageID.rawValue)
    }

    var key: KeyBytes { ByteWriter.key { writeKey(to: &$0) } }

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        channelURL = ChannelURL(try reader.text(before: Self.separator))
        guard !reader.isAtEnd else { return }
        _ = try reader.byte()
        parentMessageID = MessageID(try reader.text())
    }

    init(_ channelURL: ChannelURL, _ parentMessageID: MessageID? = nil) {
        (self.channelURL, self.parentMessageID) = (channelURL, parentMessageID)
    }

    init?(ofKey key: UnsafeRawBufferPointer) {
        var reader = ByteReader(key)
        guard (try? reader.byte()) != nil, let place = try? DraftPlace(&reader) else { return nil }
        self = place
    }

    var parts: [String] {
        [channelURL.rawValue] + (parentMessageID.map { ["thread \($0)"] } ?? [])
    }
}

extension Draft {
    private static let separator: UInt8 = 0xFF

    init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
        let start = try reader.text(before: Self.separator)
        guard !reader.isAtEnd else {
            self.init(start)
            return
        }
        _ = try reader.byte()
        guard start.isEmpty else {
            throw ByteReader.Damage(offset: start.utf8.count, expected: "a text in UTF-8")
        }
        let id = try reader.text(before: Self.separator)
        _ = try reader.byte()
        self.init(try reader.text(), replyingTo: MessageID(id))
    }

    func write(_ writer: inout ByteWriter) {
        if let replyingTo {
            writer.byte(Self.separator)
            writer.text(replyingTo.rawValue)
            writer.byte(Self.separator)
        }
        writer.text(text)
    }
}
