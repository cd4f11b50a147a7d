import EmbeddedServer
import Foundation
import Scrollback
import Testing

/// The tour of the README: compiled here, and compared with the page.
@Suite struct APITourTests {
    @Test @MainActor func theTourOfTheReadmeRuns() async throws {
        let files = FileManager.default.temporaryDirectory
            .appending(path: "scrollback-tour-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: files) }
        // BEGIN
        let server = try EmbeddedServer.inMemory()  // or your own, as a Backend
        try server.createChannel(
            GroupChannelCreateParams("General", userIDs: ["bob"], url: "general"), by: "alice")

        var options = ChatClientOptions()
        options.isLocalCachingEnabled = true
        options.directory = files
        let client = await ChatClient.open(backend: server.client(), options: options)
        try await client.connect(as: Credentials("alice"))

        // The channels, and the messages of one: from the cache at once, and in step with the server.
        let channels = try client.makeGroupChannelCollection()
        try await channels.loadMore()
        let messages = try client.makeMessageCollection(of: "general")
        _ = try await messages.start().value

        // On the disk when the call returns; sent when it can be, in order, and once.
        let hello = try await messages.send(UserMessageCreateParams("Hello!"))
        print(messages.pendingMessages.count, hello.requestID ?? "")

        // What a list view does: it shows the rows, and folds each change into them.
        var rows = messages.items
        var changes = messages.allChanges().makeAsyncIterator()
        while rows.contains(where: { $0.message?.sendingStatus == .pending }),
            let change = await changes.next()
        {
            rows = change.applied(to: rows)
        }
        print(rows.compactMap(\.message?.text))  // ["Hello!"]

        // Older messages, what is missing, and a look at what is known.
        if messages.hasPrevious { try await messages.loadPrevious() }
        for gap in rows.compactMap(\.gap) { try await messages.fill(gap) }
        print(try messages.coverage().isComplete)  // true
        await client.close()
        // END
        #expect(rows.compactMap(\.message?.text) == ["Hello!"])
        #expect(messages.pendingMessages.isEmpty)
    }

    @Test func itIsThePagesTour() throws {
        let code = try String(contentsOfFile: #filePath, encoding: .utf8)
        let begin = try #require(code.range(of: "// BEGIN\n"))
        let end = try #require(code.range(of: "        // END\n"))
        let lines = code[begin.upperBound..<end.lowerBound].components(separatedBy: "\n")
        let tour = lines.map { String($0.dropFirst(8)) }.joined(separator: "\n")
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent().appending(
                    path: "README.md"),
            encoding: .utf8)
        #expect(page.contains(tour), "the README should have\n\(tour)")
    }
}
