import EmbeddedServer
import Foundation
import Scrollback
import Store

/// A server, and the devices of its users.
@MainActor
final class World {
    struct Options {
        /// The directory of all data; `nil` to keep data in memory.
        var home: URL?

        var host = HostChoice.embedded

        var start: Timestamp?

        var encryptionKey: EncryptionKey?

        /// The maximum number of events of a source that are shown at once.
        var eventLimit = 12

        /// Returns the backend that a device uses in place of the server's.
        var wrapBackend: (any Backend) -> any Backend = { $0 }
    }

    let options: Options
    let clock: WorldClock
    let host: any Host

    private(set) var devices: [Device] = []

    private(set) var current: Device?

    var clientOptions: ChatClientOptions = {
        var options = ChatClientOptions()
        options.storage = .inMemory
        return options
    }()

    var backup: Backup?

    var onEvent: (Device) -> Void = { _ in }

    var askSecret: (_ question: String) async -> String? = { _ in nil }

    init(_ options: Options) throws {
        self.options = options
        clock = WorldClock(manualTime: options.start)
        host = try options.host.make(in: options.home, clock)
    }

    /// The embedded server; throws an error if there is none.
    var server: EmbeddedServer {
        get throws {
            guard let server = host.server else {
                throw CommandError.failed(
                    host.failure
                        ?? "this command needs the embedded server: "
                        + "start the prompt without --matrix")
            }
            return server
        }
    }

    func close() async {
        for device in devices { await device.close() }
        devices = []
        current = nil
        host.close()
    }

    // MARK: Devices

    /// The reason why a device stores nothing on disk, with advice, if any.
    var notStored: String? {
        devices.lazy.compactMap(\.client.cachingError).first.map {
            "nothing is stored on disk: \(sentence(of: $0))"
        }
    }

    /// Returns the device with a name, created if necessary.
    func device(_ name: String) async throws -> Device {
        if let device = devices.first(where: { $0.name == name }) { return device }
        guard let userID = Device.userID(of: name) else {
            throw CommandError.failed(
                "'\(name)' names no device: a device is USER, or USER@NAME with a name without dots"
            )
        }
        let device = try await makeDevice(name, of: userID)
        devices.append(device)
        return device
    }

    func use(_ device: Device) { current = device }

    /// The device of `as DEVICE`, if it is not the current one.
    var visited: Device?

    /// Ends a device and starts it again, as if the user had restarted the app.
    func relaunch(_ device: Device) async throws -> Device {
        guard let index = devices.firstIndex(where: { $0 === device }) else { return device }
        await device.close()
        let again = try await makeDevice(
            device.name, of: device.userID, on: (device.network, device.account))
        devices[index] = again
        if current === device { current = again }
        return again
    }

    private func makeDevice(
        _ name: String, of userID: UserID, on earlier: (ConditionedBackend, Account)? = nil
    ) async throws -> Device {
        let clock = clock
        let (network, account): (ConditionedBackend, Account)
        if let earlier {
            (network, account) = earlier
        } else {
            let (backend, found) = try await host.makeBackend(
                for: userID, device: name, asking: askSecret)
            account = Account(found)
            network = ConditionedBackend(self.options.wrapBackend(backend)) {
                try await clock.sleep($0, of: "network of \(name)")
            }
        }
        var options = clientOptions
        options.now = { clock.now }
        options.sleep = { try await clock.sleep($0, of: name) }
        options.jitter = { clock.isRunning ? .random(in: 0...1) : 0 }
        options.renewSession = { account.credentials }
        options.makeRequestID = requestIDs(of: name)
        if let home = self.options.home {
            options.storage = .directory(try directory(of: name, in: home))
            options.encryptionKey = self.options.encryptionKey
        }
        let device = try await Device(
            name, of: userID, network: network, account: account, options: options,
            eventLimit: self.options.eventLimit)
        device.onEvent = { [weak self, weak device] in
            if let self, let device { onEvent(device) }
        }
        return device
    }

    var otherDeviceNames: [String] {
        let running = Set(devices.map(\.name))
        return World.keptDeviceNames(in: options.home).filter { !running.contains($0) }
    }

    /// The options of clients for all devices, also those that do not run now.
    var storageOptions: [ChatClientOptions] {
        get throws {
            let directories = try options.home.flatMap { try World.deviceDirectories(in: $0) }
            return (directories ?? []).map {
                var options = clientOptions
                options.storage = .directory($0)
                options.encryptionKey = self.options.encryptionKey
                return options
            }
        }
    }

    var storedUsers: [StoredUser] {
        get async throws {
            var users: [StoredUser] = []
            for options in try storageOptions {
                users += try await ChatClient.storedUsers(options: options)
            }
            return users
        }
    }

    /// Returns the devices' directories in a home, without links, which may lead to other programs'
    /// files; `nil` if it has none.
    static func deviceDirectories(in home: URL) throws -> [URL]? {
        let devices = home.appending(path: "devices")
        let files = FileManager.default
        guard files.fileExists(atPath: devices.path) else { return nil }
        try files.checkIsNoLink(devices)
        return try files.contentsOfDirectory(atPath: devices.path).sorted()
            .map { devices.appending(path: $0) }.filter { !files.isLink($0) }
    }

