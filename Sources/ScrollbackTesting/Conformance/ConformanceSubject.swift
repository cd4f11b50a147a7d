public import Models
public import Sync

/// A server and the backend that connects to it, for ``BackendConformance``.
///
/// Only ``users``, ``makeBackend(for:)`` and ``makeRequestID()`` are required. If a check needs
/// another method or hook that the subject does not implement, it is skipped, and the report
/// contains the reason.
public protocol ConformanceSubject: Sendable {
    /// At least three users who may connect. If they are members of a common channel, no other user
    /// may write in it during the checks.
    var users: [Credentials] { get }

    /// Returns the users for a check, which uses the first three of them.
    ///
    /// The default implementation returns ``users``. Return new users for each check if the server
    /// limits the operations of a user, or if the channels of earlier checks slow down its feed.
    ///
    /// - Parameter check: The check that is about to run.
    /// - Returns: At least three users, as for ``users``.
    /// - Throws: Any error; the check fails with it.
    func users(for check: ConformanceCheck) async throws -> [Credentials]

    /// Creates a backend for another device of a user, not yet connected.
    ///
    /// If there are no events, its feed must return an empty batch, either immediately or when the
    /// server ends the wait. If it waited forever, checks that expect no event would never finish.
    func makeBackend(for user: Credentials) async throws -> any Backend

    /// Returns a request ID that was never used on this server; see ``RequestIDs``.
    func makeRequestID() -> RequestID

    /// Creates a group channel that the given users have joined, on servers on which users cannot
    /// create channels themselves.
    ///
    /// The default implementation returns `nil`. The checks then create the channel as the first
    /// user, and the other users accept if they are invited.
    ///
    /// - Parameters:
    ///   - name: The name of the channel.
    ///   - users: The users who join; the first one is the operator.
    /// - Returns: The URL of the new channel, which has no messages; `nil` to create it with the
    ///   backend.
    /// - Throws: Any error; the check fails with it.
    func makeChannel(named name: String, for users: [Credentials]) async throws -> ChannelURL?

    /// Adds messages to the history of a channel, as an import of an old log does.
    ///
    /// The default implementation returns `false`, and the checks of imports are skipped.
    ///
    /// - Parameter messages: Messages of one channel, with times and senders, but without IDs and
    ///   request IDs. They may be older than existing messages of the channel, and a sender need
    ///   not be a member.
    /// - Returns: `true` if the messages are now in the channel's history; `false` if the server
    ///   cannot import.
    /// - Throws: Any error; the check fails with it.
    func importMessages(_ messages: [Message]) async throws -> Bool

    /// Delivers a message that was created earlier, as if it came from another server that could
    /// not be reached for a while.
    ///
    /// The default implementation returns `false`, and the check of late messages is skipped.
    ///
    /// - Parameter message: A message with a time and a sender, but without an ID. The sender is a
    ///   member of the channel; the subject may replace it by another member.
    /// - Returns: `true` if the message is now in the channel's history, and the feed reports it;
    ///   `false` if messages cannot arrive late.
    /// - Throws: Any error; the check fails with it.
    func deliverLate(_ message: Message) async throws -> Bool

    /// Removes all messages that were created before a time, as at the end of a retention period.
    ///
    /// The default implementation returns `false`, and the checks of retention are skipped.
    ///
    /// - Parameter time: The creation time of the oldest message that is kept.
    /// - Returns: `true` if the older messages were removed; `false` if the server cannot remove
    ///   them.
    /// - Throws: Any error; the check fails with it.
    func expireMessages(before time: Timestamp) async throws -> Bool

    /// The hooks that ``perform(_:)`` supports. The default is none.
    var hooks: Set<ConformanceHook> { get }

    /// Performs an action on the server that its users cannot perform.
    ///
    /// - Parameter hook: One of ``hooks``.
    /// - Throws: Any error; the check fails with it.
    func perform(_ hook: ConformanceHook) async throws

    /// The maximum difference between the clocks from which messages get their times. The default
    /// is zero.
    ///
    /// If it is not zero, a message may have an older position than a message that was sent
    /// earlier, so `send.order` is not checked. All other promises apply.
    var clockSkew: Duration { get }

    /// The number of consecutive empty feed batches after which an expected event counts as
    /// missing. The default is 5.
    ///
    /// If batches contain other events, at most a hundred times as many are requested.
    var patience: Int { get }

    /// The maximum duration of a check. The default is `nil`: no limit, and no use of a clock.
    ///
    /// A check that exceeds it fails, and its task is canceled.
    var deadline: Duration? { get }
}

extension ConformanceSubject {
    /// Returns `nil`, so that the checks create the channel with the backend.
    public func makeChannel(
        named name: String, for users: [Credentials]
    ) async throws -> ChannelURL? { nil }

    /// Returns `false`: the server cannot import.
    public func importMessages(_ messages: [Message]) async throws -> Bool { false }

    /// Returns ``users``: the same users for all checks.
    public func users(for check: ConformanceCheck) async throws -> [Credentials] { users }

    /// Returns `false`: messages cannot arrive late.
    public func deliverLate(_ message: Message) async throws -> Bool { false }

    /// Returns `false`: the server cannot remove messages.
    public func expireMessages(before time: Timestamp) async throws -> Bool { false }

    /// None.
    public var hooks: Set<ConformanceHook> { [] }

    /// Traps: a subject with hooks must implement this method.
    public func perform(_ hook: ConformanceHook) async throws {
        preconditionFailure(
            "The subject declares the hook \(hook), so it must implement `perform`.")
    }

    /// Zero: the server has one clock, or its clocks do not differ.
    public var clockSkew: Duration { .zero }

    /// Five.
    public var patience: Int { 5 }

    /// None.
    public var deadline: Duration? { nil }
}

extension ConformanceSubject {
    /// Returns the users of a check, or the reason why it cannot run.
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

/// An action on the server that the subject may support, and that enables more checks.
public enum ConformanceHook: String, CaseIterable, Hashable, Sendable {
    /// The server stops and restarts with its stored data. Devices that were created before are not
    /// used again.
    case restartServer

    /// The server discards its record of past changes, so that the feed and changelogs cannot be
    /// resumed at earlier cursors and tokens. Users, channels and messages are kept.
    case forgetPast

    /// The server's history is rolled back, as after a restore from a backup, so that the server
    /// has a new epoch.
    case breakHistory

    /// The server starts to report truncations: if more than a few messages of a channel were sent
    /// while a device was offline, the feed omits some of them.
    case openTruncations

    /// The server's clock stops, so that messages are created in the same millisecond.
    case stopTime

    /// The server's clock runs again. Performed after each check that stopped it.
    case startTime
}
