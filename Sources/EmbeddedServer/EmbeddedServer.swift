public import Foundation
public import Models
import Store
public import Sync

/// A complete chat server inside the process, with any number of users and devices.
///
/// The server fulfills every promise of `Backend`, so that an app can run without a network.
/// ``client(waits:)`` creates a device:
///
/// ```swift
/// let server = try EmbeddedServer.inMemory()
/// let alice = server.client()
/// _ = try await alice.connect(as: Credentials("alice"))
/// _ = try await alice.perform(CreateChannel(GroupChannelCreateParams("general", url: "general")))
/// ```
///
/// A server that is opened in a directory continues with its data, and earlier cursors stay valid.
/// Its ``conditions`` simulate other servers.
///
/// The class is thread-safe. It executes requests one after the other.
public final class EmbeddedServer: Sendable {
    private let state: Locked<ServerState>
    private let custom = Locked<[@Sendable (inout EmbeddedRequests) -> Void]>([])

    private init(
        _ path: String, _ environment: LevelDB.Environment, isDurable: Bool, seed: UInt64,
        now: @escaping @Sendable () -> Timestamp
    ) throws(BackendError) {
        let database = try ServerDatabase(at: path, environment, isDurable: isDurable)
        state = Locked(try ServerState(database, seed: seed, now: now))
    }

    /// Opens a server in a directory, with its data.
    ///
    /// - Parameters:
    ///   - directory: The directory, which is created if it does not exist. Only one server at a
    ///     time can open it.
    ///   - isDurable: `true` to sync changes to disk (`fsync`) before the response, so that they
    ///     survive a power failure, not only a crash.
    ///   - seed: The seed of all random behavior and, with the time, of a new server's epoch:
    ///     caches cannot distinguish servers with the same time and seed.
    ///   - now: The server's clock.
    /// - Throws: `serverFailure` if the files cannot be read or are in use.
    public convenience init(
        at directory: URL, isDurable: Bool = false, seed: UInt64 = 0,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) throws(BackendError) {
        // Opening the files reports the error.
        try? FileManager.default.createDirectory(
            at: directory.deletingLastPathComponent(), withIntermediateDirectories: true)
        try self.init(directory.path, .disk(), isDurable: isDurable, seed: seed, now: now)
    }

    /// Creates a server without files, with a seed as in ``init(at:isDurable:seed:now:)``.
    ///
    /// The call throws `serverFailure` without enough memory.
    public static func inMemory(
        seed: UInt64 = 0, now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) throws(BackendError) -> EmbeddedServer {
        try EmbeddedServer("/embedded-server", .memory(), isDurable: false, seed: seed, now: now)
    }

    /// Closes the files, and ends pending calls.
    ///
    /// Later requests fail with `notConnected`.
    public func close() {
        state.withLock { state in
            for client in Array(state.sessions.keys) { state.disconnect(client) }
            state.isClosed = true
            state.database.close()
        }
    }

    /// Creates a device, with which one user at a time can connect.
    ///
    /// If `waits` is false, the device's feed returns an empty batch instead of waiting, for tests
    /// that proceed step by step.
    public func client(waits: Bool = true) -> EmbeddedClient {
        let (number, conditions) = state.withLock { state in
            defer { state.nextClient += 1 }
            return (state.nextClient, state.conditions)
        }
        return EmbeddedClient(self, number, conditions, waits: waits)
    }

    /// Sets the function that executes the requests of a type, for devices created afterwards.
    ///
    /// The closure receives a request and the user who has made it, and may call the methods of the
    /// server.
    public func on<Request: BackendRequest>(
        _ type: Request.Type,
        _ handle: @escaping @Sendable (Request, UserID) throws(BackendError) -> Request.Answer
    ) {
        custom.withLock { $0.append { $0.onApp(type, handle) } }
    }

    var customRequests: [@Sendable (inout EmbeddedRequests) -> Void] { custom.withLock { $0 } }

    /// The conditions that simulate other servers; a change applies from the next request.
    public var conditions: ServerConditions {
        get { state.withLock { $0.conditions } }
        set { state.withLock { $0.conditions = newValue.clamped } }
    }

    /// Executes a request as one transaction.
    func perform<Result: Sendable>(
        _ body: @Sendable (ServerState) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try state.withLock { (state) throws(BackendError) in
            try state.perform { () throws(BackendError) in try body(state) }
        }
    }

    /// Calls a closure that reads the state, or changes unstored parts.
    func withState<Result: Sendable>(_ body: (ServerState) -> Result) -> Result {
        state.withLock { body($0) }
    }
}

extension EmbeddedServer {
    /// The users with a connected device that may lack events.
    package var usersWithPendingEvents: Set<UserID> {
        withState { state in Set(state.sessions.values.filter { $0.waiter == nil }.map(\.userID)) }
    }
}
