public import Models
public import Sync

/// A server, and the backend that connects to it, to check with ``BackendConformance``.
///
/// Only ``users``, ``makeBackend(for:)`` and ``makeRequestID()`` are required. A check that needs
/// an optional method or a hook is skipped without it, and the report gives the reason. If a method
/// throws an error, the check fails with it.
public protocol ConformanceSubject: Sendable {
    /// The users who may connect, at least three.
    ///
    /// No other user may write in a channel that they have in common during the checks.
    var users: [Credentials] { get }

    /// Returns at least three users for a check that is about to run; by default ``users``.
    ///
    /// If the server limits the operations of a user, or channels of earlier checks slow down the
    /// feed, return new users for each check.
    func users(for check: ConformanceCheck) async throws -> [Credentials]

    /// Creates a backend for a new device of a user, without connecting it.
    ///
    /// Without events, its feed must return an empty batch, immediately or when the server ends the
    /// wait: checks that expect no event would never finish otherwise.
    func makeBackend(for user: Credentials) async throws -> any Backend

    /// Returns a request ID that was never used on this server; see ``RequestIDs``.
    func makeRequestID() -> RequestID

    /// A Boolean value that indicates whether users can only read; `false` by default.
    ///
    /// If so, `send`, `update` and `delete` of the backend must throw `unsupported`, and the suite
    /// does not check what these calls promise. The checks make their messages with
    /// ``write(_:as:)``.
    var isReadOnly: Bool { get }

    /// Changes the messages of a channel at the server as one of its members, and returns the ID of
    /// the message.
    ///
    /// When the method returns, lookups and the feed of the backend must show the change. Only a
    /// subject that ``isReadOnly`` needs this method.
    func write(_ change: ConformanceWrite, as user: Credentials) async throws -> MessageID

    /// Creates a group channel without messages that the given users have joined, the first one as
    /// operator, and returns its URL.
    ///
    /// Implement it if users cannot create channels themselves. The default implementation returns
    /// `nil`: the checks then create the channel as the first user, and invited users accept.
    func makeChannel(named name: String, for users: [Credentials]) async throws -> ChannelURL?

    /// Adds messages to the history of a channel, as an import of an old log does.
    ///
    /// The messages are of one channel, with times and senders, but without IDs and request IDs.
    /// They may be older than messages of the channel, and their senders need not be members. The
    /// default implementation returns `false`, so that the checks of imports are skipped.
    func importMessages(_ messages: [Message]) async throws -> Bool

    /// Delivers a message that was created earlier, as if another server had been unreachable until
    /// now.
    ///
    /// The message has a time and a sender, but no ID. The sender is a member of the channel, whom
    /// the subject may replace by another member. If the result is `true`, the channel's history
    /// contains the message, and the feed reports it. The default implementation returns `false`,
    /// so that the check of late messages is skipped.
    func deliverLate(_ message: Message) async throws -> Bool

    /// Removes all messages that were created before a time, as a server does at the end of a
    /// retention period.
    ///
    /// The default implementation returns `false`, so that the checks of retention are skipped.
    func expireMessages(before time: Timestamp) async throws -> Bool

    /// Deletes all messages that a user has sent, in one channel or, if `url` is `nil`, in all, as
    /// a moderation tool does.
    ///
    /// The default implementation returns `false`, so that the checks of purges are skipped.
    func deleteMessages(of user: Credentials, in url: ChannelURL?) async throws -> Bool

    /// The fields of a message for which the server has no place; none by default.
    ///
    /// They are the JSON names of fields of `Message`, such as `translation_target_languages`,
    /// without which the checks of sending and editing accept messages. All calls must agree on
    /// them nevertheless. ``ConformanceFields/allButText`` are those of a server that has only
    /// texts.
    var unsupportedFields: Set<String> { get }

    /// The hooks that ``perform(_:)`` supports; none by default.
    var hooks: Set<ConformanceHook> { get }

    /// Performs an action on the server that its users cannot perform: one of ``hooks``.
    func perform(_ hook: ConformanceHook) async throws

    /// The maximum difference between the clocks from which messages get their times; zero by
    /// default.
    ///
    /// If it is not zero, a message may have an older position than one that was sent before it,
    /// and `send.order` is not checked.
    var clockSkew: Duration { get }

    /// The number of consecutive empty feed batches after which a check stops waiting for an
    /// expected event and fails; 5 by default.
    ///
    /// If batches contain other events, a check requests at most a hundred times this number.
    var patience: Int { get }

    /// A Boolean value that indicates whether the feed returns an empty batch at once if there are
    /// no events; `false` by default.
    ///
    /// It is `true` if the server can only be polled, or if the feed does not wait during the
    /// checks. The suite then does not check `feed.wait`.
    var answersFeedAtOnce: Bool { get }

    /// The maximum duration of a check, after which it fails and its task is canceled; `nil`, the
    /// default, for no limit.
    ///
    /// Without a limit, the checks use no clock.
    var deadline: Duration? { get }
}

extension ConformanceSubject {
    /// False.
    public var isReadOnly: Bool { false }

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
    /// The fields of a message that a server lacks if its messages have only a text: custom data
    /// and types, meta arrays, mentions and translations.
    public static let allButText: Set<String> = [
        "custom_type", "data", "mention_type", "mentioned_message_template", "mentioned_user_ids",
        "sorted_metaarray", "translation_target_languages",
    ]
}

/// An action on the server that a subject may support, and that some checks need.
public enum ConformanceHook: String, CaseIterable, Hashable, Sendable {
    /// Stops the server, and restarts it with its stored data; earlier devices are not used again.
    case restartServer

    /// Discards the server's record of past changes, so that earlier cursors of the feed and tokens
    /// of changelogs cannot be resumed. Users, channels and messages are kept.
    case discardLog

    /// Rolls back the server's history, as a restore from a backup does, so that it has a new
    /// epoch.
    case breakHistory

    /// Makes the feed omit some messages of a channel, with a truncation, if more than a few were
    /// sent while a device was offline.
    case openTruncations

    /// Stops the server's clock, so that messages are created in the same millisecond.
    case stopTime

    /// Starts the server's clock again, after each check that stopped it.
    case startTime
}
