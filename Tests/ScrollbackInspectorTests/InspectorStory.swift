#if Inspector
    import Collections
    import EmbeddedServer
    import Foundation

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif
    import Models
    import ScrollbackTesting
    import Store
    import Sync

    @testable import ScrollbackInspector

    /// A server, the user alice who writes, and bob's app with an inspector.
    @MainActor
    final class InspectorStory {
        let server: EmbeddedServer
        let alice: EmbeddedClient
        let network: ConditionedBackend
        let client: ChatClient
        let inspector: Inspector
        private let clock = ManualClock(at: 1_700_000_000_000)
        private var lastRequest = 0

        /// Creates the channel `general` of alice and bob, and connects bob.
        init(
            _ options: InspectorOptions = InspectorOptions(), feedLimit: Int? = nil,
            prepare: (EmbeddedServer) -> Void = { _ in }
        ) async throws {
            let clock = clock
            server = try EmbeddedServer.inMemory { clock.now }
            prepare(server)
            server.conditions.feedLimit = feedLimit
            alice = server.client()
            network = ConditionedBackend(server.client())
            _ = try await alice.connect(as: Credentials("alice"))
            var params = GroupChannelCreateParams("General", userIDs: ["bob"], url: "general")
            params.name = "General"
            try server.createChannel(params, by: "alice")
            var clientOptions = ChatClientOptions()
            clientOptions.storage = .inMemory
            // The engine does not fill any gap on its own.
            clientOptions.sync.backgroundChannels = 0
            client = try await ChatClient.open(backend: network, options: clientOptions)
            try await client.connect(as: Credentials("bob"))
            // The feed has begun, so it reports each message that is sent from now on.
            try await client.engine.caughtUp()
            let pause: @Sendable (Duration) async throws -> Void = { duration in
                // A busy machine may need longer than the time that a request has.
                let isDeadline = duration == HTTPListener.patience
                try await Task.sleep(for: isDeadline ? .seconds(3600) : duration)
            }
            inspector = Inspector(client, options: options, pause: pause) { "secret" }
            try await inspector.listen()
        }

        var engine: SyncEngine { get throws { try client.engine } }

        var address: URL { inspector.address! }

        /// Sends texts as alice, one second apart.
        @discardableResult
        func say(_ texts: [String], in url: ChannelURL = "general") async throws -> [Message] {
            var messages: [Message] = []
            for text in texts {
                messages.append(try await send(NewMessage(text), in: url))
            }
            return messages
        }

        /// Sends a message as alice, one second after the previous one.
        func send(
            _ params: NewMessage, in url: ChannelURL = "general"
        ) async throws -> Message {
            clock.advance(by: .seconds(1))
            lastRequest += 1
            let message = Message(params, in: url, by: nil, at: 0)
            let item = OutboxItem(message, requestID: RequestID("alice \(lastRequest)"))
            return try await alice.send(item)
        }

        /// Sends many texts while bob is offline, so that the feed reports a truncation of the
        /// channel.
        ///
        /// - Parameter held: The calls that the network does not answer after that.
        /// - Throws: Errors of the server and of the store.
        func makeGap(holding held: CallSet = []) async throws {
            try await say((1...5).map { "before \($0)" })
            try await engine.caughtUp("general")
            network.goOffline()
            network.hold(held, at: .beforeEffect)
            try await say((1...120).map { "missed \($0)" })
            network.goOnline()
            await client.reconnect()
            try await say(["after"])
            try await until { try $0.messages(in: "general", limit: 1).last?.text == "after" }
        }

        /// Opens a page, and waits until the inspector records the engine's calls for it.
        func openFollowedPage() async -> AsyncStream<Data> {
            let page = await inspector.inspection.monitor.open()
            for await data in page where String(decoding: data, as: UTF8.self).contains("sync") {
                break
            }
            return page
        }

        /// Waits until the client's store fulfills a condition.
        func until(_ condition: (any StoreReader) throws -> Bool) async throws {
            let changes: ObservedChanges
            do {
                let (snapshot, observed) = try engine.store.observe(.everything)
                if try condition(snapshot) { return }
                changes = observed
            }
            for await _ in changes where try condition(try engine.store.snapshot()) { return }
        }

        /// Returns the body and the status of the answer to a request of the page.
        func get(_ path: String, headers: [String: String] = [:]) async throws -> (String, Int) {
            let request = try URLRequest(path, at: address, headers)
            return try await request.answer()
        }

        /// Returns a report as decoded JSON.
        func report(_ path: String) async throws -> [String: Any] {
            let (body, _) = try await get(path)
            let json = try JSONSerialization.jsonObject(with: Data(body.utf8))
            return json as? [String: Any] ?? [:]
        }

        func close() async { await client.close() }
    }

    extension URLRequest {
        init(_ path: String, at address: URL, _ headers: [String: String] = [:]) throws {
            // Foundation cannot create a relative URL from an empty path.
            self.init(url: path.isEmpty ? address : URL(string: path, relativeTo: address)!)
            for (name, value) in headers { setValue(value, forHTTPHeaderField: name) }
        }

        func answer() async throws -> (String, Int) {
            let (data, response) = try await URLSession.shared.data(for: self)
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            return (String(decoding: data, as: UTF8.self), status)
        }
    }
#endif
