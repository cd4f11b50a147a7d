#if Inspector
    import Collections
    import EmbeddedServer
    import Foundation
    import Models
    import Store
    import Sync
    import Testing

    @testable import ScrollbackInspector

    /// The directory for the pictures, or `nil` if none are written.
    private let directoryPath: String? = {
        let path = ProcessInfo.processInfo.environment["SCROLLBACK_PICTURES"] ?? ""
        return path.isEmpty ? nil : path
    }()

    /// Writes the pictures of the inspector's page that the documentation shows.
    ///
    /// `make test-inspector PICTURES=Docs` replaces them.
    @MainActor
    @Suite(.enabled(if: directoryPath != nil), .timeLimit(.minutes(10)))
    struct PictureTests {
        @Test func picturesOfTheViewsAreWritten() async throws {
            let directory = URL(filePath: try #require(directoryPath))
            let tests = BrowserTests()
            try await tests.withPage(tests.allowing, feedLimit: 20) { story, browser in
                @MainActor func show(_ view: String, _ condition: String, isDark: Bool = false)
                    async throws
                {
                    try await browser.resize(width: 1100, height: 640, isDark: isDark)
                    try await browser.run("location.hash = arguments[0]", ["#\(view)"])
                    try await browser.wait(for: condition)
                }
                @MainActor func save(_ name: String) async throws {
                    let picture = try await browser.screenshot()
                    try picture.write(to: directory.appending(path: "Inspector-\(name).png"))
                }
                try await story.makeTeam()
                try await tests.open(story, in: browser)
                try await story.makeHistory()
                try await show(
                    "channels",
                    "[...document.querySelectorAll('.row.channel')].some((row) =>"
                        + " row.textContent.startsWith('General')"
                        + " && !row.querySelector('.number').textContent.startsWith('0'))")
                try await save("channels-1100-light")
                try await show(
                    "channel/general", "channel.rows.some((row) => row.kind === 'gap')",
                    isDark: true)
                try await browser.run(
                    """
                    const index = channel.rows.findIndex((row) => row.kind === 'gap');
                    const list = document.getElementById('history-list');
                    list.scrollTop = (index + 1) * channel.list.rowHeight - list.clientHeight / 2;
                    """)
                let message = "#history-list .row.gap + .row.message"
                try await browser.wait(for: "document.querySelector('\(message)')")
                try await browser.click(message)
                try await browser.wait(for: "!document.getElementById('details').hidden")
                try await save("channel-1100-dark")
                try await show("sync", "document.querySelectorAll('.call').length > 5")
                try await save("sync-1100-light")
            }
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
            try await engine.setKeptInCache(true, for: "design")
        }

        /// Creates a channel with a gap and unsent items, after a failure of the network.
        func makeHistory() async throws {
            network.failNext(
                1, of: [.messages], with: BackendError(.serverFailure, "the server is busy"),
                at: .beforeEffect)
            _ = try? await engine.fetchMessages(in: "support", at: .newest, older: 30, newer: 0)
            _ = try await engine.fetchMessages(in: "support", at: .newest, older: 30, newer: 0)
            server.conditions.maximumMessageLength = 30
            _ = try await engine.send(
                NewMessage("A text that the server refuses, since it is too long."),
                in: "general")
            try await until { try $0.outboxItems(state: .failed).count == 1 }
            try await makeGap(holding: [.send, .messages])
            _ = try await engine.send(NewMessage("See you at noon"), in: "general")
            _ = try await engine.send(NewMessage("Pasta today"), in: "lunch")
            _ = await network.held(atLeast: 1)
        }
    }
#endif
