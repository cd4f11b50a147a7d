import Crypto
import Foundation
import Models

/// A file of a file cache or a push inbox.
///
/// On-disk format, do not change: Docs/Format.md, "File cache", has the grammar.
struct CacheFile: Equatable {
    enum Kind: String {
        case messages, channels, drop
    }

    /// The written version, and the highest readable one.
    static let version = 1

    let kind: Kind

    /// Empty for the list of channels and a file of the push inbox.
    let channel: ChannelURL

    static let channels = CacheFile(kind: .channels, channel: "")

    static let drop = CacheFile(kind: .drop, channel: "")

    static func messages(of channel: ChannelURL) -> CacheFile {
        CacheFile(kind: .messages, channel: channel)
    }
}

// MARK: Name

extension CacheFile {
    /// Unique for each channel, even if the file system ignores case.
    var name: String {
        switch kind {
        case .channels: "channels"
        case .drop: "drop"
        case .messages: channel.rawValue.hashedFileName + CacheFile.messagesSuffix
        }
    }

    static func isName(_ name: some StringProtocol) -> Bool {
        name == "channels" || isMessagesName(name)
    }

    static func isMessagesName(_ name: some StringProtocol) -> Bool {
        let digits = name.utf8.dropLast(messagesSuffix.utf8.count)
        return name.hasSuffix(messagesSuffix) && digits.count == 64
            && digits.allSatisfy("0123456789abcdef".utf8.contains)
    }

    static let messagesSuffix = ".messages"
}

// MARK: Text

extension CacheFile {
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

    /// Whether the record's line is short enough to be read.
    static func fits<R: Record>(_ record: R) -> Bool {
        (record.serializedByteCount + 2) / 3 * 4 + 1 + checkSize <= LineReader.maximumSize
    }

    fileprivate var base64: String { Data(channel.rawValue.utf8).base64EncodedString() }
}

/// Computes check values of lines, which are wrong for lines of another file.
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

struct LineDamage: Error {
    let reason: FileCache.Damage.Reason
    let cause: SerializationError?

    init(_ reason: FileCache.Damage.Reason, cause: SerializationError? = nil) {
        self.reason = reason
        self.cause = cause
    }
}

// MARK: Header

struct CacheHeader {
    let version: Int

    let contents: (file: CacheFile, lines: Int)?

    /// Returns `nil` if the line is corrupted or not a header.
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
        // Decoding replaces bytes that are not UTF-8, so the result differs.
        guard file.base64 == parts[4] else { return nil }
        contents = (file, lines)
    }
}

// MARK: Check values

extension CacheFile {
    fileprivate static let checkSize = 16

    fileprivate static func check(_ digest: SHA256Digest) -> [UInt8] {
        Array(digest.hexadecimal.utf8.prefix(checkSize))
    }

    fileprivate static func split(
        _ line: [UInt8]
    ) -> (text: ArraySlice<UInt8>, check: ArraySlice<UInt8>)? {
        let space = line.count - checkSize - 1
        guard space >= 0, line[space] == UInt8(ascii: " ") else { return nil }
        return (line[..<space], line[(space + 1)...])
    }
}
