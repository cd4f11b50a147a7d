import Foundation

/// Kinds of messages by content, such as pictures or links.
///
/// ```swift
/// let pictures = try client.makeMessageList(of: [.image, .video], in: "general")
/// ```
///
/// A message can be of several kinds, and most texts are of none: see ``Message/kinds``.
public struct MessageKinds: OptionSet, Hashable, Sendable {
    /// The bit mask.
    public let rawValue: UInt8

    /// Creates a set of kinds.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    // On-disk format, DO NOT CHANGE: the number of the bit is in the keys of the index.
    private init(bit: UInt8) { self.init(rawValue: 1 << bit) }

    /// The message has an image.
    public static let image = MessageKinds(bit: 0)
    /// The message has a video.
    public static let video = MessageKinds(bit: 1)
    /// The message has a sound that is not a voice message.
    public static let audio = MessageKinds(bit: 2)
    /// The message has a recorded voice.
    public static let voice = MessageKinds(bit: 3)
    /// The message has another file.
    public static let otherFile = MessageKinds(bit: 4)
    /// The text contains a link, or the message has the preview of one.
    public static let link = MessageKinds(bit: 5)
    /// The message mentions the user, or all users of the channel.
    public static let mention = MessageKinds(bit: 6)
    /// The message has replies.
    public static let thread = MessageKinds(bit: 7)

    /// The kinds of messages with a file.
    public static let files: MessageKinds = [.image, .video, .audio, .voice, .otherFile]
    package static let all = MessageKinds(rawValue: .max)

    package var singleKinds: [MessageKinds] {
        MessageKinds.names.map(\.kind).filter { contains($0) }
    }
}

extension MessageKinds: CustomStringConvertible {
    /// The names of the contained kinds, such as "image, link".
    public var description: String {
        MessageKinds.names.filter { contains($0.kind) }.map(\.name).joined(separator: ", ")
    }

    /// The kinds in the order of their bits.
    package static let names: [(kind: MessageKinds, name: String)] = [
        (.image, "image"), (.video, "video"), (.audio, "audio"), (.voice, "voice"),
        (.otherFile, "otherFile"), (.link, "link"), (.mention, "mention"), (.thread, "thread"),
    ]
}

extension MessageKinds: Codable {
    /// Decodes a list of names, such as `["image", "link"]`, and ignores unknown ones.
    public init(from decoder: any Decoder) throws {
        let names = try decoder.singleValueContainer().decode([String].self)
        self.init(MessageKinds.names.filter { names.contains($0.name) }.map(\.kind))
    }

    /// Encodes a list of names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(MessageKinds.names.filter { contains($0.kind) }.map(\.name))
    }
}

// MARK: The kinds of a message

extension Message {
    /// The kinds of the message, with ``MessageKinds/mention`` if it mentions any user.
    ///
    /// - The media type of a file decides its kind or, without one, the end of its name. A sound is
    ///   a voice message if a parameter of the media type says so (`audio/ogg; kind=voice`), or if
    ///   the file's `data` is a JSON object with `"is_voice": true`.
    /// - A link is a word of the text that begins with `http://`, `https://` or `www.`.
    ///
    /// - Complexity: O(*n*) in the size of the message.
    public var kinds: MessageKinds {
        let present = fields.bytes.presentFields
        var kinds: MessageKinds = hasLinkInText ? .link : []
        if present & Message.fieldsOfKinds == 0 { return kinds }
        if linkPreview != nil { kinds.insert(.link) }
        let files = files
        for file in files { kinds.insert(file.kind) }
        if files.isEmpty, type == .file { kinds.insert(.otherFile) }
        if mentionType == .channel || !namedUserIDs.isEmpty { kinds.insert(.mention) }
        if let threadInfo, threadInfo.replyCount > 0 { kinds.insert(.thread) }
        return kinds
    }

    /// Returns the kinds for a user: with ``MessageKinds/mention`` only if another user mentions
    /// this one, or all users of the channel.
    ///
    /// If the user is `nil`, only mentions of all users count.
    public func kinds(for userID: UserID?) -> MessageKinds {
        var kinds = kinds
        guard kinds.contains(.mention) else { return kinds }
        let isNamed = userID.map { namedUserIDs.contains($0) } ?? false
        let isOwn = userID != nil && sender?.userID == userID
        if isOwn || !isNamed && mentionType != .channel { kinds.remove(.mention) }
        return kinds
    }

