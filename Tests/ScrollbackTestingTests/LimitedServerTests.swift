import EmbeddedServer
import Models
import ScrollbackTesting
import Sync
import Testing

/// Tests the suite with servers whose users can only read, and with servers that have only texts.
@Suite(.timeLimit(.minutes(10))) struct LimitedServerTests {
    // MARK: Reading only

    @Test func readOnlyServerPasses() async throws {
        let report = await BackendConformance.run(on: try ReadOnlySubject())
        #expect(report.isKept, "\(report)")
        let reason = "users can only read, according to the subject"
        let skipped = report.skipped.filter { $0.outcome == .skipped(reason) }
        #expect(Set(skipped.map(\.promiseID)).isSuperset(of: ["send.once", "update.owner"]))
        let passed = Set(report.results.filter { $0.outcome == .passed }.map(\.promiseID))
        #expect(
            passed.isSuperset(of: [
                "errors.unsupported", "feed.complete", "feed.whole", "messages.same",
                "messages.walk", "messageChanges.complete", "delete.gone", "replies.page",
            ]))
    }

    @Test func readOnlyServerThatAcceptsMessagesFails() async throws {
        var subject = try ReadOnlySubject()
        subject.accepts = true
        let report = await BackendConformance.run(on: subject)
        #expect(report.failed.map(\.promiseID) == ["errors.unsupported"], "\(report)")
    }

    @Test func messagesThatTheSubjectDoesNotWriteAreMissed() async throws {
        var subject = try ReadOnlySubject()
        subject.forgets = true
        let report = await BackendConformance.run(on: subject) { $0.promise.id == "messages.walk" }
        #expect(report.failed.map(\.promiseID) == ["lookup.all"], "\(report)")
    }

    // MARK: Texts only

    @Test func serverWithOnlyTextsPasses() async throws {
        let report = await BackendConformance.run(on: try LimitedSubject.withTexts())
        #expect(report.isKept, "\(report)")
        #expect(
            report.results.contains { $0.promiseID == "update.absent" && $0.outcome == .passed })
    }

    @Test func undeclaredFieldsAreMissed() async throws {
        var subject = try LimitedSubject.withTexts()
        subject.unsupportedFields = []
        let report = await BackendConformance.run(on: subject)
        #expect(Set(report.failed.map(\.promiseID)) == ["send.message", "update.absent"])
    }

    // MARK: A feed only

    @Test func serverWithoutChangelogsPasses() async throws {
        let report = await BackendConformance.run(on: try LimitedSubject.withFeed())
        #expect(report.isKept, "\(report)")
        let passed = Set(report.results.filter { $0.outcome == .passed }.map(\.promiseID))
        #expect(passed.isSuperset(of: ["errors.channel", "feed.whole", "messages.same"]))
        #expect(!passed.contains("messageChanges.complete"))
    }

    @Test func undeclaredLackOfChangelogsIsFound() async throws {
        var subject = try LimitedSubject.withFeed()
        subject.hasChangelogs = true
        let report = await BackendConformance.run(on: subject)
        let failed = Set(report.failed.map(\.promiseID))
        #expect(failed.isSuperset(of: ["messageChanges.complete", "channelChanges.complete"]))
    }
}

// MARK: Subjects

/// A server whose messages others write.
private struct ReadOnlySubject: ConformanceSubject {
    var base: EmbeddedSubject
    /// A Boolean value that indicates whether the backend sends messages nevertheless.
    var accepts = false
    /// A Boolean value that indicates whether the subject does not write the messages.
    var forgets = false

    init() throws {
        var conditions = ServerConditions()
        conditions.missingCapabilities = BackendCapabilities(
            rawValue: ~ReadOnlyBackend.capabilities.rawValue)
        base = try EmbeddedSubject(conditions)
    }

    let isReadOnly = true
    let answersFeedAtOnce = true
    var users: [Credentials] { base.users }
    var hooks: Set<ConformanceHook> { base.hooks }

    func makeRequestID() -> RequestID { base.makeRequestID() }

    func makeBackend(for user: Credentials) async throws -> any Backend {
        let backend = try await base.makeBackend(for: user)
        return accepts ? backend : ReadOnlyBackend(base: backend)
    }

    func makeChannel(
        named name: String, for users: [Credentials]
    ) async throws -> ChannelURL? {
        try await base.makeChannel(named: name, for: users)
    }

    func perform(_ hook: ConformanceHook) async throws { try await base.perform(hook) }

