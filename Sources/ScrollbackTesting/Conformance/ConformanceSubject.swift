public import Models
public import Sync

/// A server and the backend that connects to it, for ``BackendConformance``.
///
/// Only ``users``, ``makeBackend(for:)`` and ``makeRequestID()`` are required. Checks that need
/// more than the subject provides are skipped, with the reason in the report.
public protocol ConformanceSubject: Sendable {
    /// At least three users who may connect, and who share no channel in which other users write.
    var users: [Credentials] { get }

    /// Creates the backend of another device of a user, not yet connected.
    ///
    /// If its feed has nothing to report, it must respond with an empty batch: ideally at once,
    /// otherwise when the server ends the wait. A feed that waits forever blocks the checks that
    /// expect no event.
    func makeBackend(for user: Credentials) async throws -> any Backend

    /// Returns a request ID that was never used on this server; see ``RequestIDs``.
    func makeRequestID() -> RequestID

    /// Creates a group channel that users have joined, for servers on which users cannot do so
    /// themselves.
    ///
    /// The default implementation returns `nil`: the first user then creates the channel with the
    /// backend, and the other users accept if they are invited.
    ///
    /// - Parameters:
    ///   - name: The name of the channel.
    ///   - users: The users who join; the first one is the operator.
    /// - Returns: The URL of the new channel, which has no messages; `nil` to create it with the
    ///   backend.
    /// - Throws: Any error; the check fails with it.
    func makeChannel(named name: String, for users: [Credentials]) async throws -> ChannelURL?

    /// Adds messages to the history of a channel, as an import of an old log does, if the server
    /// can.
    ///
    /// The default returns `false`, and the checks of imports are skipped.
    ///
    /// - Parameter messages: Messages of one channel, with their times and senders, and without ids
    ///   or request ids. They may be older than messages of the channel, and a sender need not be a
    ///   member.
    /// - Returns: A Boolean value that indicates whether the messages are in the channel's history
    ///   now; `false` if the server imports nothing.
    /// - Throws: Any error; the check fails with it.
    func importMessages(_ messages: [Message]) async throws -> Bool

    /// Removes the messages of all channels that were created before a time, as a retention period
    /// does, if the server can.
    ///
    /// The default returns `false`, and the checks of retention are skipped.
    ///
    /// - Parameter time: The creation time of the oldest message that stays.
    /// - Returns: A Boolean value that indicates whether the older messages are removed; `false` if
    ///   the server keeps them.
    /// - Throws: Any error; the check fails with it.
    func expireMessages(before time: Timestamp) async throws -> Bool

    /// The hooks that ``perform(_:)`` supports. The default is none.
    var hooks: Set<ConformanceHook> { get }

    /// Performs an action on the server that its users cannot perform.
    ///
    /// - Parameter hook: One of ``hooks``.
    /// - Throws: Any error; the check fails with it.
    func perform(_ hook: ConformanceHook) async throws

    /// The maximum difference of the clocks that give messages their times. The default is zero.
    ///
    /// If the clocks differ at all, a message may have an older position than a message that was
    /// sent before it: `send.order` is not checked then. All other promises apply to such servers
    /// too.
    var clockSkew: Duration { get }

    /// The number of consecutive empty feed batches after which an expected event counts as
    /// missing. The default is 5.
    ///
    /// The limit for batches with other events is a hundred times as high.
    var patience: Int { get }

    /// The maximum duration of a check. The default is `nil`: no limit, and no use of a clock.
    ///
    /// A check that exceeds it fails, and its task is canceled.
    var deadline: Duration? { get }
}

extension ConformanceSubject {
    /// Returns `nil`: the channel is created with the backend.
    public func makeChannel(
        named name: String, for users: [Credentials]
    ) async throws -> ChannelURL? { nil }

    /// Returns `false`: nothing is imported.
    public func importMessages(_ messages: [Message]) async throws -> Bool { false }

    /// Returns `false`: nothing is removed.
    public func expireMessages(before time: Timestamp) async throws -> Bool { false }

    /// None.
    public var hooks: Set<ConformanceHook> { [] }

    /// Traps: a subject with hooks must implement this method.
    public func perform(_ hook: ConformanceHook) async throws {
        preconditionFailure("\(hook) is among the hooks, so `perform` has to be written.")
    }

    /// Zero: one clock, or several that agree.
    public var clockSkew: Duration { .zero }

    /// Five.
    public var patience: Int { 5 }

    /// None.
    public var deadline: Duration? { nil }
}

extension ConformanceSubject {
    /// The reason why no check can run; `nil` if there is none.
    var lack: String? { users.count < 3 ? "the subject names fewer than three users" : nil }
}

/// An action of a host on its server that enables more checks.
public enum ConformanceHook: String, CaseIterable, Hashable, Sendable {
    /// The server stops and restarts with its stored data. Earlier devices are not used again.
    case restartServer

    /// The server discards its record of past changes, so that earlier cursors and tokens cannot be
    /// resumed. Users, channels and messages are kept.
    case forgetPast

    /// The server's history is rolled back, as after a restore from a backup: it has a new epoch.
    case breakHistory

    /// The server does not report each missed message to a device that was offline: the next batch
    /// has truncations of channels with more than a few messages.
    case openTruncations

    /// The server's clock stops, so that messages are created in the same millisecond.
    case stopTime

    /// The server's clock continues; performed after each check that stopped it.
    case startTime
}
