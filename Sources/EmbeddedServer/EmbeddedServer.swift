public import Foundation
public import Models
import Store
public import Sync

/// A complete chat server inside the process, with any number of users and devices.
///
/// The server fulfills every promise of `Backend`, so that an app can run, be tested and be
/// demonstrated without a network. ``client(waits:)`` creates a device:
///
/// ```swift
/// let server = try EmbeddedServer.inMemory()
/// let alice = server.client()
/// _ = try await alice.connect(as: Credentials("alice"))
/// _ = try await alice.perform(CreateChannel(GroupChannelCreateParams("general", url: "general")))
/// ```
///
/// The server has its own database. If it is opened in a directory, it continues with the data
/// there, and earlier cursors stay valid. Its ``conditions`` simulate the behavior of other
/// servers.
///
/// The class is thread-safe. Requests are executed one after the other.
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

    /// Opens a server in a directory, with the data that the directory contains.
    ///
    /// - Parameters:
    ///   - directory: The directory of the files. If the directory does not exist, it is created;
    ///     its parent directory must exist. Only one server at a time can open a directory.
    ///   - isDurable: A Boolean value that indicates whether the changes of a request are synced to
    ///     disk (`fsync`) before its response, so that they survive a power failure. The default is
    ///     `false`: changes survive a crash of the process, but not a power failure.
    ///   - seed: The seed of all random behavior. With the time, it also determines the epoch of a
    ///     new server: caches cannot distinguish two servers that were created at the same time
    ///     with the same seed.
    ///   - now: The server's clock.
    /// - Throws: `serverFailure` if the files cannot be read or are in use.
    public convenience init(
        at directory: URL, isDurable: Bool = false, seed: UInt64 = 0,
        now: @escaping @Sendable () -> Timestamp = { Timestamp(Date()) }
    ) throws(BackendError) {
        try self.init(directory.path, .disk(), isDurable: isDurable, seed: seed, now: now)
    }

    /// Creates a server without files.
    ///
    /// - Parameters:
    ///   - seed: The seed of all random behavior. With the time, it also determines the epoch of
    ///     the server: caches cannot distinguish two servers that were created at the same time
    ///     with the same seed.
    ///   - now: The server's clock.
    /// - Returns: The server.
    /// - Throws: `serverFailure` if there is not enough memory.
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
    /// - Parameter waits: A Boolean value that indicates whether the device's feed waits for
    ///   events. If it is `false`, the feed returns an empty batch immediately, which suits tests
    ///   that proceed step by step.
    /// - Returns: The device, which is not connected yet.
    public func client(waits: Bool = true) -> EmbeddedClient {
        let (number, conditions) = state.withLock { state in
            defer { state.nextClient += 1 }
            return (state.nextClient, state.conditions)
        }
        return EmbeddedClient(self, number, conditions, waits: waits)
    }

    /// Sets the function that executes the requests of a type, such as one that an app declares.
    ///
    /// It applies to the devices that are created afterwards. The closure may call the methods of
    /// the server.
    ///
    /// - Parameters:
    ///   - type: The type of the requests.
    ///   - handle: A closure that receives a request and the user who has made it.
    public func on<Request: BackendRequest>(
        _ type: Request.Type,
        _ handle: @escaping @Sendable (Request, UserID) throws(BackendError) -> Request.Answer
    ) {
        custom.withLock { $0.append { $0.onApp(type, handle) } }
    }

    var customRequests: [@Sendable (inout EmbeddedRequests) -> Void] { custom.withLock { $0 } }

    /// The conditions that simulate the behavior of other servers.
    ///
    /// A change applies from the next request.
    public var conditions: ServerConditions {
        get { state.withLock { $0.conditions } }
        set { state.withLock { $0.conditions = newValue.clamped } }
    }

    /// Performs a request on the server's state as one transaction.
    func perform<Result: Sendable>(
        _ body: @Sendable (ServerState) throws(BackendError) -> Result
    ) throws(BackendError) -> Result {
        try state.withLock { (state) throws(BackendError) in
            try state.perform { () throws(BackendError) in try body(state) }
        }
    }

    /// Reads the server's state, or changes those parts of it that are not stored.
    func withState<Result: Sendable>(_ body: (ServerState) -> Result) -> Result {
        state.withLock { body($0) }
    }
}

extension EmbeddedServer {
    /// The users with a connected device whose feed call is not waiting, so that the device may
    /// lack events.
    package var usersWithPendingEvents: Set<UserID> {
        withState { state in Set(state.sessions.values.filter { $0.waiter == nil }.map(\.userID)) }
    }
}
