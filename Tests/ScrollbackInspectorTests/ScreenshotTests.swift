#if Inspector
    import Collections
    import EmbeddedServer
    import Foundation
    import Models
    import Store
    import Sync
    import Testing

    @testable import ScrollbackInspector

    /// Writes pictures of the page to the directory `SCROLLBACK_SCREENSHOTS`, as
    /// `make test-inspector` does.
    @MainActor
    @Suite(
        .enabled(if: ProcessInfo.processInfo.environment["SCROLLBACK_SCREENSHOTS"] != nil),
        .serialized, .timeLimit(.minutes(10)))
    struct ScreenshotTests {
        @Test func picturesOfEachView() async throws {
            let directory = URL(
                filePath: ProcessInfo.processInfo.environment["SCROLLBACK_SCREENSHOTS"]!)
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true)
            var options = InspectorOptions()
            options.allowsActions = true
            let story = try await InspectorStory(options, feedLimit: 20)
            try await story.makeTeam()
            let browser = try await Browser()
            func save(_ name: String) async throws {
                let picture = try await browser.screenshot()
                try picture.write(to: directory.appending(path: "Inspector-\(name).png"))
            }
            func show(_ view: String, _ condition: String) async throws {
                try await browser.run("location.hash = arguments[0]", ["#\(view)"])
                try await browser.wait(for: condition)
            }
            try await browser.resize(width: 1600, height: 900)
            try await browser.open(story.address)
            try await browser.wait(for: "document.querySelector('#client .badge.good')")
            try await story.makeHistory()
            for (width, height) in [(1600, 900), (1100, 640), (360, 720)] {
                for isDark in [false, true] {
                    try await browser.resize(width: width, height: height, isDark: isDark)
                    let suffix = "\(width)-\(isDark ? "dark" : "light")"
                    try await show(
                        "channels", "document.querySelectorAll('.row.channel').length > 4")
                    try await save("channels-\(suffix)")
                    try await show(
                        "channel/general", "channel.rows.some((row) => row.kind === 'gap')")
                    try await browser.run(
                        """
                        const index = channel.rows.findIndex((row) => row.kind === 'gap');
                        const list = document.getElementById('history-list');
                        list.scrollTop = (index + 1) * channel.list.rowHeight
                            - list.clientHeight / 2;
                        """)
                    try await browser.wait(
                        for: "document.querySelector('#history-list .row.gap')")
                    if width > 400 {
                        try await browser.run(
                            "document.querySelector('#history-list .row.gap + .row.message').click()"
                        )
                        try await browser.wait(for: "!document.getElementById('details').hidden")
                    }
                    try await save("channel-\(suffix)")
                    try await browser.run("document.getElementById('close-details').click()")
                    try await show("outbox", "document.querySelector('.card')")
                    try await save("outbox-\(suffix)")
                    try await show("sync", "document.querySelectorAll('.call').length > 5")
                    try await save("sync-\(suffix)")
                    try await show("store", "document.querySelector('#databases pre')")
                    try await browser.run("document.getElementById('count-tables').click()")
                    try await browser.wait(for: "document.querySelector('#tables table')")
                    try await save("store-\(suffix)")
                }
            }
            await browser.close()
            await story.close()
        }
    }

    extension InspectorStory {
        /// Creates some channels with histories.
        func makeTeam() async throws {
            let names = [
                "Design": 80, "Releases": 35, "Support": 150, "Weekend hikes": 12, "Lunch": 60,
            ]
            for (name, count) in names.sorted(by: { $0.key < $1.key }) {
                let url = ChannelURL(name.lowercased().replacing(" ", with: "-"))
                try server.createChannel(
                    GroupChannelCreateParams(name, userIDs: ["bob"], url: url), by: "alice")
                try await say(
                    (1...count).map { "Message \($0) about \(name.lowercased())" }, in: url)
            }
            try await engine.caughtUp()
            for url in ["design", "lunch"] as [ChannelURL] {
                _ = try await engine.fetchMessages(in: url, at: .newest, older: 40, newer: 0)
            }
            try await engine.setPinned(true, for: "design")
        }

        /// Lets a channel have a gap, and unsent items, and the network fail.
        func makeHistory() async throws {
            network.failNext(
                1, of: [.messages], with: BackendError(.serverFailure, "the server is busy"),
                at: .beforeEffect)
            _ = try? await engine.fetchMessages(in: "support", at: .newest, older: 30, newer: 0)
            _ = try await engine.fetchMessages(in: "support", at: .newest, older: 30, newer: 0)
            server.conditions.maximumMessageLength = 30
            _ = try await engine.send(
                UserMessageCreateParams("A text that the server refuses, since it is too long."),
                in: "general")
            try await until { try $0.outboxItems(state: .failed).count == 1 }
            try await makeGap(holding: [.send, .messages])
            _ = try await engine.send(UserMessageCreateParams("See you at noon"), in: "general")
            _ = try await engine.send(UserMessageCreateParams("Pasta today"), in: "lunch")
            _ = await network.held(atLeast: 1)
        }
    }
#endif
