import Foundation
import Models
import ScrollbackFaultyDisks
import Store
import Sync

// Faults of the process and of the power, and a disk that refuses writes.
extension Matrix {
    /// Kills one process after another.
    ///
    /// Each process is killed before a later change to the disk than the previous one, until a
    /// process ends before it is killed.
    ///
    /// `parts` are the disks whose changes are counted: see ``InterruptedDay``.
    func kill(_ parts: [String], _ outcome: inout Outcome) async throws {
        for database in parts {
            for change in Swift.stride(from: 1, through: .max, by: stride) {
                let isOver = try await withDirectory { directory in
                    let day = try InterruptedDay(in: directory, killedAt: change, of: database)
                    guard !day.isOver else { return true }
                    outcome.injected += 1
                    let world = try await World(in: directory, process: 2)
                    (world.promised, world.heard) = (day.promises.written, day.promises.heard)
                    outcome.promised += day.promises.count
                    try await recover(world, &outcome)
                    outcome.lost += try await world.lost()
                    await world.close()
                    return false
                }
                if isOver { break }
            }
        }
        if outcome.missing > 0 {
            outcome.violations.append("\(outcome.missing) stored messages went with a process")
        }
    }

    /// Cuts the power after each step of a day.
    func losePower(_ outcome: inout Outcome) async throws {
        for count in 1...Step.day.count {
            try await withDirectory { directory in
                let world = try await World(in: directory)
                let disks = FailingDisks()
                try world.openDevice(on: disks)
                try await world.performDay(through: count)
                await world.engine?.close()
                guard let store = world.store else { return }
                try disks.cutPower(of: store, at: world.device)
                await world.closeDevice()
                outcome.injected += 1
                outcome.promised += world.promised.values.reduce(0) { $0 + $1.count }
                try await recover(world, &outcome)
                outcome.lost += try await world.lost()
                await world.close()
            }
        }
    }

    /// Makes changes to the disk fail while messages are sent and received, starting with a given
    /// change.
    ///
    /// Then the disk works again.
    func failWrites(with error: Int32, _ outcome: inout Outcome) async throws {
        for change in Swift.stride(from: 0, to: 24, by: stride) {
            try await withDirectory { directory in
                let world = try await World(in: directory)
                let disks = FailingDisks()
                try world.openDevice(on: disks)
                try await world.performDay(through: 4)
                for disk in disks.both { disk.fail(at: change + 1, with: error, once: false) }
                outcome.injected += 1
                try await world.say()
                for _ in 1...3 {
                    do {
                        try await world.write()
                    } catch let error as SyncError {
                        let code = (error.cause as? StoreError)?.code
                        outcome.record(report: "`send` throws \(code.map { "\($0)" } ?? "?")")
                    }
                }
                try await world.say()
                outcome.promised += world.promised.values.reduce(0) { $0 + $1.count }
                let start = ContinuousClock.now
                disks.heal()
                try await agree(world, &outcome, since: start)
                await world.closeDevice()
                for text in world.reported.all { outcome.record(report: text) }
                // All items for which the call of `write` returned must be on disk.
                try await recover(world, &outcome)
                outcome.lost += try await world.lost()
                await world.close()
            }
        }
    }

    /// Makes opening a device fail, which must change nothing.
    ///
    /// Then removes the cause.
    func refuseOpening(_ fault: Fault, _ outcome: inout Outcome) async throws {
        try await withDirectory { directory in
            let key = EncryptionKey((1...32).map { UInt8($0) })
            let world = try await World(in: directory)
            let ours = fault == .wrongKey ? key : nil
            try world.openDevice(key: ours)
            try await world.performDay()
            if fault != .lockedFiles { await world.closeDevice() }
            outcome.promised += world.promised.values.reduce(0) { $0 + $1.count }
            let version = world.device.appending(path: "VERSION")
            for _ in 1...10 {
                let disks = FailingDisks()
                var theirs = ours
                switch fault {
                case .deniedFiles: for disk in disks.both { disk.failOpening(with: EACCES) }
                case .wrongKey: theirs = EncryptionKey((2...33).map { UInt8($0) })
                case .newerSchema: try Data("1000\n".utf8).write(to: version)
                default: break
                }
                outcome.injected += 1
                do throws(StoreError) {
                    try disks.open(world.device, World.options, key: theirs).close()
                    outcome.violations.append("the files were opened")
                } catch {
                    outcome.record(report: "StoreError.\(error.code)")
                }
            }
            if fault == .newerSchema { try Data("1\n".utf8).write(to: version) }
            await world.closeDevice()
            try await recover(world, &outcome, key: ours)
            outcome.lost += try await world.lost()
            await world.close()
        }
    }
}
