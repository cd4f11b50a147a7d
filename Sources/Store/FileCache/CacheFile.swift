import Crypto
import Foundation
import Models

/// One of the files of a cache: its name, and the text in it.
///
/// Docs/Format.md, "File cache", has the grammar. DO NOT CHANGE: it is on people's disks.
struct CacheFile: Equatable {
    /// What the lines of a file are.
    enum Kind: String {
        case messages, channels, drop
    }

    /// The version of the format that we write, and the highest that we read.
    static let version = 1

    let kind: Kind

    /// The channel that the messages are of; empty in a list of channels, and in a drop.
    let channel: ChannelURL

    static let channels = CacheFile(kind: .channels, channel: "")

    /// What a `DropBox` holds, each under a name that the box gives it.
    static let drop = CacheFile(kind: .drop, channel: "")

    static func messages(of channel: ChannelURL) -> CacheFile {
        CacheFile(kind: .messages, channel: channel)
    }
}

// MARK: Name

extension CacheFile {
    /// The name in the directory: another one for each channel, whatever a file system holds
    /// for equal, and of letters and digits only.
    var name: String {
        switch kind {
        case .channels: "channels"
        case .drop: "drop"
        case .messages: channel.rawValue.hashedFileName + CacheFile.messagesSuffix
        }
    }

    /// Whether a name is that of a file of a cache, a list of channels or one of messages.
    static func isName(_ name: some StringProtocol) -> Bool {
        name == "channels" || isMessagesName(name)
    }

    static func isMessagesName(_ name: some StringProtocol) -> Bool {
        let digits = name.utf8.dropLast(messagesSuffix.utf8.count)
        return name.hasSuffix(messagesSuffix) && digits.count == 64
            && digits.allSatisfy("0123456789abcdef".utf8.contains)
    }

    /// What the name of a file of messages ends with.
    static let messagesSuffix = ".messages"
}

// MARK: Text

extension CacheFile {
    /// The text of the file, with a line for each of the records.
    func text<R: Record>(of records: [R]) -> [UInt8] {
        let checks = CheckValues(of: self)
        let header = "scrollback \(Self.version) \(kind) \(records.count) \(base64)"
        var text = Array("\(header) ".utf8) + Self.check(SHA256.hash(data: Data(header.utf8)))
        text.append(UInt8(ascii: "\n"))
        for record in records {
            let bytes = record.serialize()
            text += bytes.base64EncodedData()
            text.append(UInt8(ascii: " "))
            text += checks.value(for: bytes)
            text.append(UInt8(ascii: "\n"))
        }
        return text
    }

    /// Whether the line of a record is not too long to be read again.
    static func fits<R: Record>(_ record: R) -> Bool {
        (record.serializedSize + 2) / 3 * 4 + 1 + checkSize <= LineReader.maximumSize
    }

    /// The channel that the message in a line says it is of, whatever file the line is in.
    static func channel(ofMessageIn line: [UInt8]) -> ChannelURL? {
        guard let (base64, _) = split(line), let bytes = Data(base64Encoded: Data(base64)),
            let message = try? Message(serialized: bytes)
        else { return nil }
        return message.channelURL
    }

    fileprivate var base64: String { Data(channel.rawValue.utf8).base64EncodedString() }
}

/// The check values of the records of one file: a line of another one does not fit.
struct CheckValues {
    private let file: SHA256

    init(of file: CacheFile) {
        var hash = SHA256()
        hash.update(data: Data("\(file.kind) \(file.base64)\n".utf8))
        self.file = hash
    }

    fileprivate func value(for bytes: Data) -> [UInt8] {
        var hash = file
        hash.update(data: bytes)
        return CacheFile.check(hash.finalize())
    }

    /// Reads a line of a file, without the byte that ends it.
    func record<R: Record>(in line: [UInt8]) throws(LineDamage) -> R {
        guard let (base64, check) = CacheFile.split(line) else { throw LineDamage(.check) }
        guard let bytes = Data(base64Encoded: Data(base64)) else { throw LineDamage(.base64) }
        guard check.elementsEqual(value(for: bytes)) else { throw LineDamage(.check) }
        do {
            return try R(serialized: bytes)
        } catch {
            throw LineDamage(.record, cause: error)
        }
    }
}

/// Why a line is not the one that was written.
struct LineDamage: Error {
    let reason: FileCache.Damage.Reason
    let cause: SerializationError?

    init(_ reason: FileCache.Damage.Reason, cause: SerializationError? = nil) {
        self.reason = reason
        self.cause = cause
    }
}

// MARK: Header

/// The first line of a file.
struct CacheHeader {
    let version: Int

    /// Which file it is, and how many lines follow; `nil` in another version.
    let contents: (file: CacheFile, lines: Int)?

    /// Reads a line; `nil` if it is no header, or one with damage.
    init?(_ line: [UInt8]) {
        guard let (text, check) = CacheFile.split(line),
            check.elementsEqual(CacheFile.check(SHA256.hash(data: Data(text))))
        else { return nil }
        let parts = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count >= 2, parts[0] == "scrollback", let version = Int(parts[1]), version > 0
        else { return nil }
        self.version = version
        guard version == CacheFile.version else {
            contents = nil
            return
        }
        guard parts.count == 5, let kind = CacheFile.Kind(rawValue: parts[2]),
            let lines = Int(parts[3]), lines >= 0, let url = Data(base64Encoded: parts[4])
        else { return nil }
        let file = CacheFile(
            kind: kind, channel: ChannelURL(String(decoding: url, as: UTF8.self)))
        // Not so if the bytes are not UTF-8.
        guard file.base64 == parts[4] else { return nil }
        contents = (file, lines)
    }
}

// MARK: Check values

extension CacheFile {
    /// How many digits a check value has.
    fileprivate static let checkSize = 16

    fileprivate static func check(_ digest: SHA256Digest) -> [UInt8] {
        Array(digest.hexadecimal.utf8.prefix(checkSize))
    }

    /// What stands before the check value of a line, and the check value.
    fileprivate static func split(
        _ line: [UInt8]
    ) -> (text: ArraySlice<UInt8>, check: ArraySlice<UInt8>)? {
        let space = line.count - checkSize - 1
        guard space >= 0, line[space] == UInt8(ascii: " ") else { return nil }
        return (line[..<space], line[(space + 1)...])
    }
}