    static func keptDeviceNames(in home: URL?) -> [String] {
        guard let home else { return [] }
        // Ignore the error: there are no devices.
        let directories = (try? deviceDirectories(in: home)) ?? []
        // Omit encrypted devices, named by a hyphen and a hash.
        return directories.map(\.lastPathComponent).filter { !$0.hasPrefix("-") }
            .compactMap(\.removingPercentEncoding).sorted()
    }

    /// Returns the directory of a device, and creates it if necessary.
    ///
    /// With a key, its name contains a hash, which hides the user's ID. A directory of an earlier
    /// run without the key is renamed; the client opens its plain stores only after
    /// `client encrypt`.
    private func directory(of name: String, in home: URL) throws -> URL {
        let devices = home.appending(path: "devices")
        let encoded =
            name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "device"
        // A percent-encoded name contains no hyphen.
        let (plain, hidden) = (
            devices.appending(path: encoded),
            devices.appending(path: "-" + name.hashedFileName)
        )
        let files = FileManager.default
        try files.createPrivateDirectory(at: devices)
        let hasKey = options.encryptionKey != nil
        if hasKey, !files.fileExists(atPath: hidden.path), files.fileExists(atPath: plain.path) {
            try files.moveItem(at: plain, to: hidden)
        }
        // Without the key, the client reports that the device is encrypted.
        let chosen = hasKey || files.fileExists(atPath: hidden.path) ? hidden : plain
        try files.createPrivateDirectory(at: chosen)
        return chosen
    }

    /// Returns a closure that creates short request IDs.
    ///
    /// If the server or the devices keep earlier IDs, those of each run differ.
    private func requestIDs(of name: String) -> @Sendable () -> RequestID {
        let last = Locked(0)
        let run =
            options.home == nil && host.server != nil
            ? "" : String(UInt32.random(in: 0..<36 * 36 * 36 * 36), radix: 36)
        return {
            let number = last.withLock { last in
                last += 1
                return last
            }
            return RequestID("\(name)-\(run)\(run.isEmpty ? "" : "-")\(number)")
        }
    }

    // MARK: Time

    func pass(_ duration: Duration) async throws {
        guard !clock.isRunning else { return try await Task.sleep(for: duration) }
        let end = clock.now.advanced(by: duration)
        while let next = clock.nextEnd, next <= end {
            clock.advance(by: max(.zero, clock.now.duration(to: next)))
            await waitUntilIdle(within: .seconds(10))
        }
        clock.advance(by: max(.zero, clock.now.duration(to: end)))
    }

    // MARK: Settling

    /// Waits until no device has work at the current time, and all notifications have arrived.
    func waitUntilIdle(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        var quietChecks = 0
        while quietChecks < 2, ContinuousClock.now < end, !Task.isCancelled {
            if await isQuiet() {
                quietChecks += 1
                await Task.yield()
            } else {
                quietChecks = 0
                // A canceled task stops waiting.
                try? await Task.sleep(for: .microseconds(200))
            }
        }
    }

    private func isQuiet() async -> Bool {
        var listeners: Set<UserID> = []
        for device in devices {
            switch await device.activity(clock) {
            case .busy: return false
            case .listening: listeners.insert(device.userID)
            case .resting: break
            }
        }
        if let server = host.server, !server.usersWithPendingEvents.isDisjoint(with: listeners) {
            return false
        }
        for device in devices where await device.activity(clock) == .busy { return false }
        return true
    }
}

extension Device {
    fileprivate enum Activity { case busy, listening, resting }

    fileprivate func activity(_ clock: WorldClock) async -> Activity {
        // Before a user has connected, there is no engine.
        guard let engine = try? client.engine else { return .resting }
        let state = await engine.state
        // Wait for the notification of the engine's last state.
        guard hasReported(state), client.unreadCount == state.unreadCount else { return .busy }
        let callCount = await engine.callCount
        let (moving, delayedCount, heldCount) = network.callsInFlight
        let sleeperCount = clock.sleeperCount(of: "network of \(name)")
        let isPaused = sleeperCount + heldCount > 0
        switch state.connection {
        case .connecting: return isPaused ? .resting : .busy
        case .online:
            // A call may be between the engine and the network, or its sleep may have ended.
            let isBetween =
                callCount > moving.count + delayedCount + heldCount
                || delayedCount > sleeperCount
            guard !isBetween, moving.allSatisfy({ $0 == .feed }) else { return .busy }
            if !isPaused, await engine.hasWaitingCaller { return .busy }
            // If the engine has stopped its feed, as for a damaged cache, nothing will happen.
            return moving.isEmpty ? .resting : .listening
        case .waiting: return await engine.isRenewingSession ? .busy : .resting
        case .offline, .revoked: return .resting
        }
    }
}

extension [StoredUser] {
    /// The size of the files of all users, in bytes; sparse files may have any size.
    var byteCount: Int { reduce(0) { $0.saturating(adding: $1.byteCount) } }
}
