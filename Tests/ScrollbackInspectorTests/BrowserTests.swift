#if Inspector
    import Collections
    import EmbeddedServer
    import Foundation
    import Models
    import Store
    import Sync
    import Testing

    @testable import ScrollbackInspector

    /// Tests the inspector's page in Chromium.
    ///
    /// `make test-inspector` runs them.
    @MainActor
    @Suite(
        .enabled(if: ProcessInfo.processInfo.environment["SCROLLBACK_BROWSER"] != nil),
        .serialized, .timeLimit(.minutes(10)))
    struct BrowserTests {
        /// Opens a view of a story's page, and waits until the page is connected.
        func open(
            _ story: InspectorStory, _ view: String = "channels", in browser: Browser
        ) async throws {
            try await browser.resize(width: 1200, height: 800)
            try await browser.open(URL(string: "#\(view)", relativeTo: story.address)!)
            try await browser.wait(for: "document.querySelector('#client .badge.good')")
            let monitor = story.inspector.inspection.monitor
            while await !monitor.isObserving { await Task.yield() }
        }

        func withPage(
            _ options: InspectorOptions = InspectorOptions(), feedLimit: Int? = nil,
            _ body: (InspectorStory, Browser) async throws -> Void
        ) async throws {
            let story = try await InspectorStory(options, feedLimit: feedLimit)
            let browser = try await Browser()
            do {
                try await body(story, browser)
            } catch {
                await browser.close()
                await story.close()
                throw error
            }
            await browser.close()
            await story.close()
        }

        var allowing: InspectorOptions {
            var options = InspectorOptions()
            options.allowsActions = true
            return options
        }

        // MARK: Updates

        @Test func pageShowsTheChannelsAndTheConnection() async throws {
            try await withPage { story, browser in
                try await story.say(["hello"])
                try await open(story, in: browser)
                try await browser.wait(
                    for: "document.querySelector('.row.channel b')?.textContent === 'General'")
                #expect(try await browser.text(of: "#client").contains("bob"))
                story.network.goOffline()
                try await browser.wait(for: "document.querySelector('#client .badge.wait')")
                story.network.goOnline()
                await story.client.reconnect()
                try await browser.wait(for: "document.querySelector('#client .badge.good')")
            }
        }

        @Test func aLiveMessageAppears() async throws {
            try await withPage { story, browser in
                try await open(story, "channel/general", in: browser)
                try await story.say(["it is live"])
                try await browser.wait(
                    for:
                        "document.querySelector('#history-list .body')?.textContent === 'it is live'"
                )
                try await browser.click("#history-list .row")
                try await browser.wait(for: "!document.getElementById('details').hidden")
                try await browser.wait(
                    for: "document.getElementById('details').textContent"
                        + ".includes('feed (eventMessageReceived)')")
                #expect(try await browser.text(of: "#details").contains("it is live"))
            }
        }

        @Test func aGapIsDrawnAndDisappearsWhenItIsFilled() async throws {
            try await withPage(allowing, feedLimit: 20) { story, browser in
                try await open(story, "channel/general", in: browser)
                try await story.makeGap(holding: [.messages])
                try await browser.wait(for: "channel.rows.some((row) => row.kind === 'gap')")
                // Only rows in the visible part of the list have elements, so scroll to the gap.
                try await browser.run("document.getElementById('history-list').scrollTop = 0")
                try await browser.wait(for: "document.querySelector('#history-list .row.gap')")
                try await browser.wait(
                    for: "document.querySelectorAll('#coverage-bar .missing').length > 0")
                story.network.stopHolding()
                try await browser.wait(
                    for: "document.querySelectorAll('#coverage-bar .missing').length === 0")
                try await browser.wait(for: "!document.querySelector('#history-list .row.gap')")
                #expect(try await browser.text(of: "#channel-facts").contains("no gaps"))
            }
        }

        @Test func anOutboxItemPassesThroughItsStates() async throws {
            try await withPage(allowing) { story, browser in
                func isShown(_ state: String) async throws {
                    try await browser.wait(
                        for: "document.querySelector('.card[data-state=\"\(state)\"]')")
                }
                try await open(story, "outbox", in: browser)
                try await browser.wait(for: "document.querySelector('#outbox-list .empty')")
                await story.client.disconnect()
                _ = try await story.engine.send(NewMessage("mine"), in: "general")
                try await isShown("pending")
                story.network.hold([.send], at: .beforeEffect)
                try await story.client.connect(as: Credentials("bob"))
                try await isShown("in flight")
                story.server.conditions.maximumMessageLength = 1
                story.network.stopHolding()
                try await isShown("failed")
                #expect(try await browser.text(of: ".card .error").contains("("))
                story.server.conditions.maximumMessageLength = 5000
                try await browser.click(".card .actions button")
                try await browser.wait(
                    for: "document.querySelector('#outbox-list .empty')")
                try await browser.run("location.hash = '#sync'")
                try await browser.wait(
                    for: "[...document.querySelectorAll('.call[data-call=send] .result')]"
                        + ".some((result) => result.textContent.includes('refused'))")
            }
        }

        @Test func pageReportsThatTheClientWasClosed() async throws {
            try await withPage { story, browser in
                try await open(story, in: browser)
                await story.client.close()
                try await browser.wait(for: "document.querySelector('#client .badge.bad')")
            }
        }

        // MARK: Many channels, and hostile texts

        @Test func tenThousandChannelsScroll() async throws {
            try await withPage { story, browser in
                try story.engine.store.write { batch in
                    for number in 0..<10_000 {
                        let name = String(format: "channel-%05d", number)
                        try batch.save(
                            GroupChannel(
                                url: ChannelURL(name), name: name,
                                createdAt: Timestamp(milliseconds: Int64(number))))
                    }
                }
                try await open(story, in: browser)
                try await browser.run(
                    """
                    document.getElementById('sort').value = 'name';
                    document.getElementById('sort').dispatchEvent(new Event('change'));
                    document.getElementById('order').click();
                    """)
                try await browser.wait(
                    for: "document.querySelector('.row.channel b')?.textContent === 'channel-00000'"
                )
                for (place, number) in [(0.5, "049"), (1.0, "09999"), (0.0, "00000")] {
                    try await browser.run(
                        """
                        const list = document.getElementById('channel-list');
                        list.scrollTop = list.scrollHeight * \(place);
                        """)
                    try await browser.wait(
                        for: "[...document.querySelectorAll('.row.channel b')]"
                            + ".some((row) => row.textContent.startsWith('channel-\(number)'))")
                }
                // Only rows in the visible part of the list have elements.
                let rows =
                    try await browser.run(
                        "return document.querySelectorAll('.row').length") as? Int
                #expect(try #require(rows) < 60)
                try await browser.run(
                    """
                    document.getElementById('search').value = 'channel-07777';
                    document.getElementById('search').dispatchEvent(new Event('input'));
                    """)
                try await browser.wait(
                    for: "document.getElementById('channels-total').textContent.startsWith('1 of')")
            }
        }

        @Test func hostileTextsAreShownAsText() async throws {
            try await withPage { story, browser in
                let texts = [
                    "<script>window.hacked = 1</script>",
                    "<img src=x onerror='window.hacked = 1'>",
                    "\u{202E}txet desrever\u{2066}\u{0007}",
                    String(repeating: "long ", count: 1 << 18),
                    "</script><script>window.hacked = 1</script>",
                ]
                let messages = texts.enumerated().map { index, text in
                    Message(
                        id: MessageID("m\(index)<b>"), channelURL: "general",
                        sender: Sender(id: "<i>x</i>", nickname: "<b>\u{202E}bob</b>"), text: text,
                        createdAt: Timestamp(milliseconds: 1_700_000_000_000 + Int64(index)))
                }
                _ = try await story.engine.ingest(messages)
                try await open(story, "channel/general", in: browser)
                try await browser.wait(
                    for: "document.querySelectorAll('#history-list .row.message').length === 5")
                let shown =
                    try await browser.run(
                        "return [...document.querySelectorAll('#history-list .body')]"
                            + ".map((body) => body.textContent)") as? [String] ?? []
                #expect(shown.contains(texts[0]))
                #expect(shown.contains(texts[1]))
                #expect(shown.contains("‹202E›txet desrever‹2066›‹0007›"))
                #expect(shown.contains { $0.hasSuffix("(1,310,720 characters)") })
                for index in 0..<5 {
                    try await browser.run(
                        "document.querySelectorAll('#history-list .row')[arguments[0]].click()",
                        [index])
                    try await browser.wait(
                        for: "document.querySelector('#details h3').textContent === 'm\(index)<b>'")
                }
                #expect(try await browser.run("return window.hacked ?? 0") as? Int == 0)
                let elements = try await browser.run(
                    "return document.querySelectorAll('main script, main img, .row i').length")
                #expect(elements as? Int == 0)
            }
        }

        @Test func aChannelMayHaveAnyURL() async throws {
            try await withPage { story, browser in
                let url: ChannelURL = "a b+c/d?e=f&g#h%20ü"
                try story.server.createChannel(
                    GroupChannelCreateParams(url.rawValue, userIDs: ["bob"], url: url), by: "alice")
                try await story.say(["found"], in: url)
                try await story.until { try $0.messageCount(in: url) == 1 }
                try await open(story, in: browser)
                try await browser.wait(
                    for: "document.querySelectorAll('.row.channel').length === 2")
                try await browser.run(
                    "[...document.querySelectorAll('.row.channel')]"
                        + ".find((row) => row.textContent.includes('a b+c')).click()")
                try await browser.wait(
                    for: "document.querySelector('#history-list .body')?.textContent === 'found'")
                #expect(try await browser.text(of: "#channel-url") == url.rawValue)
            }
        }

        @Test func aForeignHostIsRefused() async throws {
            try await withPage { story, browser in
                try await open(story, in: browser)
                let path = "http://evil.example:\(story.address.port!)/secret/"
                try await browser.open(URL(string: path)!)
                let text = try await browser.text(of: "body")
                #expect(text.contains("not the inspector's address"))
                #expect(!text.contains("bob"))
            }
        }

        @Test func anotherPageCannotReadTheReports() async throws {
            try await withPage { story, browser in
                try await browser.open(URL(string: "data:text/html,<title>other</title>")!)
                let result = try await browser.run(
                    "return fetch(arguments[0]).then((answer) => answer.text(), () => 'refused')",
                    [story.address.absoluteString + "overview"])
                #expect(result as? String == "refused")
            }
        }

        // MARK: Use

        @Test func keysReachEachView() async throws {
            try await withPage { story, browser in
                try await story.say(["a", "b"])
                try await open(story, in: browser)
                try await browser.wait(for: "document.querySelector('.row.channel')")
                try await browser.run("document.getElementById('channel-list').focus()")
                try await browser.press("ArrowDown")
                try await browser.press("Enter")
                try await browser.wait(
                    for: "document.querySelectorAll('#history-list .row').length === 2")
                try await browser.run("document.getElementById('history-list').focus()")
                try await browser.press("End")
                try await browser.press("Enter")
                try await browser.wait(for: "!document.getElementById('details').hidden")
                #expect(try await browser.text(of: "#details").contains("\"b\""))
                try await browser.press("Escape")
                try await browser.wait(for: "document.getElementById('details').hidden")
                try await browser.press("Escape")
                try await browser.wait(for: "location.hash === '#channels'")
                for (key, view) in [
                    ("2", "outbox"), ("3", "sync"), ("4", "store"), ("1", "channels"),
                ] {
                    try await browser.press(key)
                    try await browser.wait(
                        for: "!document.getElementById('view-\(view)').hidden")
                }
                try await browser.press("/")
                try await browser.wait(for: "document.activeElement.id === 'search'")
            }
        }

        @Test func noViewIsWiderThanTheScreen() async throws {
            try await withPage(allowing, feedLimit: 20) { story, browser in
                try await open(story, in: browser)
                try await story.makeGap()
                for width in [360, 768, 1600] {
                    try await browser.resize(width: width, height: 740)
                    for view in ["channels", "channel/general", "outbox", "sync", "store", "help"] {
                        try await browser.run("location.hash = arguments[0]", ["#\(view)"])
                        let name = view.split(separator: "/")[0]
                        try await browser.wait(
                            for: "!document.getElementById('view-\(name)').hidden")
                        let overflow =
                            try await browser.run(
                                """
                                return [...document.querySelectorAll('body, main, main > section')]
                                    .some((part) => part.scrollWidth > part.clientWidth + 1);
                                """) as? Bool
                        #expect(overflow == false, "\(view) at \(width)")
                    }
                }
            }
        }
    }
#endif
