public import Foundation
public import Models
import Store

/// A whole chat server within the process: many users on many devices, on a database of its own.
///
/// It keeps every promise of `Backend`, so that an app can be tried, tested and shown without a
/// network. Each device is a ``client(waits:)`` of it:
///
/// ```swift
/// let server = try EmbeddedServer.inMemory()
/// let alice = server.client()
/// _ = try await alice.connect(as: Credentials("alice"))
/// _ = try await alice.createChannel(GroupChannelCreateParams("general", url: "general"))
/// ```
///
/// What it keeps outlives it: one that is opened in the same directory goes on where it was, and so do
/// the cursors that it has given. Its ``conditions`` make it behave as other servers do.
///
/// Safe for several threads; its requests are done one after the other.
public final class EmbeddedServer: Sendable {
    private let state: Locked<ServerState>

    private init(
        _ path: String, _ environment: LevelDB.Environment, isDurable: Bool, seed: UInt64,
        now: @escaping @Sendable () -> Timestamp
    ) throws(BackendError) {
        let database = try ServerDatabase(at: path, environment, isDurable: isDurable)
        state = Locked(try ServerState(database, seed: seed, now: now))
    }

    /// Starts a server on what a directory holds, or on nothing.
    ///
    /// - Parameters:
    ///   - directory: Where its files are. It is created where it is not; its parent has to be there.
    ///     One server at a time may have it.
    ///   - isDurable: Whether each request is on the disk before it is answered, and survives a loss
    ///     of power. By default, it survives the end of the process.
    ///   - seed: Chooses whatever ``conditions`` leave to chance and, with the time, the epoch of a new server:
    ///     a cache takes two that begin at one time with one seed for the same.
    ///   - now: The server's clock.
    /// - Throws: `serverFailure` if the files cannot be read, or somebody has them.
    public convenience init(
        at directory: URL, isDurable: Bool = false, seed: UInt64 = 0,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) throws(BackendError) {
        try self.init(directory.path, .disk(), isDurable: isDurable, seed: seed, now: now)
    }

    /// Starts a server that leaves nothing behind.
    ///
    /// - Parameters:
    ///   - seed: Chooses whatever ``conditions`` leave to chance and, with the time, the epoch of a new server:
    ///     a cache takes two that begin at one time with one seed for the same.
    ///   - now: The server's clock.
    /// - Throws: `serverFailure` if there is no memory for it.
    /// - Returns: The server.
    public static func inMemory(
        seed: UInt64 = 0, now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) throws(BackendError) -> EmbeddedServer {
        try EmbeddedServer("/embedded-server", .memory(), isDurable: false, seed: seed, now: now)
    }

    /// Lets go of the files; every later request fails as `notConnected`, and each call that waits ends.
    public func close() {
        state.withLock { state in
            for client in Array(state.sessions.keys) { state.disconnect(client) }
            state.isClosed = true
            state.database.close()
        }
    }

    /// Makes a device, on which one user at a time may connect.
    ///
    /// - Parameter waits: Whether its feed waits until there is something to tell. If not, it answers
    ///   at once with an empty batch, for tests that go step by step.
    /// - Returns: The device, on which nobody is connected yet.
    public func client(waits: Bool = true) -> EmbeddedClient {
        let (number, capabilities) = state.withLock { state in
            defer { state.nextClient += 1 }
            return (state.nextClient, state.conditions.capabilities)
        }
        return EmbeddedClient(self, number, capabilities, waits: waits)
    }

    /// How it behaves where servers differ; what is set counts from the next request on.
    public var conditions: ServerConditions {
        get { state.withLock { $0.conditions } }
        set {
            state.withLock { state in
                state.conditions = newValue.clamped
                for channel in state.channels.values { channel.shared = nil }
            }
        }
    }

    /// Does a request on the server's state, as a whole.
    func perform<Result: Sendable>(
        _ body: @Sendable (ServerState) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try state.withLock { (state) throws(BackendError) in
            try state.perform { () throws(BackendError) in try body(state) }
        }
    }

    /// Looks at the server's state, or changes what is not stored.
    func withState<Result: Sendable>(_ body: (ServerState) -> Result) -> Result {
        state.withLock { body($0) }
    }
}

extension EmbeddedServer {
    /// Who has not been told yet all that happened, on some device that is connected.
    package var usersWithNews: Set<UserID> {
        withState { state in Set(state.sessions.values.filter { $0.waiter == nil }.map(\.userID)) }
    }
}
