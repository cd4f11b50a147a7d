import Models
import ScrollbackTesting
import Sync
import Testing

@testable import MatrixBackend

/// Tests how pages of the messages of a kind are requested.
@Suite struct MatrixKindPageTests {
    @Test func serverFiltersFilesAndThreads() async throws {
        let device = Device()
        try await device.connect()
        device.prepareRoom()
        _ = try await device.backend.feed(since: nil)
        let messages = "GET rooms/!room:example.org/messages"
        let event = PreparedReplies.message("$m1", "1", at: 60_000)
        device.server.reply(
            messages, #"{"chunk": [\#(event)], "start": "s", "end": "t1"}"#)
        for (kinds, filter) in [
            ([.image, .otherFile], #""contains_url":true"#),
            (.thread, #""related_by_rel_types":["m.thread"]"#),
        ] as [(MessageKinds, String)] {
            let count = device.server.parameters("filter").count
            let page = try await device.backend.messages(
                of: kinds, in: "!room:example.org", at: .newest, older: 1)
            #expect(page.older == PageCursor("t1"))
            let filters = device.server.parameters("filter").dropFirst(count)
            #expect(filters.first?.contains(filter) == true)
            // The messages just older than the page, which show outliers, are not filtered.
            #expect(filters.last?.contains(filter) == false)
        }
        await #expect(throws: BackendError.self) {
            _ = try await device.backend.messages(
                of: [.image, .link], in: "!room:example.org", at: .newest, older: 1)
        }
    }
}