    func write(_ change: ConformanceWrite, as user: Credentials) async throws -> MessageID {
        if forgets { return "no-such-message" }
        let client = base.server.client(waits: false)
        _ = try await client.connect(as: user)
        switch change {
        case .send(let new, in: let url):
            let item = OutboxItem(
                Message(new, in: url, by: nil, at: 0), requestID: makeRequestID())
            return try await client.send(item).messageID ?? ""
        case .edit(let id, in: let url, let params):
            _ = try await client.update(
                id, in: url, with: .text(params), requestID: makeRequestID())
            return id
        case .delete(let id, in: let url):
            try await client.delete(id, in: url, requestID: makeRequestID())
            return id
        }
    }
}

/// A backend that refuses all calls that change the server.
private struct ReadOnlyBackend: ForwardingBackend {
    let base: any Backend

    static let capabilities: BackendCapabilities = [
        .counts, .threads, .messageSearch, .messageChangelogByTime, .channelChangelogByTime,
    ]

    var requests: RequestHandlers {
        var handlers = RequestHandlers()
        handlers.on(ListMembers.self) { [base] request throws(BackendError) in
            try await base.perform(request)
        }
        handlers.on(CountMessages.self) { [base] request throws(BackendError) in
            try await base.perform(request)
        }
        handlers.on(SearchMessages.self) { [base] request throws(BackendError) in
            try await base.perform(request)
        }
        return handlers
    }

    func forward<Call: BackendCall>(_ call: Call) async throws(BackendError) -> Call.Answer {
        guard !Call.declaration.changesServer else {
            throw BackendError(.unsupported, "users can only read")
        }
        return try await call.make(on: base)
    }
}

/// A server with a backend that lacks something, which the subject declares.
private struct LimitedSubject: ConformanceSubject {
    let base: EmbeddedSubject
    let limit: @Sendable (any Backend) -> any Backend
    var unsupportedFields: Set<String> = []
    var hasChangelogs = true

    init(_ limit: @escaping @Sendable (any Backend) -> any Backend) throws {
        base = try EmbeddedSubject()
        self.limit = limit
    }

    /// A server whose messages have only a text.
    static func withTexts() throws -> LimitedSubject {
        var subject = try LimitedSubject { TextBackend(base: $0) }
        subject.unsupportedFields = ConformanceFields.allButText
        return subject
    }

    /// A server that has only a feed.
    static func withFeed() throws -> LimitedSubject {
        var subject = try LimitedSubject { FeedBackend(base: $0) }
        subject.hasChangelogs = false
        return subject
    }

    let answersFeedAtOnce = true
    var users: [Credentials] { base.users }
    var hooks: Set<ConformanceHook> { base.hooks }

    func makeRequestID() -> RequestID { base.makeRequestID() }

    func makeBackend(for user: Credentials) async throws -> any Backend {
        limit(try await base.makeBackend(for: user))
    }

    func makeChannel(
        named name: String, for users: [Credentials]
    ) async throws -> ChannelURL? {
        try await base.makeChannel(named: name, for: users)
    }

    func perform(_ hook: ConformanceHook) async throws { try await base.perform(hook) }
}

private struct FeedBackend: ForwardingBackend {
    let base: any Backend

    var capabilities: BackendCapabilities {
        base.capabilities.subtracting([.messageChangelogByTime, .channelChangelogByTime])
    }

    func forward<Call: BackendCall>(_ call: Call) async throws(BackendError) -> Call.Answer {
        guard !(call is CoreCall.MessageChanges), !(call is CoreCall.ChannelChanges) else {
            throw BackendError(.unsupported, "the server has only a feed")
        }
        return try await call.make(on: base)
    }
}

/// A backend that sends and edits only the text of a message.
private struct TextBackend: ForwardingBackend {
    let base: any Backend

    var capabilities: BackendCapabilities { base.capabilities.subtracting(.mentionList) }

    func send(_ item: OutboxItem) async throws(BackendError) -> Message {
        var item = item
        item.message = item.message.map { message in
            var message = message
            (message.data, message.customType, message.metaArrays) = ("", "", [])
            message.dropMentions()
            if var new = message.newMessage {
                (new.data, new.customType, new.metaArrays) = ("", "", [])
                (new.mentionType, new.mentionedUserIDs) = (.users, [])
                (new.mentionedMessageTemplate, new.translationTargetLanguages) = (nil, [])
                message.newMessage = new
            }
            return message
        }
        return try await base.send(item)
    }

    func update(
        _ messageID: MessageID, in channelURL: ChannelURL, with update: MessageUpdate,
        requestID: RequestID, epoch: ServerEpoch?
    ) async throws(BackendError) -> Message {
        var update = update
        if case .text(let all) = update {
            var params = UserMessageUpdateParams()
            params.text = all.text
            update = .text(params)
        }
        return try await base.update(
            messageID, in: channelURL, with: update, requestID: requestID, epoch: epoch)
    }
}

extension Message {
    fileprivate mutating func dropMentions() {
        (mentionType, mentionedUserIDs, mentionedMessageTemplate) = (.users, [], nil)
        translationTargetLanguages = []
    }
}
