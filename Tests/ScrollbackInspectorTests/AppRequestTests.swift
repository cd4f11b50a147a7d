#if Inspector
    import Collections
    import EmbeddedServer
    import Models
    import Sync
    import Testing

    @testable import ScrollbackInspector

    private struct ArchiveChannel: OfflineRequest {
        typealias Answer = Void

        static let declaration = CallDeclaration("archiveChannel", "Archives a channel.")
        var channelURL: ChannelURL

        static func example(_ names: ExampleNames) -> ArchiveChannel {
            ArchiveChannel(channelURL: names.channelURL)
        }
    }

    /// Tests that the inspector shows a request of the app as it shows the standard ones.
    @MainActor
    @Suite(.timeLimit(.minutes(10))) struct AppRequestTests {
        @Test func waitingRequestIsShownInTheOutboxAndThenAmongTheCalls() async throws {
            let story = try await InspectorStory { server in
                server.on(ArchiveChannel.self) { _, _ throws(BackendError) in }
            }
            let monitor = story.inspector.inspection.monitor
            let page = await monitor.open()
            while await !monitor.isObserving { await Task.yield() }
            await story.client.disconnect()
            try await story.client.perform(ArchiveChannel(channelURL: "general"))
            let items = try await story.report("outbox")["items"] as? [[String: Any]]
            #expect(items?.map { $0["operation"] as? String } == ["archiveChannel"])
            #expect(items?.map { $0["state"] as? String } == ["pending"])
            try await story.client.connect(as: Credentials("bob"))
            var calls: [SyncReport.Call] = []
            while calls.last?.ended == nil {
                await Task.yield()
                let report = await monitor.report(await (try story.engine).state, of: "bob")
                calls = report.calls.filter { $0.name == "archiveChannel" }
            }
            #expect(calls.map(\.result) == ["done"] && calls.map(\.channel) == ["general"])
            withExtendedLifetime(page) {}
            await story.close()
        }
    }
#endif
