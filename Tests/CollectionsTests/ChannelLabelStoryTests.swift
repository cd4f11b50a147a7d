import Collections
import EmbeddedServer
import Models
import Observation
import ScrollbackStorySupport
import ScrollbackTesting
import Store
import Sync
import Testing

/// Tests channel lists that depend on local labels.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct ChannelLabelStoryTests {
    @Test func pinnedChannelMovesToTheTopAndStaysThere() async throws {
        let story = try await Story()
        try story.create("a b c")
        let view = story.list { $0.labelListedFirst = "pinned" }
        try await story.connect()
        try await view.load()
        await view.shows("c b a")
        try story.setLabels(ChannelLabels(["pinned"]), of: "a")
        await view.shows("a c b")
        #expect(view.collection.labels == ["a": ChannelLabels(["pinned"])])
        #expect(view.heard.last == "updated a: localLabelsUpdated")
        // The sort key orders pinned channels, and a message does not.
        try story.setLabels(ChannelLabels(["pinned"], sortKey: "1"), of: "b")
        await view.shows("b a c")
        try await story.say("m", in: "c")
        try await story.say("m", in: "a")
        await view.shows("b a c")
        // Updates of the server and clearing do not change labels.
        try await story.alice.perform(SetFrozen(true, for: "a"))
        try await story.engine.clearCachedData()
        await view.shows("b a c")
        try story.setLabels(ChannelLabels(), of: "b")
        await view.shows("a c b")
        await story.engine.close()
    }

    @Test func archivedChannelsAndFoldersAreLists() async throws {
        let story = try await Story()
        try story.create("a b c")
        let inbox = story.list { $0.excludedLabelsFilter = ["archived"] }
        let work = story.list { $0.labelsFilter = ["work"] }
        try await story.connect()
        try await inbox.load()
        try await work.load()
        await inbox.shows("c b a")
        await work.shows("")
        try story.setLabels(ChannelLabels(["archived", "work"]), of: "c")
        try story.setLabels(ChannelLabels(["work"]), of: "a")
        await inbox.shows("b a")
        await work.shows("c a")
        try await story.say("m", in: "a")
        await work.shows("a c")
        try story.setLabels(ChannelLabels(["archived"]), of: "a")
        await inbox.shows("b")
        await work.shows("c")
        await story.engine.close()
    }

    @Test func serverReceivesNoLabels() async throws {
        let story = try await Story()
        var query = GroupChannelListQuery()
        query.labelsFilter = ["work"]
        (query.excludedLabelsFilter, query.labelListedFirst) = (["archived"], "pinned")
        #expect(query.usesLabels && !query.withoutLabels.usesLabels)
        // The fields are absent, and not only empty.
        #expect(query.withoutLabels == GroupChannelListQuery())
        try await story.connect()
        #expect(
            try await story.engine.fetchChannels(matching: query).elements.map(\.url)
                == ["general"])
        await story.engine.close()
    }

    @Test func clientChangesLabelsOfItsUser() async throws {
        let story = try await ClientStory()
        var client = try await story.open()
        #expect(throws: SyncError.self) { try client.labels(of: "general") }
        try await client.connect(as: Credentials("bob"))
        try await client.setLabels(ChannelLabels(["work"], sortKey: "1"), of: "general")
        try await client.changeLabels(of: "general") { $0.labels.insert("pinned") }
        await client.close()
        client = try await story.open()
        #expect(
            try client.labels(of: "general") == ChannelLabels(["pinned", "work"], sortKey: "1"))
        try await client.connect(as: Credentials("bob"))
        try await client.logOut(wiping: .cachedData)
        try await client.connect(as: Credentials("bob"))
        #expect(try !client.labels(of: "general").isEmpty)
        try await client.logOut(wiping: .everything)
        try await client.connect(as: Credentials("bob"))
        #expect(try client.labels(of: "general").isEmpty)
        await client.close()
    }
}

extension Story {
    fileprivate func setLabels(_ labels: ChannelLabels, of url: ChannelURL) throws {
        try store.write { try $0.setLabels(labels, of: url) }
    }
}
