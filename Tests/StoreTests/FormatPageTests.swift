import Foundation
import Models
import ScrollbackTestSupport
import Testing

@testable import Store

/// Compares the example rows in Docs/Format.md with those of a store.
@Suite struct FormatPageTests {
    @Test func theRowsOnThePageAreThoseOfAStore() throws {
        let page = try Repository.text(of: "Docs/Format.md")
        let store = try ChatStore.inMemory()
        try store.write { batch in
            let message = Message(
                id: "42", channelURL: "general", text: "Hi!", createdAt: 1_700_000_000_000)
            try batch.save(message)
            let position = try #require(message.position)
            try batch.cover("general", from: .position(position), through: .end)
            try batch.save(
                OutboxItem(
                    .delete, requestID: "r1", channelURL: "general", createdAt: 5, messageID: "42"))
        }
        let committed = try store.view.committed
        let lines =
            try ["cache"] + rows(of: committed.cache) + ["outbox"] + rows(of: committed.outbox)
        let example = lines.joined(separator: "\n")
        let shown = page.split(separator: "\n").filter { !$0.hasPrefix("# ") }
            .joined(separator: "\n")
        #expect(shown.contains("```\n\(example)\n```"), "the page should show\n\(example)")
    }

    /// Returns the rows as lines: key → value, with a space between the parts.
    private func rows(of snapshot: LevelDB.Snapshot) throws -> [String] {
        var lines: [String] = []
        try snapshot.scan(KeyRange.all) { (key, value) throws(StoreError) in
            let text = "\(hex(key)) → \(value.isEmpty ? "nothing" : hex(value))"
            lines.append(text)
            return true
        }
        return lines
    }

    private func hex(_ bytes: UnsafeRawBufferPointer) -> String {
        bytes.map { String(UInt16($0) | 0x100, radix: 16).dropFirst() }.joined()
    }
}
