import Collections
import Models
import ScrollbackTesting
import Store
import Testing

/// What a collection shows that reads again while more is still to be told than it has taken.
///
/// Nothing is taken between the writes of a test: they are all done before the main actor has time.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct ReadingAgainTests {
    @Test func whatIsSentMeanwhileIsThereOnce() async throws {
        let story = try await Story()
        try story.store.hold(["a"])
        let view = story.view(.cacheOnly)

        try story.store.editOutOfSight()
        let draft = try story.store.draft("b")
        try story.store.write { batch in
            try batch.save(.own("b", of: draft), source: .eventMessageSent)
            try batch.removeDraft(draft.requestID, source: .eventMessageSent)
        }
        try await view.isUpToDate()
        #expect(view.picture == "a b")
        #expect(view.news() == ["added b: eventMessageSent, succeeded"])
        await story.close()
    }

    @Test func whatIsDeletedMeanwhileDoesNotComeBack() async throws {
        let story = try await Story()
        try story.store.hold(["a"])
        let view = story.view(.cacheOnly)

        try story.store.editOutOfSight()
        let draft = try story.store.draft("b")
        try story.store.write { try $0.save(.own("b", of: draft), source: .eventMessageSent) }
        try story.store.write { batch in
            try batch.removeDraft(draft.requestID)
            try batch.removeMessage("own b", in: "general", source: .eventMessageDeleted)
            try batch.removeMessage("1", in: "general", source: .eventMessageDeleted)
        }
        try await view.isUpToDate()
        #expect(view.picture == "")
        #expect(view.news() == ["deleted a: eventMessageDeleted, succeeded"])
        await story.close()
    }

    /// Its neighbours are not known; as many of them as a page are shown once they are.
    @Test(arguments: [(4, "a b c d"), (3, "… b c d"), (1, "… d")])
    func whatCameAloneGetsItsNeighbours(size: Int, picture: String) async throws {
        let story = try await Story()
        try story.store.write { try $0.save(GroupChannel.sample()) }
        let view = story.view(.cacheOnly, .sized(size))
        try story.store.write { try $0.save(.sample(4, text: "d"), source: .eventMessageSent) }
        try await view.isUpToDate()
        #expect(view.picture == "… d …")

        try story.store.write { batch in
            for (index, text) in ["a", "b", "c"].enumerated() {
                try batch.save(.sample(index + 1, text: text))
            }
            try batch.cover("general", from: .beginning, through: .end)
        }
        try await view.isUpToDate()
        #expect(view.picture == picture)
        await story.close()
    }

    @Test func whatComesMeanwhileToAnEmptyViewIsShown() async throws {
        let story = try await Story()
        try story.store.write { try $0.save(GroupChannel.sample()) }
        let view = story.view(.cacheOnly)

        try story.store.editOutOfSight()
        try story.store.write {
            try $0.save(.sample(1, text: "a"), source: .eventMessageReceived)
        }
        try await view.isUpToDate()
        #expect(view.picture == "… a …")
        #expect(view.news() == ["added a: eventMessageReceived, succeeded"])
        await story.close()
    }

    @Test func whatIsTakenBackMeanwhileIsTold() async throws {
        let story = try await Story()
        try story.store.hold(["a"])
        let view = story.view(.cacheOnly)
        let draft = try story.store.draft("b")
        await view.shows("a (b)")
        _ = view.news()

        try story.store.editOutOfSight()
        try story.store.write {
            try $0.removeDraft(draft.requestID, source: .localMessageCanceled)
        }
        try await view.isUpToDate()
        #expect(view.picture == "a")
        #expect(
            view.news() == [
                "updated b: localMessageCanceled, canceled",
                "deleted b: localMessageCanceled, pending",
            ])
        await story.close()
    }

    @Test func whatIsDeletedWithinACallbackIsNotLoaded() async throws {
        let story = try await Story()
        try story.store.hold(["a", "b", "c", "d"])
        let view = story.view(.cacheOnly, .sized(2))
        #expect(view.picture == "… c d")
        view.onHearing = { line in
            guard line.hasPrefix("added e") else { return }
            _ = try? story.store.write { try $0.removeMessage("1", in: "general") }
        }

        try story.store.write {
            try $0.save(.sample(5, text: "e"), source: .eventMessageReceived)
        }
        try story.store.editOutOfSight()
        // Takes all of it before it reads.
        try await view.collection.loadPrevious()
        #expect(view.picture == "b c d e")
        await story.close()
    }

    /// As where the disk took the message, and kept the outbox as it was.
    @Test func whatWaitsBesideItselfIsTwoRowsUntilItGoes() async throws {
        let story = try await Story()
        try story.store.hold(["a"])
        let draft = try story.store.draft("b")
        try story.store.write { try $0.save(.own("b", of: draft)) }
        let view = story.view(.cacheOnly)
        #expect(view.picture == "a b (b)")

        try story.store.write { batch in
            var edited = Message.own("b", of: draft)
            edited.text = "c"
            edited.updatedAt = Timestamp(milliseconds: 1_800_000_000_000)
            try batch.save(edited)
        }
        try await view.isUpToDate()
        #expect(view.picture == "a c (b)")
        try story.store.write { batch in
            var edited = Message.own("b", of: draft)
            edited.text = "d"
            edited.updatedAt = Timestamp(milliseconds: 1_800_000_000_001)
            try batch.save(edited)
            try batch.removeDraft(draft.requestID)
        }
        try await view.isUpToDate()
        #expect(view.picture == "a d")
        await story.close()
    }

    @Test func aChannelThatIsLeftMeanwhileDoesNotComeBack() async throws {
        let story = try await Story()
        try story.store.write { try $0.save(GroupChannel.sample("a")) }
        let view = story.list()
        try await view.load()
        #expect(view.picture == "a …")
        _ = view.news()

        // Files that were let go of may have been written by another process.
        try story.store.suspend()
        try story.store.resume()
        let joined = CollectionEventSource.eventUserJoined
        try story.store.write { try $0.save(GroupChannel.sample("b"), source: joined) }
        try story.store.write { try $0.removeChannel("b", source: .eventUserLeft) }
        try story.store.write { try $0.save(GroupChannel.sample("c"), source: joined) }
        await view.until { view.picture == "c a …" || view.picture == "a c …" }
        #expect(view.news() == ["added c: eventUserJoined"])
        await story.close()
    }
}

