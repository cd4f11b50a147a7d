#if Inspector
    import Collections
    import EmbeddedServer
    import Foundation
    import Models
    import Store
    import Sync
    import Testing

    @testable import ScrollbackInspector

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Tests the inspector without a browser: access, starting and stopping, and the contents of
    /// reports.
    @MainActor
    @Suite(.timeLimit(.minutes(10))) struct InspectorTests {
        // MARK: Access

        @Test func addressIsOnLoopbackAndContainsTheToken() async throws {
            let story = try await InspectorStory()
            #expect(story.address.host() == "127.0.0.1")
            #expect(story.address.path() == "/secret/")
            await story.close()
        }

        @Test func tokensDiffer() async throws {
            let story = try await InspectorStory()
            var paths: Set<String> = []
            for _ in 0..<3 {
                let inspector = Inspector(story.client)
                try await inspector.listen()
                paths.insert(inspector.address!.path())
                await inspector.stop()
            }
            #expect(paths.count == 3)
            #expect(paths.allSatisfy { $0.count == 42 })
            await story.close()
        }

        @Test(arguments: ["/", "/secre/", "/secret", "/secret2/overview", "/SECRET/overview"])
        func requestsWithoutTheTokenAreRefused(_ path: String) async throws {
            let story = try await InspectorStory()
            #expect(try await story.get(path).1 == 404)
            await story.close()
        }

        @Test(arguments: ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", ""])
        func foreignHostsAreRefused(_ host: String) async throws {
            let story = try await InspectorStory()
            let server = InspectorServer(story.inspector.inspection, token: "secret", port: 0)
            let address = try server.start()
            let own = "127.0.0.1:\(address.port!)"
            func status(_ host: String) async throws -> HTTPResponse.Status {
                let head = "GET /secret/overview HTTP/1.1\r\nHost: \(host)\r\n\r\n"
                return await server.respond(to: try HTTPRequest(head: Data(head.utf8))).status
            }
            #expect(try await status(own) == .ok)
            #expect(try await status(host) == .forbidden)
            await server.stop()
            await story.close()
        }

        @Test func foreignOriginsAreRefused() async throws {
            let story = try await InspectorStory()
            let own = "http://127.0.0.1:\(story.address.port!)"
            #expect(try await story.get("overview", headers: ["Origin": own]).1 == 200)
            for origin in ["http://evil.example", "null", "https://127.0.0.1", own + "1"] {
                let (body, status) = try await story.get("overview", headers: ["Origin": origin])
                #expect(status == 403)
                #expect(!body.contains("bob"))
            }
            await story.close()
        }

        private func act(_ name: String, _ story: InspectorStory) async throws -> String {
            var request = try URLRequest("action", at: story.address)
            request.httpMethod = "POST"
            request.httpBody = Data(#"{"name":"\#(name)"}"#.utf8)
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            return try await request.answer().0
        }

        /// Bob logs out, and Carol uses the device.
        @Test func credentialsOfALoggedOutUserAreForgotten() async throws {
            var options = InspectorOptions()
            options.allowsActions = true
            let story = try await InspectorStory(options)
            _ = try await act("offline", story)
            try await story.client.logOut(wiping: .everything)
            try await story.client.connect(as: Credentials("carol"))
            let answer = try await act("online", story)
            #expect(story.client.currentUser?.userID == "carol", "\(answer)")
            await story.close()
        }

        @Test func actionsNeedThePermissionOfTheApp() async throws {
            for isAllowed in [false, true] {
                var options = InspectorOptions()
                options.allowsActions = isAllowed
                let story = try await InspectorStory(options)
                var request = try URLRequest("action", at: story.address)
                request.httpMethod = "POST"
                request.httpBody = Data(#"{"name":"offline"}"#.utf8)
                #expect(try await request.answer().1 == (isAllowed ? 400 : 403))
                request.setValue("application/json", forHTTPHeaderField: "Content-Type")
                #expect(try await request.answer().1 == (isAllowed ? 200 : 403))
                let state = await (try story.engine).state
                #expect(state.connection == (isAllowed ? .offline : .online))
                if isAllowed {
                    request.httpBody = Data(#"{"name":"online"}"#.utf8)
                    #expect(try await request.answer().0.contains("online"))
                    #expect(await (try story.engine).state.connection == .online)
                }
                await story.close()
            }
        }

        @Test func aTakenPortIsAnError() async throws {
            let story = try await InspectorStory()
            var options = InspectorOptions()
            options.port = UInt16(story.address.port!)
            let second = Inspector(story.client, options: options)
            await #expect { try await second.listen() } throws: {
                ($0 as? InspectorError)?.code == .unavailable
            }
            #expect(second.address == nil)
            await story.close()
        }

        @Test(arguments: [false, true])
        func overviewSaysWhyTheCacheWasReplaced(isMasked: Bool) async throws {
            var options = InspectorOptions()
            options.masksTexts = isMasked
            let story = try await InspectorStory(options)
            let reason = StoreError(.corruption, "message 7 is damaged", path: "/cache")
            try story.engine.store.replaceCache(reason: reason, at: 0, isRequested: true)
            while story.client.storageDamage.replacedCache == nil { await Task.yield() }
            let (body, status) = try await story.get("overview")
            #expect(status == 200)
            #expect(body.contains("a damaged cache was replaced: corruption"))
            #expect(body.contains("message 7 is damaged") == !isMasked)
            await story.close()
        }

        // MARK: Beginning and end

        @Test func inspectorStopsWithTheClient() async throws {
            let story = try await InspectorStory()
            let request = try URLRequest("overview", at: story.address)
            #expect(try await request.answer().1 == 200)
            let lifetime = story.inspector.lifetime
            await story.close()
            await lifetime?.value
            #expect(story.inspector.address == nil)
            await #expect(throws: (any Error).self) { try await request.answer() }
        }

        @Test func nothingIsFollowedWithoutAPage() async throws {
            let story = try await InspectorStory()
            let monitor = story.inspector.inspection.monitor
            _ = try await story.get("overview")
            _ = try await story.get("channels")
            #expect(await monitor.isFollowing == false)
            var page: AsyncStream<Data>? = await monitor.open()
            #expect(await monitor.isFollowing)
            page = nil
            _ = page
            while await monitor.isFollowing { await Task.yield() }
            await story.close()
        }

        @Test func aPageIsNotifiedOfAChangedChannel() async throws {
            let story = try await InspectorStory()
            let monitor = story.inspector.inspection.monitor
            let page = await monitor.open()
            while await !monitor.isObserving { await Task.yield() }
            try await story.say(["hello"])
            for await data in page
            where String(decoding: data, as: UTF8.self).contains(#""general""#) {
                break
            }
            await story.close()
        }

        // MARK: Reports

        @Test func everyReportOfTheMenuIsAnswered() async throws {
            let story = try await InspectorStory()
            let sent = try await story.say(["hello"])
            try await story.until { try $0.messageCount() == 1 }
            let id = sent[0].messageID!.rawValue
            for path in [
                "", "overview", "channels", "channel?channel=general", "history?channel=general",
                "message?channel=general&id=\(id)", "outbox", "sync", "store", "tables", "damage",
                "app-tables", "app-rows?table=nothing",
                "eviction", "eviction?size=0",
            ] {
                let (body, status) = try await story.get(path)
                #expect(status == 200, "\(path): \(body)")
            }
            #expect(try await story.get("nothing").1 == 404)
            for path in ["channel", "history", "message?channel=general&id=0", "eviction?size=x"] {
                #expect(try await story.get(path).1 == 409, "\(path)")
            }
            await story.close()
        }

        @Test func historyHasGapsAndUnsentItemsInPlace() async throws {
            let story = try await InspectorStory(feedLimit: 20)
            try await story.makeGap(holding: [.send, .messages])
            _ = try await story.engine.send(NewMessage("mine"), in: "general")
            let report = try await story.report("history?channel=general")
            let rows = try #require(report["rows"] as? [[String: Any]])
            let kinds = rows.compactMap { $0["kind"] as? String }
            #expect(kinds.contains("gap"))
            #expect(kinds.last == "unsent")
            let texts = rows.compactMap { $0["text"] as? String }
            #expect(texts.last == "mine")
            await story.close()
        }

        @Test func barHasEachKindOfCoverage() async throws {
            let story = try await InspectorStory(feedLimit: 20)
            try await story.makeGap(holding: [.messages])
            _ = try await story.engine.ingest([
                Message(
                    id: "pushed", channelURL: "general", text: "pushed",
                    createdAt: 1_700_000_100_000)
            ])
            let report = try await story.report("channel?channel=general")
            let bar = try #require(report["bar"] as? [String: Any])
            let parts = try #require(bar["parts"] as? [[String: Any]])
            let kinds = parts.compactMap { $0["kind"] as? String }
            #expect(Set(kinds).isSuperset(of: ["known", "missing"]))
            let untrusted = try #require(parts.first { $0["kind"] as? String == "untrusted" })
            // The untrusted range begins at the pushed message, which is the oldest one in the gap.
            #expect(untrusted["lower"] as? Int == 1_700_000_100_000)
            let byKind = try #require(report["kinds"] as? [[String: Any]])
            #expect(byKind.map { $0["name"] as? String } == MessageKinds.names.map(\.name))
            #expect(byKind[0]["count"] as? Int == 0 && byKind[0]["missingBelow"] is String)
            await story.close()
        }

        @Test func tablesAreCountedByRowsAndBytes() async throws {
            let story = try await InspectorStory()
            try await story.say(["a", "b", "c"])
            try await story.until { try $0.messageCount() == 3 }
            let (body, _) = try await story.get("tables")
            let json = try JSONSerialization.jsonObject(with: Data(body.utf8))
            let tables = try #require(json as? [[String: Any]])
            let messages = try #require(tables.first { $0["table"] as? String == "message" })
            #expect(messages["database"] as? String == "cache")
            #expect(messages["rows"] as? Int == 3)
            #expect(try #require(messages["bytes"] as? Int) > 3 * 30)
            #expect(tables.contains { $0["database"] as? String == "outbox" })
            await story.close()
        }

        @Test func tablesOfTheAppAreListedWithTheirFirstRows() async throws {
            let story = try await InspectorStory()
            let notes = StoreTable<Pair<ChannelURL, Int>, String>("notes")
            try story.engine.store.write { batch in
                for number in 0..<101 {
                    try batch.put("n", for: Pair("general", number), in: notes)
                }
            }
            let (body, _) = try await story.get("app-tables")
            let tables = try JSONSerialization.jsonObject(with: Data(body.utf8))
            let table = try #require((tables as? [[String: Any]])?.first)
            #expect(table["name"] as? String == "notes" && table["home"] as? String == "kept")
            #expect(table["keys"] as? String == "channel integer" && table["rows"] as? Int == 101)
            let rows = try #require(
                try await story.report("app-rows?table=notes")["rows"] as? [[String: String]])
            #expect(rows.count == 100)
            #expect(rows.first == ["key": "general, 0", "value": #""n""#])
            await story.close()
        }

        @Test func maskHidesWhatUsersWrote() async throws {
            var options = InspectorOptions()
            options.masksTexts = true
            let story = try await InspectorStory(options)
            let monitor = story.inspector.inspection.monitor
            let page = await monitor.open()
            while await !monitor.isObserving { await Task.yield() }
            var params = NewMessage("confidential")
            params.data = "confidential"
            params.customType = "confidential"
            params.extra = ["place": ["confidential": 48.13713]]
            params.metaArrays = [MetaArray(key: "confidential", values: ["confidential"])]
            let sent = try await story.send(params)
            let words = StoreTable<Pair<ChannelURL, String>, String>("words")
            let digests = StoreTable<Data, String>("digests")
            try story.engine.store.write { batch in
                try batch.put("confidential", for: Pair("general", "confidential"), in: words)
                try batch.put("confidential", for: Data("confidential".utf8), in: digests)
            }
            try await story.until { try $0.messageCount() == 1 }
            // A server may quote the text that it refuses.
            let refusal = BackendError(.refused, "refused: confidential")
            story.network.failNext(1, of: [.send], with: refusal, at: .beforeEffect)
            let engine = try story.engine
            _ = try await engine.send(params, in: "general")
            try await story.until { try $0.outboxItems().first?.state == .failed }
            story.network.failNext(1, of: [.messages], with: refusal, at: .beforeEffect)
            await #expect(throws: SyncError.self) {
                try await engine.fetchMessages(in: "general", at: .newest, older: 3, newer: 0)
            }
            let id = sent.messageID!.rawValue
            for path in [
                "overview", "channels", "channel?channel=general", "history?channel=general",
                "message?channel=general&id=\(id)", "outbox", "sync", "app-tables",
                "app-rows?table=words", "app-rows?table=digests",
            ] {
                let (body, status) = try await story.get(path)
                #expect(status == 200)
                #expect(!body.contains("confidential"), "\(path): \(body)")
                #expect(!body.contains("636f6e66"), "\(path): \(body)")
                #expect(!body.contains("48.137"), "\(path): \(body)")
                #expect(!body.contains("General"), "\(path): \(body)")
            }
            let fields = try await story.get("message?channel=general&id=\(id)").0
            #expect(fields.contains(#""\"general\"""#), "IDs are shown: \(fields)")
            withExtendedLifetime(page) {}
            await story.close()
        }

        @Test func maskedErrorsAreCodes() {
            let error = SyncError(.refused, "confidential")
            #expect(TextMask(isOn: true).shown(error) == "refused")
            #expect(TextMask(isOn: false).shown(error) == "refused: confidential")
        }

        /// If whole names were compared, the test would exceed its limit: this takes quadratic
        /// time.
        @Test func channelsAreSortedByTheBeginningOfTheirNames() async throws {
            let story = try await InspectorStory()
            let marks = String(repeating: "\u{301}", count: 30_000)
            for number in 0..<40 {
                let name = "a" + marks + String(repeating: "\u{316}", count: 30_000 + number)
                try story.server.createChannel(
                    GroupChannelCreateParams(name, userIDs: ["bob"], url: "c\(number)"),
                    by: "alice")
            }
            try await story.until { try $0.groupChannel("c39") != nil }
            let page = try await story.report("channels?sort=name&limit=1")
            #expect((page["rows"] as? [Any])?.count == 1)
            await story.close()
        }

        /// Otherwise, searches for prefixes of a name would reveal it letter by letter.
        @Test func maskedNamesCannotBeFound() async throws {
            for isMasked in [true, false] {
                var options = InspectorOptions()
                options.masksTexts = isMasked
                let story = try await InspectorStory(options)
                for (url, name) in [("a", "zebra"), ("b", "horse")] {
                    try story.server.createChannel(
                        GroupChannelCreateParams(name, userIDs: ["bob"], url: ChannelURL(url)),
                        by: "alice")
                }
                try await story.until { try $0.groupChannel("b") != nil }
                func urls(_ query: String) async throws -> [String] {
                    let page = try await story.report("channels?\(query)")
                    let rows = page["rows"] as? [[String: Any]]
                    return rows?.compactMap { $0["url"] as? String } ?? []
                }
                #expect(try await urls("text=zeb") == (isMasked ? [] : ["a"]))
                let sorted = try await urls("sort=name&order=ascending")
                #expect(sorted == (isMasked ? ["a", "b", "general"] : ["general", "b", "a"]))
                await story.close()
            }
        }

        @Test func channelListSortsAndFilters() async throws {
            let story = try await InspectorStory()
            for (name, count) in [("b", 1), ("c", 3), ("a", 2)] {
                let url = ChannelURL(name)
                try story.server.createChannel(
                    GroupChannelCreateParams(name.uppercased(), userIDs: ["bob"], url: url),
                    by: "alice")
                try await story.say((0..<count).map(String.init), in: url)
            }
            try await story.until { try $0.messageCount() == 6 }
            func urls(_ query: String) async throws -> [String] {
                let page = try await story.report("channels?\(query)")
                let rows = page["rows"] as? [[String: Any]]
                return rows?.compactMap { $0["url"] as? String } ?? []
            }
            #expect(
                try await urls("sort=name&order=ascending") == ["a", "b", "c", "general"])
            #expect(
                try await urls("sort=messages") == ["c", "a", "b", "general"])
            #expect(try await urls("sort=last&limit=2") == ["a", "c"])
            #expect(try await urls("sort=last&limit=2&offset=2") == ["b", "general"])
            #expect(try await urls("text=GENER") == ["general"])
            #expect(try await urls("filter=kept") == [])
            await story.close()
        }

        @Test func callsAreRecordedWhileAPageIsOpen() async throws {
            let story = try await InspectorStory()
            let monitor = story.inspector.inspection.monitor
            let page = await story.openFollowedPage()
            story.network.failNext(
                1, of: [.messages], with: BackendError(.refused, "not now"), at: .beforeEffect)
            let engine = try story.engine
            await #expect(throws: SyncError.self) {
                try await engine.fetchMessages(in: "general", at: .newest, older: 3, newer: 0)
            }
            _ = try await engine.fetchMessages(in: "general", at: .newest, older: 3, newer: 0)
            var calls: [SyncReport.Call] = []
            while calls.filter({ $0.ended != nil }).count < 2 {
                await Task.yield()
                let report = await monitor.report(await (try story.engine).state, of: "bob")
                calls = report.calls.filter { $0.name == "messages" }
            }
            #expect(calls.map(\.result) == ["refused", "done"])
            #expect(calls.map(\.attempt) == [1, 2])
            #expect(calls.map(\.channel) == ["general", "general"])
            withExtendedLifetime(page) {}
            await story.close()
        }

        /// A request of bob is not answered until carol uses the device.
        @Test func callsAndWaitsOfAnEarlierUserAreForgotten() async throws {
            let story = try await InspectorStory()
            let monitor = story.inspector.inspection.monitor
            let page = await story.openFollowedPage()
            story.network.hold([.send], at: .beforeEffect)
            _ = try await story.engine.send(NewMessage("hello"), in: "general")
            while await monitor.activity(in: "general").isEmpty { await Task.yield() }
            #expect(await monitor.sending().inFlight.count == 1)
            try await story.client.logOut(wiping: .everything)
            try await story.client.connect(as: Credentials("carol"))
            let calls = try await story.report("sync")["calls"] as? [[String: Any]]
            #expect(calls?.contains { $0["channel"] as? String == "general" } == false)
            while await !monitor.activity(in: "general").isEmpty { await Task.yield() }
            #expect(await monitor.sending().inFlight == [])
            withExtendedLifetime(page) {}
            await story.close()
        }
    }
#endif
