import EmbeddedServer
import Foundation
import Scrollback

/// What the prompt plays in: a server, and users on their devices.
@MainActor
final class World {
    /// How a world is made.
    struct Options {
        /// Where everything is; `nil` for memory, of which nothing is left.
        var home: URL?

        /// Which server.
        var host = "embedded"

        /// When a clock stands that does not go by itself; `nil` for one that goes.
        var start: Timestamp?

        /// How many events of each kind are told at once; of more, the newest.
        var newsLimit = 12
        /// What the devices, and stores that are opened by hand, are encrypted with.
        var encryptionKey: EncryptionKey?
    }

    let options: Options
    let clock: WorldClock
    let host: any Host

    /// The devices, in the order in which they were made.
    private(set) var devices: [Device] = []

    /// The device that commands are given to.
    private(set) var current: Device?

    /// How the devices to come go about their work.
    var clientOptions = ChatClientOptions()

    /// What the server held when it was copied.
    var backup: Backup?

    /// Is called when a device has news.
    var onNews: (Device) -> Void = { _ in }

    init(_ options: Options) throws {
        self.options = options
        clock = WorldClock(standingAt: options.start)
        guard let makeHost = hosts[options.host] else {
            let names = hosts.keys.sorted().joined(separator: ", ")
            throw CommandError.failed("there is no backend '\(options.host)': there is \(names)")
        }
        host = try makeHost(options.home, clock)
    }

    /// The server, where it is within this process.
    var server: EmbeddedServer {
        get throws {
            guard let server = host.server else {
                throw CommandError.failed(
                    "the server is not within this process: only with --backend embedded")
            }
            return server
        }
    }

    /// Ends all devices, and the server.
    func close() async {
        for device in devices { await device.close() }
        devices = []
        current = nil
        host.close()
    }

    // MARK: Devices

    /// The device of a name, which is made if it is not there.
    func device(_ name: String) async throws -> Device {
        if let device = devices.first(where: { $0.name == name }) { return device }
        let device = try await makeDevice(name)
        devices.append(device)
        return device
    }

    /// Gives the commands to come to a device.
    func use(_ device: Device) { current = device }

    /// The device that a single command was given to, beside the current one.
    var visited: Device?

    /// Ends a device and makes it again, as when an application is quit and begun.
    func relaunch(_ device: Device) async throws -> Device {
        guard let index = devices.firstIndex(where: { $0 === device }) else { return device }
        await device.close()
        let again = try await makeDevice(device.name, on: device.network)
        devices[index] = again
        if current === device { current = again }
        return again
    }

    private func makeDevice(
        _ name: String, on network: ConditionedBackend? = nil
    ) async throws -> Device {
        let clock = clock
        let network =
            try network
            ?? ConditionedBackend(host.makeBackend()) {
                try await clock.sleep($0, of: "network of \(name)")
            }
        var options = clientOptions
        options.now = { clock.now }
        options.sleep = { try await clock.sleep($0, of: name) }
        options.jitter = { clock.goes ? .random(in: 0...1) : 0 }
        let userID = Device.userID(of: name)
        options.renewSession = { Credentials(userID) }
        options.makeRequestID = requestIDs(of: name)
        if let home = self.options.home {
            options.isLocalCachingEnabled = true
            options.encryptionKey = self.options.encryptionKey
            options.directory = try directory(of: name, in: home)
        }
        let device = await Device(
            name, network: network, options: options, newsLimit: self.options.newsLimit)
        device.onNews = { [weak self, weak device] in
            if let self, let device { onNews(device) }
        }
        return device
    }

    /// Whether there are caches of devices that do not run.
    var hasOtherDevices: Bool {
        guard let home = options.home else { return false }
        // A directory that is not there, or cannot be read, has none.
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: home.appending(path: "devices").path)
        return (names ?? []).count > devices.count
    }

    private func directory(of name: String, in home: URL) throws -> URL {
        let encoded =
            name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "device"
        let directory = home.appending(path: "devices/\(encoded)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    /// Short names, which people type; those on the disk have to differ from those of other runs.
    private func requestIDs(of name: String) -> @Sendable () -> RequestID {
        let last = Locked(0)
        let run =
            options.home == nil
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

    /// Lets time pass: a clock that stands is moved from one to the next thing that is due, and for one
    /// that goes it is waited.
    func pass(_ duration: Duration) async throws {
        guard !clock.goes else { return try await Task.sleep(for: duration) }
        let end = clock.now.later(by: duration)
        while let next = clock.nextEnd, next <= end {
            clock.advance(by: clock.now.duration(to: next))
            await settle(within: .seconds(10))
        }
        clock.advance(by: clock.now.duration(to: end))
    }

    // MARK: Settling

    /// Waits until all is done that is done without time passing, and every device has heard of it.
    ///
    /// - Parameter limit: How long it is waited at most.
    func settle(within limit: Duration) async {
        let end = ContinuousClock.now + limit
        var quietLooks = 0
        while quietLooks < 2, ContinuousClock.now < end, !Task.isCancelled {
            if await isQuiet() {
                quietLooks += 1
                await Task.yield()
            } else {
                quietLooks = 0
                // Canceled, it is waited for no more.
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
        if let server = host.server, !server.usersWithNews.isDisjoint(with: listeners) {
            return false
        }
        for device in devices where await device.activity(clock) == .busy { return false }
        return true
    }
}

extension Device {
    fileprivate enum Activity { case busy, listening, resting }

    fileprivate func activity(_ clock: WorldClock) async -> Activity {
        // Before anybody has connected, there is nothing to be busy with.
        guard let engine = try? client.engine() else { return .resting }
        // What sleeps goes on when time has passed, not now.
        let isSlow = clock.isSleeping("network of \(name)") || !network.held.isEmpty
        let state = await engine.state
        // What the engine told last has to have come here.
        guard hasHeard(state), client.unreadCount == state.unreadCount else { return .busy }
        switch state.connection {
        case .connecting: return isSlow ? .resting : .busy
        case .online:
            if isSlow { return .resting }
            return await engine.isAsking ? .busy : .listening
        case .offline, .waiting, .revoked: return .resting
        }
    }
}