extension Story {
    /// A view that shows what is held, and has heard nothing yet.
    @MainActor
    fileprivate func view(
        _ policy: InitPolicy, _ params: MessageListParams = MessageListParams()
    ) -> View {
        let view = view(params)
        view.collection.start(policy)
        _ = view.news()
        return view
    }
}

extension ChatStore {
    /// Holds messages of alice's, of a history that is known to its end.
    fileprivate func hold(_ texts: [String]) throws {
        try write { batch in
            try batch.save(GroupChannel.sample())
            for (index, text) in texts.enumerated() {
                try batch.save(.sample(index + 1, text: text))
            }
            try batch.cover("general", from: .beginning, through: .end)
        }
    }

    /// Edits what no view shows, so that each has to read what it is to show now.
    fileprivate func editOutOfSight() throws {
        var draft = Draft()
        draft.requestID = "edit"
        draft.channelURL = "general"
        draft.createdAt = 1
        draft.operation = .update
        draft.messageID = "out of sight"
        draft.userMessageUpdateParams = UserMessageUpdateParams()
        try write { try $0.save(draft) }
    }

    /// Writes a message that waits to be sent.
    fileprivate func draft(_ text: String) throws -> Draft {
        let id = RequestID("request of \(text)")
        var message = Message(id: nil, channelURL: "general", text: text, createdAt: 1)
        message.requestID = id
        message.sendingStatus = .pending
        let draft = Draft(message, requestID: id)
        try write { try $0.save(draft, source: .localMessagePendingCreated) }
        return draft
    }
}

extension Message {
    /// What the server has made of a draft of bob's.
    fileprivate static func own(_ text: String, of draft: Draft) -> Message {
        var message = Message.sample(5, from: "bob", text: text)
        message.messageID = MessageID("own \(text)")
        message.requestID = draft.requestID
        return message
    }
}
