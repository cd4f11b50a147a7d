import Foundation
import ScrollbackTesting
import Testing

@testable import Store

/// Tests tables with parts that are larger than usual.
@Suite struct LargeTableTests {
    private static let count = 1200

    /// Returns eight kilobytes that are different for each row.
    private func value(_ number: Int) -> [UInt8] {
        var random = SeededRandom(seed: number)
        return (0..<1024).flatMap { _ in withUnsafeBytes(of: random.next(), Array.init) }
    }

    private func key(_ number: Int) -> KeyBytes { ByteWriter.key { $0.integer(UInt32(number)) } }

    @Test func largeTableIsReadInAnyOrder() throws {
        let directory = try StoreDirectory()
        let path = directory.url.appending(path: "db").path
        var options = StoreOptions()
        options.writeBufferByteCount = 16 << 20
        do {
            let database = try LevelDB(at: path, options: options)
            for number in 0..<Self.count {
                let row = Overlay()
                row.put({ $0.raw(key(number)) }, { $0.raw(value(number)) })
                try database.write(row, isDurable: false)
            }
            database.close()
        }
        let tables = try directory.files("db", ".ldb")
        #expect(tables.count == 1)
        let size = try tables[0].resourceValues(forKeys: [.fileSizeKey]).fileSize
        #expect(try #require(size) > 8 << 20)

        let database = try LevelDB(at: path, options: options)
        let rows = Rows(snapshot: try database.snapshot())
        for isDescending in [false, true] {
            var number = isDescending ? Self.count : -1
            try rows.scan(.all, isDescending: isDescending) { (found, bytes) throws(StoreError) in
                number += isDescending ? -1 : 1
                guard Array(found) == key(number), Array(bytes) == value(number) else {
                    Issue.record("row \(number) is another one")
                    return false
                }
                return true
            }
            #expect(number == (isDescending ? 0 : Self.count - 1))
        }
        var random = SeededRandom(seed: 1)
        for _ in 0..<300 {
            let number = Int.random(in: 0..<Self.count, using: &random)
            let found = try rows.withValue(of: key(number)) { (bytes) throws(StoreError) in
                bytes.map(Array.init)
            }
            #expect(found == value(number))
        }
    }
}