    package var namedUserIDs: Set<UserID> {
        Set(mentionedUserIDs + mentionedUsers.map(\.userID)).subtracting([""])
    }

    /// The fields, as bits, that determine the kinds besides the text.
    private static let fieldsOfKinds: UInt64 =
        // The type, files (two fields), mentions (three), the thread, and a link's preview.
        [1, 14, 16, 18, 19, 20, 25, 38].reduce(0) { $0 | 1 << $1 }

    private var hasLinkInText: Bool {
        guard let location = fields.bytes.location(of: 7) else { return false }
        var offset = location.payload
        let count = Int(fields.bytes.bytes.span.bytes.varint(at: &offset))
        return fields.bytes.bytes.withUnsafeBytes { bytes in
            UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]).containsLink
        }
    }
}

extension RecordBytes {
    /// The present fields with numbers below 64, as bits.
    fileprivate var presentFields: UInt64 {
        var present: UInt64 = 0
        let span = bytes.span.bytes
        var offset = range.lowerBound
        while offset < range.upperBound {
            let tag = span.varint(at: &offset)
            if tag < 64 << 3 { present |= 1 << (tag >> 3) }
            span.skipPayload(UInt8(truncatingIfNeeded: tag & 7), at: &offset)
        }
        return present
    }
}

// MARK: Links

extension UnsafeRawBufferPointer {
    /// `true` if a word begins with `http://`, `https://` or `www.`.
    ///
    /// Words begin as in ``SearchText``, but a letter outside of ASCII does not continue a word.
    fileprivate var containsLink: Bool {
        for index in indices {
            switch self[index] {
            case UInt8(ascii: ":"):
                guard isFollowed(by: "//", at: index + 1), isPartOfLink(at: index + 3) else {
                    continue
                }
                if hasWord("http", endingAt: index) || hasWord("https", endingAt: index) {
                    return true
                }
            case UInt8(ascii: "."):
                if isPartOfLink(at: index + 1), hasWord("www", endingAt: index) { return true }
            default: continue
            }
        }
        return false
    }

    private func isFollowed(by text: StaticString, at start: Int) -> Bool {
        text.withUTF8Buffer { text in
            start + text.count <= count
                && text.indices.allSatisfy { self[start + $0] == text[$0] }
        }
    }

    private func isPartOfLink(at index: Int) -> Bool {
        guard index < count else { return false }
        let byte = self[index]
        return byte >= 0x80 || byte == UInt8(ascii: "[") || byte.isLetterOrDigit
    }

    private func hasWord(_ word: StaticString, endingAt end: Int) -> Bool {
        word.withUTF8Buffer { word in
            let start = end - word.count
            guard start >= 0, word.indices.allSatisfy({ self[start + $0].lowercased == word[$0] })
            else { return false }
            return start == 0 || !self[start - 1].isLetterOrDigit
        }
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch lowercased {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}

// MARK: Files

extension FileInfo {
    package var kind: MessageKinds {
        let type = mimeType.map { $0.isShort ? $0.lowercased() : "other" } ?? ""
        let family =
            ["", "application/octet-stream"].contains(type)
            ? FileInfo.family(ofExtension: name ?? "") : type.prefix { $0 != "/" }
        switch family {
        case "image": return .image
        case "video": return .video
        case "audio": return isVoice(type) ? .voice : .audio
        default: return .otherFile
        }
    }

    private func isVoice(_ type: String) -> Bool {
        if type.drop(while: { $0 != ";" }).contains("voice") { return true }
        guard let data = data.map({ Data($0.utf8) }), data.isReadAsUTF8,
            data.range(of: Data("is_voice".utf8)) != nil
        else { return false }
        // Data other than JSON does not say that the file is a voice.
        let value = try? JSONDecoder().decode(JSONValue.self, from: data.withoutLongKeys)
        guard case .object(let properties) = value else { return false }
        return properties["is_voice"] == true
    }

    private static func family(ofExtension name: String) -> Substring {
        let type = UploadableFile.mimeType(ofFileNamed: name) ?? ""
        // A drawing counts as an image only if its sender said so: the index of kinds is on disk.
        return type == "image/svg+xml" ? "" : type.prefix { $0 != "/" }
    }
}

extension StringProtocol {
    /// Limits the cost of texts from other users: comparing long texts with many combining marks as
    /// Unicode texts takes quadratic time.
    var isShort: Bool { utf8.count <= 1024 }
}
