package import Foundation
import Store

/// Injects each kind of fault, and counts the effects.
package struct Matrix: Sendable {
    /// The directory for all files.
    ///
    /// It is in memory if the system has such a directory.
    let place: URL
    /// The distance between two damaged bytes of a file.
    ///
    /// If it is 1, each byte is damaged in turn.
    let stride: Int

    package init(in place: URL, stride: Int = 1) {
        self.place = place
        self.stride = stride
    }

    /// Injects a fault at every possible point.
    package func run(_ fault: Fault) async throws -> Outcome {
        var outcome = Outcome()
        switch fault {
        case .killed: try await kill(["cache", "outbox"], &outcome)
        case .killedWithFiles: try await kill(["files"], &outcome)
        case .powerLostWithFiles: try await losePowerWithFiles(&outcome)
        case .damagedFiles: try await damageFiles(&outcome)
        case .powerLost: try await losePower(&outcome)
        case .tornCacheLog, .tornOutboxLog, .cutOutboxLog, .flippedCacheLog, .flippedCacheTable,
            .flippedCacheManifest, .flippedCacheCurrent, .flippedOutboxLog, .flippedOutboxTable,
            .flippedOutboxManifest, .flippedOutboxCurrent:
            try await damage(fault, &outcome)
        case .contradictoryRows: try await contradict(&outcome)
        case .usedDamagedCache: try await useDamagedCache(&outcome)
        case .fullDisk: try await failWrites(with: ENOSPC, &outcome)
        case .readOnlyDisk: try await failWrites(with: EROFS, &outcome)
        case .deniedFiles, .lockedFiles, .wrongKey, .newerSchema:
            try await refuseOpening(fault, &outcome)
        default: try await trouble(fault, &outcome)
        }
        if outcome.lost > 0 && !fault.destroysOutboxItems {
            outcome.violations.append("\(outcome.lost) promised messages are lost")
        }
        return outcome
    }

    // MARK: Directories

    func scratch() -> URL { place.appending(path: UUID().uuidString) }

    /// Creates a directory, or copies one, passes it to a closure, and removes it afterwards.
    func withDirectory<Result>(
        copying template: URL? = nil, _ body: (URL) async throws -> Result
    ) async throws -> Result {
        let directory = scratch()
        if let template { try FileManager.default.copyItem(at: template, to: directory) }
        defer { try? FileManager.default.removeItem(at: directory) }
        return try await body(directory)
    }

    // MARK: After the fault

    /// Reopens the device's files as an app would, synchronizes the device with the server, and
    /// records the results.
    func recover(
        _ world: World, _ outcome: inout Outcome, key: EncryptionKey? = nil,
        whenOpen use: (World, inout Outcome) throws -> Void = { _, _ in }
    ) async throws {
        let start = ContinuousClock.now
        try open(world, &outcome, key)
        try use(world, &outcome)
        outcome.stored += world.heard.values.reduce(0) { $0 + $1.count }
        outcome.missing += try world.unheard()
        try await agree(world, &outcome, since: start)
    }

    /// Synchronizes the device with the server, and compares their data.
    func agree(
        _ world: World, _ outcome: inout Outcome, since start: ContinuousClock.Instant
    ) async throws {
        _ = world.waits.take()
        for call in try await world.heal() { outcome.record(call: call) }
        recordReplacement(in: world, &outcome)
        outcome.times.append(.now - start)
        outcome.waited = max(outcome.waited, world.waits.take())
        outcome.violations += try await world.violations()
    }

    /// Records that the engine has replaced the cache since the last call.
    func recordReplacement(in world: World, _ outcome: inout Outcome) {
        if world.reported.takeReplacement() { outcome.record(report: "replacedCache") }
    }

    /// Opens a device, and records what the opening reports.
    func open(_ world: World, _ outcome: inout Outcome, _ key: EncryptionKey? = nil) throws {
        try world.openDevice(key: key)
        guard let report = world.store?.openingReport else { return }
        if report.replacedCache != nil { outcome.record(report: "replacedCache") }
        if report.isCacheNew { outcome.record(report: "isCacheNew") }
        if report.cacheLogs.hasTornTail { outcome.record(report: "cacheLogs.hasTornTail") }
        if report.outboxDamage != nil { outcome.record(report: "outboxDamage") }
        if report.isOutboxRebuilt { outcome.record(report: "isOutboxRebuilt") }
        if report.outboxLoss != nil { outcome.record(report: "outboxLoss") }
        if report.outboxLogs.hasTornTail { outcome.record(report: "outboxLogs.hasTornTail") }
        if report.isOutboxLost { outcome.record(report: "isOutboxLost") }
    }
}
