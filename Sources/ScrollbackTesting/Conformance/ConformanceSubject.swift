public import Models
public import Sync

/// A server and the backend that connects to it, for ``BackendConformance``.
///
/// Only ``users``, ``makeBackend(for:)`` and ``makeRequestID()`` are required. Checks that need
/// more than the subject provides are skipped, with the reason in the report.
public protocol ConformanceSubject: Sendable {
    /// At least three users who may connect, and who share no channel in which anyone else writes.
    var users: [Credentials] { get }

    /// Returns the users of a check, of whom the first three take part.
    ///
    /// The default implementation returns ``users``. Return new users for each check if the server
    /// limits what a user does, or if its feed becomes slow with the channels of earlier checks.
    ///
    /// - Parameter check: The check that is about to run.
    /// - Returns: At least three users, as for ``users``.
    /// - Throws: Any error; the check fails with it.
    func users(for check: ConformanceCheck) async throws -> [Credentials]

    /// Creates a backend for another device of a user, not yet connected.
    ///
    /// If its feed has no events, it must respond with an empty batch, either immediately or when
    /// the server ends the wait. If a feed waits forever, checks that expect no event never finish.
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

    /// Adds messages to the history of a channel, as when an old log is imported.
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

    /// Lets a message arrive that was created earlier, as from another server that could not be
    /// reached for a while.
    ///
    /// The default implementation returns `false`, and the check of late messages is skipped.
    ///
    /// - Parameter message: A message with its time and its sender, who is a member of the channel,
    ///   but without an ID. Its sender may be replaced.
    /// - Returns: `true` if the message is now in the channel's history, and the feed reports it;
    ///   `false` if messages cannot arrive late.
    /// - Throws: Any error; the check fails with it.
    func deliverLate(_ message: Message) async throws -> Bool

    /// Removes the messages of all channels that were created before a time, as when a retention
    /// period ends.
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
    /// If it is not zero, a message may have an older position than a message that was sent before
    /// it, so `send.order` is not checked. All other promises apply to such servers too.
    var clockSkew: Duration { get }

    /// The number of consecutive empty feed batches after which an expected event counts as
    /// missing. The default is 5.
    ///
    /// Batches with other events are limited to a hundred times this number.
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

    /// Zero: one clock, or several that agree.
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

    /// The server discards its record of past changes, so that earlier cursors and tokens cannot be
    /// resumed. Users, channels and messages are kept.
    case forgetPast

    /// The server's history is rolled back, as after a restore from a backup, so that the server
    /// has a new epoch.
    case breakHistory

    /// The server starts to report truncations: a device that was offline does not receive each
    /// missed message of a channel with more than a few of them.
    case openTruncations

    /// The server's clock stops, so that messages are created in the same millisecond.
    case stopTime

    /// The server's clock runs again. Performed after each check that stopped it.
    case startTime
}
