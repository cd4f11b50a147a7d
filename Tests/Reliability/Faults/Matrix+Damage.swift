import EmbeddedServer
import Foundation
import Models
import Store
import Sync

// Damage to complete files, which are truncated or have flipped bytes.
extension Matrix {
    /// The files of a world at the end of its day, with pending outbox items.
    ///
    /// Each database of the device has tables and a log.
    struct Template {
        let directory: URL
        let promised: [ChannelURL: [String]]
        let heard: [ChannelURL: Set<MessageID>]
        /// The length of the outbox's log before the last item was written.
        let lastWrite: Int
    }

    func damage(_ fault: Fault, _ outcome: inout Outcome) async throws {
        try await withDirectory { directory in
            let template = try await template(in: directory)
            let parts = fault.files
            let names = try FileManager.default
                .contentsOfDirectory(atPath: directory.appending(path: parts.database).path)
                .filter { $0.hasPrefix(parts.name) || $0.hasSuffix(parts.name) }.sorted()
            for name in names {
                let path = "\(parts.database)/\(name)"
                let bytes = try Data(contentsOf: directory.appending(path: path))
                for place in places(fault, template, bytes.count) {
                    try await withDirectory(copying: directory) { copy in
                        var damaged = bytes
                        if fault.isCut {
                            damaged = damaged.prefix(place)
                        } else {
                            damaged[place] ^= 1 << UInt8(place % 8)
                        }
                        try damaged.write(to: copy.appending(path: path))
                        try await survive(in: copy, template, fault, &outcome)
                    }
                }
            }
        }
    }

    /// Damages tables of the cache.
    ///
    /// The device sends its outbox items before the cache is repaired.
    func useDamagedCache(_ outcome: inout Outcome) async throws {
        try await withDirectory { directory in
            let template = try await template(in: directory)
            let cache = directory.appending(path: "device/cache")
            let names = try FileManager.default.contentsOfDirectory(atPath: cache.path)
                .filter { $0.hasSuffix(".ldb") }.sorted()
            for name in names {
                let bytes = try Data(contentsOf: cache.appending(path: name))
                let step = max(1, bytes.count / 64) * stride
                for place in Swift.stride(from: 0, to: bytes.count, by: step) {
                    try await withDirectory(copying: directory) { copy in
                        var damaged = bytes
                        damaged[place] ^= 1 << UInt8(place % 8)
                        try damaged.write(to: copy.appending(path: "device/cache/\(name)"))
                        let world = try await World(in: copy, process: 2)
                        (world.promised, world.heard) = (template.promised, template.heard)
                        outcome.injected += 1
                        outcome.promised += world.promised.values.reduce(0) { $0 + $1.count }
                        var part = Outcome()
                        try await sendAll(world, &part)
                        try await recover(world, &part)
                        part.lost = try await world.lost()
                        part.expectReplacement(after: .usedDamagedCache)
                        outcome.add(part)
                        await world.close()
                    }
                }
            }
        }
    }

    /// Waits until a device with a damaged cache has sent its outbox items, and closes the device.
    private func sendAll(_ world: World, _ outcome: inout Outcome) async throws {
        try open(world, &outcome)
        _ = try await world.engine?.connect(as: Credentials("bob"))
        try await world.until { try $0.outboxItems().isEmpty }
        recordReplacement(in: world, &outcome)
        if world.store?.cacheDamage != nil { outcome.record(report: "storageDamage.cache") }
        await world.closeDevice()
    }

    /// Returns the offsets of the bytes to damage.
    ///
    /// These are all bytes of a small file or of the end of a log, or about 512 bytes of a large
    /// file.
    private func places(_ fault: Fault, _ template: Template, _ count: Int) -> [Int] {
        switch fault {
        case .tornCacheLog:
            Array(Swift.stride(from: max(0, count - 1_024), to: count, by: stride))
        case .tornOutboxLog: Array(Swift.stride(from: template.lastWrite, to: count, by: stride))
        default: Array(Swift.stride(from: 0, to: count, by: max(1, count / 512) * stride))
        }
    }

    func survive(
        in copy: URL, _ template: Template, _ fault: Fault, _ outcome: inout Outcome
    ) async throws {
        let world = try await World(in: copy, process: 2)
        (world.promised, world.heard) = (template.promised, template.heard)
        if fault == .tornOutboxLog {
            // The write of the last item is torn, so it did not return, and the item was not
            // promised.
            world.promised[World.channels[World.channels.count - 1]]?.removeLast()
        }
        outcome.injected += 1
        outcome.promised += world.promised.values.reduce(0) { $0 + $1.count }
        var part = Outcome()
        try await recover(world, &part) { world, part in
            if fault == .contradictoryRows { try check(world, &part) }
        }
        part.lost = try await world.lost()
        if part.lost > 0 && part.reported.isEmpty {
            part.record(report: "nothing, if the cut was between two commits")
            // If a log was cut between two commits, it is a valid shorter log, so the loss cannot
            // be detected.
            if fault != .cutOutboxLog { part.violations.append("a loss was not reported") }
        }
        part.expectReplacement(after: fault)
        outcome.add(part)
        await world.close()
    }

    func template(in directory: URL) async throws -> Template {
        let world = try await World(in: directory)
        try world.openDevice()
        try await world.performDay()
        await world.closeDevice()
        for name in ["cache", "outbox"] {
            let database = try LevelDB(at: world.device.appending(path: name).path)
            try database.compact()
            database.close()
        }
        // The existing items are now in a table. They and the items that follow are in flight when
        // the process ends.
        world.network.hold([.send])
        world.network.goOnline()
        try world.openDevice()
        try await world.connect()
        try await world.receive()
        try await world.write()
        func sizeOfLog() throws -> Int {
            let files = world.device.appending(path: "outbox")
            let names = try FileManager.default.contentsOfDirectory(atPath: files.path)
            return try names.filter { $0.hasSuffix(".log") }
                .reduce(0) { try $0 + Data(contentsOf: files.appending(path: $1)).count }
        }
        var sizes: [Int] = []
        try await world.write { _ in sizes.append((try? sizeOfLog()) ?? 0) }
        await world.close()
        return Template(
            directory: directory, promised: world.promised, heard: world.heard,
            lastWrite: sizes.dropLast().last ?? 0)
    }
}

extension Outcome {
    /// Requires that messages are missing only from a replaced cache, or after the end of a torn
    /// log.
    fileprivate mutating func expectReplacement(after fault: Fault) {
        let isReplaced = reported["replacedCache"] != nil || reported["isCacheNew"] != nil
        if missing > 0, !isReplaced, !fault.isCut {
            violations.append("messages were missing, but the cache was not replaced")
        }
    }
}

extension Fault {
    fileprivate var isCut: Bool {
        switch self {
        case .tornCacheLog, .tornOutboxLog, .cutOutboxLog: true
        default: false
        }
    }

    /// The files that the fault damages: the database, and how the names of its files begin or end.
    fileprivate var files: (database: String, name: String) {
        switch self {
        case .tornCacheLog, .flippedCacheLog: ("device/cache", ".log")
        case .flippedCacheTable: ("device/cache", ".ldb")
        case .flippedCacheManifest: ("device/cache", "MANIFEST")
        case .flippedCacheCurrent: ("device/cache", "CURRENT")
        case .flippedOutboxTable: ("device/outbox", ".ldb")
        case .flippedOutboxManifest: ("device/outbox", "MANIFEST")
        case .flippedOutboxCurrent: ("device/outbox", "CURRENT")
        default: ("device/outbox", ".log")
        }
    }
}
