import Models
import ScrollbackTesting
import Testing

@testable import Store

/// On-disk format, do not change the bytes of the search index without changing
/// ``SearchIndex/format``.
@Suite struct SearchIndexFormatTests {
    private func rows(_ tables: [Table], of overlay: Overlay) -> [String] {
        var rows: [String] = []
        overlay.forEachInOrderOfWriting { key, value in
            func hex(_ bytes: UnsafeRawBufferPointer) -> String {
                bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
                    .joined(separator: " ")
            }
            guard let letter = key.first, tables.contains(where: { $0.rawValue == letter }) else {
                return
            }
            rows.append("\(hex(key)) → \(value.map(hex) ?? "-")")
        }
        return rows
    }

    @Test func aSegmentHasTheseBytes() {
        var builder = SegmentBuilder()
        for (id, time, text) in [("1", 1000, "A cat"), ("2", 1300, "cats, a cat and a Cat")] {
            var message = Message(
                MessageID(id), at: Timestamp(milliseconds: Int64(time)), in: "general")
            message.text = text
            builder.add(message, in: 7)
        }
        let overlay = Overlay()
        let segment = builder.write(as: 3, to: overlay)
        #expect(segment?.documentCount == 2)
        #expect(
            rows(Table.ofIndex, of: overlay) == [
                // "a" is words 1 and 4 of document 0, and word 0 of document 1. "and" is word 3 of
                // document 0. "cat" is words 2 and 5 of document 0, and word 1 of document 1.
                // "cats" is word 0 of document 0.
                "66 00 00 00 03 63 61 74 73 00 00 00 00 00 → "
                    + "00 01 61 03 18 12 10 "
                    + "01 02 6e 64 01 13 "
                    + "00 03 63 61 74 03 18 24 11 "
                    + "03 01 73 01 10",
                // Document 0 is the newest, with the time 1300 ms. The other one is 300 ms older.
                // Both are in channel 7.
                "64 00 00 00 03 00 00 00 00 → 80 00 00 00 00 00 05 14 00 07 ac 02 07",
                "61 00 00 00 03 → 00 00 00 02 80 00 00 00 00 00 05 14 80 00 00 00 00 00 03 e8 "
                    + "56 25 00 42 00 84 2c 79",
            ])
    }

    @Test func theStateAndANewMessageHaveTheseBytes() {
        let overlay = Overlay()
        let documents = [Document(time: 1300, channel: 8), Document(time: 1000, channel: 7)]
        overlay.put({ $0.unsegmentedKey(5) }, { DocumentRow.write(documents[...], to: &$0) })
        overlay.put({ $0.schemaKey(.searchIndex) }, IndexedPart(last: nil).write)
        overlay.put({ $0.schemaKey(.searchIndex) }, IndexedPart(last: [0x6D, 1]).write)
        #expect(
            rows([.unsegmented, .schema], of: overlay) == [
                "77 00 00 00 05 → 80 00 00 00 00 00 05 14 00 08 ac 02 07",
                "73 69 → 03 01", "73 69 → 03 00 6d 01",
            ])
    }

    @Test func theRowsOfTheIndexAreDescribed() throws {
        let store = try ChatStore.inMemory(options: .searchIndexed())
        for range in [0..<128, 128..<129] {
            try store.write { batch in
                for id in range {
                    var message = Message(
                        MessageID("\(id)"), at: Timestamp(milliseconds: Int64(id)), in: "general")
                    message.text = "cat"
                    try batch.save(message)
                }
            }
        }
        func lines(_ table: String) throws -> [String] {
            try store.describedRows(of: .cache, table: table).map {
                "\($0.parts.joined(separator: ", ")) → \($0.content)"
            }
        }
        #expect(try lines("unsegmented") == [#"row 0 → text("128 in channel 1")"#])
        #expect(try lines("segment") == [#"segment 1 → text("128 documents, 0 to 127")"#])
        #expect(try lines("documents") == [#"segment 1, row 0 → text("264 bytes")"#])
        #expect(try lines("terms") == [#"segment 1, up to cat, document 127 → text("135 bytes")"#])
        #expect(try lines("schema").contains(#"search index → text("2 bytes")"#))
    }

    @Test(arguments: 1...20) func rowsAreReadAsTheyWereWritten(seed: Int) throws {
        var random = SeededRandom(seed: seed)
        let overlay = Overlay()
        var writer = TermWriter(1)
        var terms: [[UInt8]: [Posting]] = [:]
        for _ in 0..<200 {
            let term = (0...random.number(below: 12)).map { _ in
                UInt8(97 + random.number(below: 3))
            }
            var (index, postings): (Int, [Posting]) = (-1, [])
            for _ in 0...random.number(below: random.oneIn(20) ? 9000 : 3) {
                index += 1 + random.number(below: random.oneIn(3) ? 200 : 2)
                guard index < SearchIndex.maximumSegmentSize else { break }
                postings.append(Posting(index, words: UInt8(1 + random.number(below: 255))))
            }
            terms[term] = postings
        }
        for (term, postings) in terms.sorted(by: { $0.key.precedes($1.key) }) {
            term.withUnsafeBufferPointer { writer.write($0, postings, to: overlay) }
        }
        writer.finish(to: overlay)
        var read: [[UInt8]: [Posting]] = [:]
        var failure: ByteReader.Damage?
        overlay.forEachInOrderOfWriting { _, value in
            do throws(ByteReader.Damage) {
                guard let value else { return }
                #expect(value.count < SearchIndex.blockSize + 64)
                var row = TermRow(value)
                while try row.next() {
                    try row.list.forEachPosting(below: SearchIndex.maximumSegmentSize) { posting in
                        read[row.term, default: []].append(posting)
                        return true
                    }
                }
            } catch {
                failure = error
            }
        }
        #expect(failure == nil)
        #expect(read == terms)
    }
}
