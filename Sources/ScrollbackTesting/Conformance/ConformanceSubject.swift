public import Models
public import Sync

/// A server, and the backend that connects to it, to check with ``BackendConformance``.
///
/// Only ``users``, ``makeBackend(for:)`` and ``makeRequestID()`` are required. A check that needs
/// an optional method or a hook is skipped if the subject does not implement it. The report gives
/// the reason.
public protocol ConformanceSubject: Sendable {
    /// The users who may connect, at least three.
    ///
    /// If they have a channel in common, no other user may write in that channel during the checks.
    var users: [Credentials] { get }

    /// Returns the users for a check, which uses the first three of them.
    ///
    /// The default implementation returns ``users``. If the server limits the operations of a user,
    /// or channels of earlier checks slow down the feed, return new users for each check.
    ///
    /// - Parameter check: The check that is about to run.
    /// - Returns: At least three users, as for ``users``.
    /// - Throws: Any error; the check fails with it.
    func users(for check: ConformanceCheck) async throws -> [Credentials]

    /// Creates a backend for a new device of a user, without connecting it.
    ///
    /// If there are no events, the backend's feed must return an empty batch, either immediately or
    /// when the server ends the wait. Otherwise, checks that expect no event would never finish.
    func makeBackend(for user: Credentials) async throws -> any Backend

    /// Returns a request ID that was never used on this server; see ``RequestIDs``.
    func makeRequestID() -> RequestID

    /// A Boolean value that indicates whether users can only read; `false` by default.
    ///
    /// If it is `true`, `send`, `update` and `delete` of the backend must throw `unsupported`, and
    /// the suite does not check what these calls promise. The checks make their messages with
    /// ``write(_:as:)``.
    var isReadOnly: Bool { get }

    /// Changes the messages of a channel at the server, where users can only read.
    ///
    /// A subject that ``isReadOnly`` must implement this method.
    ///
    /// - Parameters:
    ///   - change: The change.
    ///   - user: The sender of the message, who is a member of the channel.
    /// - Returns: The ID of the message. When the method returns, lookups and the feed of the
    ///   backend must show the change.
    /// - Throws: Any error; the check fails with it.
    func write(_ change: ConformanceWrite, as user: Credentials) async throws -> MessageID

    /// Creates a group channel that the given users have joined, if users cannot create channels
    /// themselves.
    ///
    /// The default implementation returns `nil`. The checks then create the channel as the first
    /// user, and invited users accept.
    ///
    /// - Parameters:
    ///   - name: The name of the channel.
    ///   - users: The members of the channel. The first one is its operator.
    /// - Returns: The URL of the new channel, which has no messages; `nil` to create it with the
    ///   backend.
    /// - Throws: Any error; the check fails with it.
    func makeChannel(named name: String, for users: [Credentials]) async throws -> ChannelURL?

    /// Adds messages to the history of a channel, as an import of an old log does.
    ///
    /// The default implementation returns `false`, so that the checks of imports are skipped.
    ///
    /// - Parameter messages: Messages of one channel, with times and senders, but without IDs and
    ///   request IDs. They may be older than messages of the channel, and their senders need not be
    ///   members.
    /// - Returns: `true` if the channel's history now contains the messages; `false` if the server
    ///   cannot import messages.
    /// - Throws: Any error; the check fails with it.
    func importMessages(_ messages: [Message]) async throws -> Bool

    /// Delivers a message that was created earlier, as if another server had been unreachable until
    /// now.
    ///
    /// The default implementation returns `false`, so that the check of late messages is skipped.
    ///
    /// - Parameter message: A message with a time and a sender, but without an ID. The sender is a
    ///   member of the channel; the subject may replace it by another member.
    /// - Returns: `true` if the channel's history now contains the message, and the feed reports
    ///   it; `false` if messages cannot arrive late.
    /// - Throws: Any error; the check fails with it.
    func deliverLate(_ message: Message) async throws -> Bool

    /// Removes all messages that are older than a time, as a server does at the end of a retention
    /// period.
    ///
    /// The default implementation returns `false`, so that the checks of retention are skipped.
    ///
    /// - Parameter time: The creation time of the oldest message that is kept.
    /// - Returns: `true` if the server removed the older messages; `false` if it cannot remove
    ///   messages.
    /// - Throws: Any error; the check fails with it.
    func expireMessages(before time: Timestamp) async throws -> Bool

    /// Deletes all messages that a user has sent, as a moderation tool does.
    ///
    /// The default implementation returns `false`, so that the checks of purges are skipped.
    ///
    /// - Parameters:
    ///   - user: The user whose messages are deleted.
    ///   - url: The URL of the channel; `nil` for all channels.
    /// - Returns: `true` if the messages are deleted; `false` if the server cannot do this.
    /// - Throws: Any error; the check fails with it.
    func deleteMessages(of user: Credentials, in url: ChannelURL?) async throws -> Bool

    /// The fields of a message for which the server has no place; none by default.
    ///
    /// They are the JSON names of fields of `Message`, such as `translation_target_languages`. The
    /// checks of sending and editing accept messages without these fields. All calls must agree on
    /// them nevertheless. ``ConformanceFields/allButText`` are those of a server that has only texts.
    var unsupportedFields: Set<String> { get }

    /// The hooks that ``perform(_:)`` supports; none by default.
    var hooks: Set<ConformanceHook> { get }

