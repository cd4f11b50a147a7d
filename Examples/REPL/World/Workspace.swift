import Foundation
import Scrollback

/// What the commands work on: a world of devices, the store that is open, and what is observed of it.
///
/// One for each run of the prompt. Until somebody connects, it has a new store in memory; then the
/// store is that of the device, if no other one was opened.
@MainActor final class Workspace {
    /// Tells the time that drafts are written at.
    let now: () -> Timestamp

    /// How many columns a line has.
    var width = 100

    /// Is called with what is told while no command runs.
    var onNews: ([Event]) -> Void = { _ in }

    /// Is called with how far a long command is; `nil` when it is over.
    var onProgress: (String?) -> Void = { _ in }

    /// How long a command waits at most for what it has begun.
    var patience = Duration.seconds(10)

    private let options: World.Options
    private var made: World?
    private var isPerforming = false
    private var opened: Opened = .notYet
    /// What there is to play with until there is a device or a store is opened.
    private var scratch: ChatStore?
    private var observation: ObservedChanges?
    private var told: [Event] = []

    private enum Opened {
        case notYet
        case open(ChatStore)
        case closed
    }

    /// Creates a workspace, whose store is made when a command first asks for it.
    init(
        _ options: World.Options = World.Options(),
        now: @escaping () -> Timestamp = { Timestamp(Date()) }
    ) {
        self.options = options
        self.now = now
    }

    /// The store that is open.
    var store: ChatStore {
        get throws {
            switch opened {
            case .open(let store): return store
            case .closed:
                throw CommandError.failed("no store is open: store open opens one")
            case .notYet:
                if let engine = try? device?.client.engine() { return engine.store }
                if let scratch { return scratch }
                let store = try ChatStore.inMemory()
                scratch = store
                return store
            }
        }
    }

    /// Where the store is that is open; `nil` if none is.
    var place: String? {
        if case .closed = opened { return nil }
        return (try? store)?.place
    }

    /// Opens a store instead of the one that is open; in memory where there is no directory.
    ///
    /// If that fails, the other stays.
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

    /// Closes the store, and ends what is observed of it; then the device's is the one again.
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
    /// The server and the devices; made when a command first asks for it.
    var world: World {
        get throws {
            if let made { return made }
            let world = try World(options)
            world.onNews = { [weak self] in self?.hear(of: $0) }
            made = world
            return world
        }
    }

    /// The device that commands are given to; `nil` before there is one.
    var device: Device? { made?.current }

    /// What stands before the line that is typed.
    var prompt: String {
        guard let device else { return "scrollback> " }
        return "\(device.name)\(device.collection.map { " \($0.channelURL)" } ?? "")> "
    }

    /// Ends everything.
    func end() async {
        if case .open(let store) = opened { store.close() }
        await made?.close()
        made = nil
    }

    /// Runs a command, and adds what was told while it ran.
    func perform(
        _ body: () async throws -> Command.Reply
    ) async throws -> Command.Reply {
        isPerforming = true
        defer { isPerforming = false }
        let reply: Command.Reply
        do {
            reply = try await body()
        } catch {
            await made?.settle(within: patience)
            told = deviceNews()
            throw error
        }
        if !reply.isLast, let made {
            await made.settle(within: patience)
            if !made.clock.goes { try await made.pass(.seconds(1)) }
        }
        told = deviceNews()
        return reply
    }

    /// What the device was told, and the one that a single command went to.
    private func deviceNews() -> [Event] {
        let news = device?.takeNews() ?? []
        guard let visited = made?.visited, visited !== device else { return news }
        made?.visited = nil
        return news + visited.takeNews().map { $0.told(to: visited.name) }
    }

    private func hear(of device: Device) {
        guard !isPerforming, device === self.device else { return }
        let news = device.takeNews()
        if !news.isEmpty { onNews(news) }
    }
}

extension ChatStore {
    /// Where it is, in words.
    var place: String { directory.map { "in \($0.path)" } ?? "in memory" }
}

// MARK: Observing

extension Workspace {
    /// Observes a part of the store from now on, instead of what was observed before.
    ///
    /// - Returns: The number of the last change that is not told any more.
    func observe(_ part: ObservedPart) throws -> Int {
        let (snapshot, changes) = try store.observe(part)
        observation = changes
        return snapshot.number
    }

    /// Ends what is observed, and returns whether anything was.
    func unobserve() -> Bool {
        defer { observation = nil }
        return observation != nil
    }

    /// What was told since the last call, an event for each change of the observed part, and then what
    /// the device was told.
    func news() -> [Event] {
        defer { told = [] }
        let changes = observation?.drain().map { change in
            Event(.storeChanged, change.line, [.change: change.number])
        }
        return (changes ?? []) + told
    }
}
