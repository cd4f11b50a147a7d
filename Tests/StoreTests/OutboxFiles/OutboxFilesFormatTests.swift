import CScrollbackLevelDB
import Crypto
import Foundation
import Models
import ScrollbackTestSupport
import Testing

@testable import Store

/// Reads an encrypted copy of a file that another implementation of Docs/Format.md has written.
@Suite struct OutboxFilesFormatTests {
    private static let name = "000102030405060708090a0b0c0d0e0f.copy"

    /// Decrypts `file`, a copy of a file with the bytes `plain`, with the key 01 02 … 20.
    ///
    /// Returns the decrypted bytes.
    private func read(_ file: Data, _ plain: Data) throws -> Data {
        let directory = try ScratchDirectory.made()
        defer { directory.remove() }
        let path = directory.url.appending(path: "files")
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
        try file.write(to: path.appending(path: Self.name))
        let keys = DataKeys(
            generation: 1, readsPlain: false,
            keys: [1: SymmetricKey(data: Array(UInt8(1)...UInt8(32)))])
        let files = OutboxFiles(
            in: StoreFiles(directory: directory.url), .disk(keys, as: OutboxFiles.name))
        var copy = FileCopy()
        copy.name = Self.name
        copy.size = plain.count
        copy.sha256 = Data(SHA256.hash(data: plain))
        let reader = try files.reader(of: copy)
        var bytes = Data()
        while let piece = try reader.next(upTo: 1000) { bytes += piece }
        return bytes
    }

    @Test func bytesOfACopyNeverChange() throws {
        let page = try Repository.text(of: "Docs/Format.md")
        let lines = [
            "53425345414c000100000001404142434445464748494a4b4c4d4e4f50515253545556575859",
            "5a5b5c5d5e5f3a2ead6fc06dc38ac6cbe614fab8db29f6704e62101ccd9184cce947290a9b65",
            "933b191888cd8812c5",
        ]
        #expect(page.contains(lines.joined(separator: "\n")))
        let digits = Array(lines.joined().utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
        }
        #expect(try read(Data(bytes), Data("Hello".utf8)) == Data("Hello".utf8))
    }

    @Test func copyOfSeveralPagesIsRead() throws {
        let file = Repository.root.appending(
            path: "Tests/StoreTests/OutboxFiles/Copies/\(Self.name)")
        let plain = Data((0..<9_000).map { UInt8($0 % 251) })
        #expect(try read(Data(contentsOf: file), plain) == plain)
    }
}