    /// Performs an action on the server that its users cannot perform.
    ///
    /// - Parameter hook: One of ``hooks``.
    /// - Throws: Any error; the check fails with it.
    func perform(_ hook: ConformanceHook) async throws

    /// The maximum difference between the clocks from which messages get their times; zero by
    /// default.
    ///
    /// If it is not zero, a message may have an older position than a message that was sent before
    /// it. Therefore `send.order` is not checked; all other promises apply.
    var clockSkew: Duration { get }

    /// The number of consecutive empty feed batches after which a check stops waiting for an
    /// expected event and fails; 5 by default.
    ///
    /// If batches contain other events, a check requests at most a hundred times this number of
    /// batches.
    var patience: Int { get }

    /// A Boolean value that indicates whether the feed returns an empty batch at once if there are no
    /// events; `false` by default.
    ///
    /// It is `true` if the server can only be polled, or if the feed does not wait during the checks.
    /// The suite then does not check `feed.wait`.
    var answersFeedAtOnce: Bool { get }

    /// The maximum duration of a check; `nil`, the default, for no limit.
    ///
    /// A check that takes longer fails, and its task is canceled. If there is no limit, the checks
    /// use no clock.
    var deadline: Duration? { get }
}

extension ConformanceSubject {
    /// False, which is right for a server whose users can write.
    public var isReadOnly: Bool { false }

    /// Traps, because a subject that is read-only must implement this method.
    public func write(
        _ change: ConformanceWrite, as user: Credentials
    ) async throws -> MessageID {
        preconditionFailure("The subject is read-only, so it must implement `write(_:as:)`.")
    }

    /// Returns `nil`, so that the checks create the channel with the backend.
    public func makeChannel(
        named name: String, for users: [Credentials]
    ) async throws -> ChannelURL? { nil }

    /// Returns `false`, because the server cannot import messages.
    public func importMessages(_ messages: [Message]) async throws -> Bool { false }

    /// Returns ``users``, the same users for all checks.
    public func users(for check: ConformanceCheck) async throws -> [Credentials] { users }

    /// Returns `false`, because messages cannot arrive late.
    public func deliverLate(_ message: Message) async throws -> Bool { false }

    /// Returns `false`, because the server cannot remove messages.
    public func expireMessages(before time: Timestamp) async throws -> Bool { false }

    /// Returns `false`, because the server cannot delete all messages of a user.
    public func deleteMessages(
        of user: Credentials, in url: ChannelURL?
    ) async throws -> Bool { false }

    /// No fields.
    public var unsupportedFields: Set<String> { [] }

    /// No hooks.
    public var hooks: Set<ConformanceHook> { [] }

    /// Traps, because a subject with hooks must implement this method.
    public func perform(_ hook: ConformanceHook) async throws {
        preconditionFailure(
            "The subject declares the hook \(hook), so it must implement `perform`.")
    }

    /// Zero, which is right for a server with one clock or with equal clocks.
    public var clockSkew: Duration { .zero }

    /// Five batches.
    public var patience: Int { 5 }

    /// False, which is right for a feed that waits for events.
    public var answersFeedAtOnce: Bool { false }

    /// No limit.
    public var deadline: Duration? { nil }
}

extension ConformanceSubject {
    /// Returns the users for a check, or the reason why the check cannot run.
    func checkedUsers(for check: ConformanceCheck) async -> Result<[Credentials], Skipped> {
        do {
            let users = try await users(for: check)
            guard users.count < 3 else { return .success(users) }
            return .failure(Skipped(text: "the subject names fewer than three users"))
        } catch {
            return .failure(Skipped(text: "the subject has no users: \(error)"))
        }
    }
}

/// A change of messages that a subject makes at its server; see
/// ``ConformanceSubject/write(_:as:)``.
public enum ConformanceWrite: Hashable, Sendable {
    /// Adds a message to a channel.
    case send(NewMessage, in: ChannelURL)
    /// Edits a message.
    case edit(MessageID, in: ChannelURL, UserMessageUpdateParams)
    /// Deletes a message.
    case delete(MessageID, in: ChannelURL)
}

/// Sets of fields for ``ConformanceSubject/unsupportedFields``.
public enum ConformanceFields {
    /// The fields of a message that a server lacks if its messages have only a text: custom data and
    /// types, meta arrays, mentions and translations.
    public static let allButText: Set<String> = [
        "custom_type", "data", "mention_type", "mentioned_message_template", "mentioned_user_ids",
        "sorted_metaarray", "translation_target_languages",
    ]
}

/// An action on the server that a subject may support, and that some checks need.
public enum ConformanceHook: String, CaseIterable, Hashable, Sendable {
    /// Stops the server, and restarts it with its stored data.
    ///
    /// Devices that were created before are not used again.
    case restartServer

    /// Discards the server's record of past changes.
    ///
    /// Earlier cursors of the feed and tokens of changelogs then cannot be resumed. Users, channels
    /// and messages are kept.
    case discardLog

    /// Rolls back the server's history, as a restore from a backup does, so that the server has a
    /// new epoch.
    case breakHistory

    /// Makes the server report truncations.
    ///
    /// If more than a few messages of a channel were sent while a device was offline, the feed then
    /// omits some of them.
    case openTruncations

    /// Stops the server's clock, so that messages are created in the same millisecond.
    case stopTime

    /// Starts the server's clock again.
    ///
    /// It is performed after each check that stopped the clock.
    case startTime
}
