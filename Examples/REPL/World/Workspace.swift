import Foundation
import Scrollback

/// The state of a run of the prompt: a world of devices, and the open store.
///
/// Without `store open`, the open store is that of the current device or, before a user has
/// connected, a new one in memory.
@MainActor final class Workspace {
    let now: () -> Timestamp

    /// The width of a line in columns.
    var width = 100

    /// Called with the events that arrive while no command runs.
    var onEvent: ([Event]) -> Void = { _ in }

    /// Called with the progress of a long command, and with `nil` at its end.
    var onProgress: (String?) -> Void = { _ in }

    /// Asks the user for a secret; returns `nil` if the user enters none.
    var askSecret: (_ question: String) async -> String? = { _ in nil }

    var patience = Duration.seconds(10)

    var hasEnded = false

    private let options: World.Options
    private var made: World?
    private var isPerforming = false
    private var opened: Opened = .notYet
    /// The open store in memory, until there is a device or another store.
    private var scratch: ChatStore?
    private var observation: ObservedChanges?
    private var reported: [Event] = []

    private enum Opened {
        case notYet
        case open(ChatStore)
        case closed
    }

    init(
        _ options: World.Options = World.Options(),
        now: @escaping () -> Timestamp = { Timestamp(Date()) }
    ) {
        self.options = options
        self.now = now
    }

    var notStored: String? { made?.notStored }

    var encryptionKey: EncryptionKey? { options.encryptionKey }

    /// Waits for an operation, at most for ``patience``; `what` begins the error.
    func withinPatience<Value: Sendable>(
        _ what: String, _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let patience = patience
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else {
                throw CommandError.failed("\(what) after \(patience.components.seconds) s")
            }
            return value
        }
    }

    var store: ChatStore {
        get throws {
            switch opened {
            case .open(let store): return store
            case .closed:
                throw CommandError.failed("no store is open: store open opens one")
            case .notYet:
                // Do not show an empty store in place of a device without open files.
                if let device {
                    guard let engine = try? device.client.engine else {
                        throw CommandError.failed("no user is connected: type \(firstStep)")
                    }
                    return engine.store
                }
                if let scratch { return scratch }
                let store = try ChatStore.inMemory()
                scratch = store
                return store
            }
        }
    }

    var place: String? {
        if case .closed = opened { return nil }
        return (try? store)?.place
    }

    /// Opens a store in a directory or in memory, and then closes the earlier one.
    func open(_ directory: URL?, key: EncryptionKey? = nil) throws -> ChatStore {
        if case .open(let store) = opened, let directory,
            store.directory?.standardizedFileURL.path == directory.standardizedFileURL.path
        {
            throw CommandError.failed("\(directory.path) is open already")
        }
        let store =
            if let directory {
                try ChatStore(at: directory, encryptionKey: key ?? options.encryptionKey)
            } else {
                try ChatStore.inMemory()
            }
        close()
        opened = .open(store)
        return store
    }

    /// Closes the store that was opened; the device's is then the open one again.
    func close() {
        if case .open(let store) = opened { store.close() }
        scratch?.close()
        scratch = nil
        opened = device == nil ? .closed : .notYet
        observation = nil
    }
}

// MARK: The world

extension Workspace {
    var world: World {
        get throws {
            if let made { return made }
            let world = try World(options)
            world.onEvent = { [weak self] in self?.report(of: $0) }
            world.askSecret = { [weak self] in await self?.askSecret($0) }
            made = world
            return world
        }
    }

    /// The names of devices of earlier runs in the directory that do not run now.
    var keptDeviceNames: [String] {
        made?.otherDeviceNames ?? World.keptDeviceNames(in: options.home)
    }

    var firstStep: String {
        if let name = keptDeviceNames.first {
            return "connect \(name.visible.oneLine); devices lists all"
        }
        return options.host.isEmbedded ? "connect alice, or demo" : "connect @alice:localhost"
    }

    var device: Device? { made?.current }

    var prompt: String {
        guard let device else { return "scrollback> " }
        let channel = device.collection.map { " \($0.channelURL)" } ?? ""
        return "\(device.name)\(channel)> ".oneLine
    }

    func end() async {
        if case .open(let store) = opened { store.close() }
        await made?.close()
        made = nil
    }

    func perform(_ body: () async throws -> any Reply) async throws -> any Reply {
        isPerforming = true
        defer { isPerforming = false }
        let reply: any Reply
        do {
            reply = try await body()
        } catch {
            await made?.waitUntilIdle(within: patience)
            reported = deviceEvents()
            throw error
        }
        if !hasEnded, let made {
            await made.waitUntilIdle(within: patience)
            if !made.clock.isRunning { try await made.pass(.seconds(1)) }
        }
        reported = deviceEvents()
        return reply
    }

    /// Removes and returns the events of the current device, and of that of `as DEVICE`.
    private func deviceEvents() -> [Event] {
        let events = device?.removeEvents() ?? []
        guard let visited = made?.visited, visited !== device else { return events }
        made?.visited = nil
        return events + visited.removeEvents().map { $0.received(by: visited.name) }
    }

    private func report(of device: Device) {
        guard !isPerforming, device === self.device else { return }
        let events = device.removeEvents()
        if !events.isEmpty { onEvent(events) }
    }
}

extension ChatStore {
    var place: String { directory.map { "in \($0.path)" } ?? "in memory" }
}

// MARK: Observing

extension Workspace {
    /// Observes a part of the store from now on, instead of an earlier one, and returns the last
    /// change's number.
    func observe(_ part: ObservedPart) throws -> Int {
        let (snapshot, changes) = try store.observe(part)
        observation = changes
        return snapshot.number
    }

    /// `true` for a change only of the connection, which all observers receive.
    private func isOnlyOfConnection(_ change: Change) -> Bool {
        observation?.part != .everything
            && change.operations.allSatisfy { operation in
                if case .ephemeral(.connection) = operation { true } else { false }
            }
    }

    func unobserve() -> Bool {
        defer { observation = nil }
        return observation != nil
    }

    /// Removes and returns the events: one for each change of the observed part, then the devices'
    /// events.
    func events() -> [Event] {
        defer { reported = [] }
        let changes = observation?.drain().filter { !isOnlyOfConnection($0) } ?? []
        return changes.map { Event("store_changed", $0.line, ["change": $0.number]) } + reported
    }
}
