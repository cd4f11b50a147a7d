public import Models
public import Sync

/// A server, and the backend that connects to it, to check with ``BackendConformance``.
///
/// Only ``users``, ``makeBackend(for:)`` and ``makeRequestID()`` are required. A check is skipped
/// without an optional method or hook that it needs. If a method throws an error, the check fails
/// with it.
public protocol ConformanceSubject: Sendable {
    /// The users who may connect, at least three.
    ///
    /// No other user may write in their common channels during the checks.
    var users: [Credentials] { get }

    /// Returns at least three users for a check that is about to run; by default ``users``.
    ///
    /// If the server limits each user's operations, or channels of earlier checks slow down the
    /// feed, return new users for each check.
    func users(for check: ConformanceCheck) async throws -> [Credentials]

    /// Creates a backend for a new device of a user, without connecting it.
    ///
    /// Without events, its feed must return an empty batch at some time: checks that expect no
    /// event would never finish otherwise.
    func makeBackend(for user: Credentials) async throws -> any Backend

    /// Returns a request ID that was never used on this server; see ``RequestIDs``.
    func makeRequestID() -> RequestID

    /// A Boolean value that indicates whether users can only read; `false` by default.
    ///
    /// If so, `send`, `update` and `delete` must throw `unsupported`, and their promises are not
    /// checked. The checks make their messages with ``write(_:as:)``.
    var isReadOnly: Bool { get }

    /// Changes the messages of a channel at the server as one of its members, and returns the
    /// message's ID.
    ///
    /// When the method returns, lookups and the feed must show the change. Only a subject that
    /// ``isReadOnly`` needs this method.
    func write(_ change: ConformanceWrite, as user: Credentials) async throws -> MessageID

    /// Creates an empty group channel that the users have joined, the first one as operator, and
    /// returns its URL.
    ///
    /// The default implementation returns `nil`: the checks then create the channel as the first
    /// user, and invited users accept.
    func makeChannel(named name: String, for users: [Credentials]) async throws -> ChannelURL?

    /// Adds messages to the history of a channel, as an import of an old log does.
    ///
    /// The messages are of one channel, with times and senders, but without IDs and request IDs.
    /// They may be older than existing ones, and their senders need not be members. The default
    /// implementation returns `false`, which skips the checks of imports.
    func importMessages(_ messages: [Message]) async throws -> Bool

    /// Delivers an older message, as if another server had been unreachable until now.
    ///
    /// The message has a time and a sender, but no ID. The subject may replace the sender by
    /// another member of the channel. If the result is `true`, the channel's history contains the
    /// message, and the feed reports it. The default implementation returns `false`, which skips
    /// the check of late messages.
    func deliverLate(_ message: Message) async throws -> Bool

    /// Removes all messages before a time, as a server does at the end of a retention period.
    ///
    /// The default implementation returns `false`, which skips the checks of retention.
    func expireMessages(before time: Timestamp) async throws -> Bool

    /// Deletes all messages of a user, in one channel or, if `url` is `nil`, in all.
    ///
    /// The default implementation returns `false`, which skips the checks of purges.
    func deleteMessages(of user: Credentials, in url: ChannelURL?) async throws -> Bool

    /// The fields of a message for which the server has no place; none by default.
    ///
    /// The checks of sending and editing accept messages without these fields of `Message`, given
    /// by JSON names such as `translation_target_languages`. All calls must agree on them
    /// nevertheless. ``ConformanceFields/allButText`` are those of a server with only texts.
    var unsupportedFields: Set<String> { get }

    /// A Boolean value that indicates whether the backend implements the changelogs; `true` by
    /// default.
    ///
    /// It is `false` if the server has only a feed. The checks of changelogs are then skipped.
    var hasChangelogs: Bool { get }

    /// The hooks that ``perform(_:)`` supports; none by default.
    var hooks: Set<ConformanceHook> { get }

    /// Performs one of ``hooks``, an action on the server that its users cannot perform.
    func perform(_ hook: ConformanceHook) async throws

    /// The maximum difference between the clocks of the server; zero by default.
    ///
    /// If it is not zero, a message may have an older position than one that was sent before it,
    /// and `send.order` is not checked.
    var clockSkew: Duration { get }

    /// The number of consecutive empty feed batches after which a check that waits for an event
    /// fails; 5 by default.
    ///
    /// If batches contain other events, a check requests at most a hundred times this number.
    var patience: Int { get }

    /// A Boolean value that indicates whether the feed returns an empty batch at once without
    /// events; `false` by default.
    ///
    /// It is `true` if the server can only be polled. `feed.wait` is then not checked.
    var answersFeedAtOnce: Bool { get }

    /// The maximum duration of a check, after which it fails; `nil`, the default, for no limit.
    ///
    /// Without a limit, the checks use no clock.
    var deadline: Duration? { get }
}

extension ConformanceSubject {
    /// False.
    public var isReadOnly: Bool { false }

    /// True.
    public var hasChangelogs: Bool { true }

    /// Traps: a subject that is read-only must implement this method.
    public func write(
        _ change: ConformanceWrite, as user: Credentials
    ) async throws -> MessageID {
        preconditionFailure("The subject is read-only, so it must implement `write(_:as:)`.")
    }

    /// Returns `nil`.
    public func makeChannel(
        named name: String, for users: [Credentials]
    ) async throws -> ChannelURL? { nil }

    /// Returns `false`.
    public func importMessages(_ messages: [Message]) async throws -> Bool { false }

    /// Returns ``users``.
    public func users(for check: ConformanceCheck) async throws -> [Credentials] { users }

    /// Returns `false`.
    public func deliverLate(_ message: Message) async throws -> Bool { false }

    /// Returns `false`.
    public func expireMessages(before time: Timestamp) async throws -> Bool { false }

    /// Returns `false`.
    public func deleteMessages(
        of user: Credentials, in url: ChannelURL?
    ) async throws -> Bool { false }

    /// No fields.
    public var unsupportedFields: Set<String> { [] }

    /// No hooks.
    public var hooks: Set<ConformanceHook> { [] }

    /// Traps: a subject with hooks must implement this method.
    public func perform(_ hook: ConformanceHook) async throws {
        preconditionFailure(
            "The subject declares the hook \(hook), so it must implement `perform`.")
    }

    /// Zero.
    public var clockSkew: Duration { .zero }

    /// Five batches.
    public var patience: Int { 5 }

    /// False.
    public var answersFeedAtOnce: Bool { false }

    /// No limit.
    public var deadline: Duration? { nil }
}

extension ConformanceSubject {
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

/// A change of messages for ``ConformanceSubject/write(_:as:)``.
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
    /// The fields that a server lacks if messages have only a text: custom data and types, meta
    /// arrays, mentions and translations.
    public static let allButText: Set<String> = [
        "custom_type", "data", "mention_type", "mentioned_message_template", "mentioned_user_ids",
        "sorted_metaarray", "translation_target_languages",
    ]
}

/// An action on the server that some checks need.
public enum ConformanceHook: String, CaseIterable, Hashable, Sendable {
    /// Restarts the server with its stored data; earlier devices are not used again.
    case restartServer

    /// Discards the server's record of past changes, so that earlier feed cursors and changelog
    /// tokens expire; all data is kept.
    case discardLog

    /// Rolls back the server's history, as restoring a backup does, so that it has a new epoch.
    case breakHistory

    /// Makes the feed omit messages of a channel, with a truncation, if more than a few were sent
    /// while a device was offline.
    case openTruncations

    /// Stops the server's clock, so that messages are created in the same millisecond.
    case stopTime

    /// Starts the server's clock again, after each check that stopped it.
    case startTime
}
