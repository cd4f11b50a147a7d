public import Models
public import Sync

/// A server that can be reached through a backend, as ``BackendConformance`` asks for it.
///
/// Only ``users``, ``makeBackend(for:)`` and ``makeRequestID()`` have to be written. What a check needs
/// and the subject does not have makes the check be skipped, with the reason in the report.
public protocol ConformanceSubject: Sendable {
    /// At least three users who may connect, and share no channel that other people write to.
    var users: [Credentials] { get }

    /// Makes what one more device of a user would have; it is not connected yet.
    ///
    /// Where its feed has nothing to tell, it has to answer with an empty batch: best at once, else when
    /// the server ends the wait. One that waits for ever makes checks wait that look for silence.
    func makeBackend(for user: Credentials) async throws -> any Backend

    /// Returns a request id that was never used on this server; see ``RequestIDs``.
    func makeRequestID() -> RequestID

    /// Makes a group channel that some users have joined, where users cannot do so themselves.
    ///
    /// The default returns `nil`: then the first of the users creates it with the backend, and the
    /// others accept if they are invited.
    ///
    /// - Parameters:
    ///   - name: Its name.
    ///   - users: Who joins it; the first is the one who moderates it.
    /// - Returns: The new channel, in which there is no message yet; `nil` if it cannot be made so.
    /// - Throws: Whatever went wrong; the check fails with it.
    func makeChannel(named name: String, for users: [Credentials]) async throws -> ChannelURL?

    /// What ``perform(_:)`` can do; none by default.
    var hooks: Set<ConformanceHook> { get }

    /// Does something to the server that its users cannot do.
    ///
    /// - Parameter hook: One of ``hooks``.
    /// - Throws: Whatever went wrong; the check fails with it.
    func perform(_ hook: ConformanceHook) async throws

    /// By how much the clocks differ that give messages their times; zero by default.
    ///
    /// Where they differ at all, a message may have its position before one that was sent earlier:
    /// `send.order` is not checked then. Whatever else is promised holds on such servers too.
    var clockSkew: Duration { get }

    /// How many empty batches of a feed are pulled in a row before what was expected counts as
    /// missing; 5 by default.
    ///
    /// A hundred times as many are pulled that tell of other things.
    var patience: Int { get }

    /// How long one check may take; the default, `nil`, asks no clock.
    ///
    /// A check that is not over by then fails, and its task is canceled.
    var deadline: Duration? { get }
}

extension ConformanceSubject {
    /// Makes none.
    public func makeChannel(
        named name: String, for users: [Credentials]
    ) async throws -> ChannelURL? { nil }

    /// None.
    public var hooks: Set<ConformanceHook> { [] }

    /// Is not called, since there are no hooks.
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
    /// What is missing without which no check can run; `nil` if nothing is.
    var lack: String? { users.count < 3 ? "the subject names fewer than three users" : nil }
}

/// What a host may be able to do to its server, so that more can be checked.
public enum ConformanceHook: String, CaseIterable, Hashable, Sendable {
    /// The server stops, and starts again with what it had stored; no device of before is used again.
    case restartServer

    /// The server forgets what changed up to now, so that the cursors and tokens that it has given
    /// cannot be gone on from; users, channels and messages stay.
    case forgetPast

    /// The server's history breaks, as when it was restored from a backup: it has a new epoch.
    case breakHistory

    /// The server will not tell a device that was away each message that it missed: the next batch
    /// tells of holes in channels with more than a few.
    case openHoles

    /// The server's clock stands still, so that messages are created in the same millisecond.
    case stopTime

    /// The server's clock goes on; performed after each check that stopped it.
    case startTime
}
