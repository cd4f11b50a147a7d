import Foundation
import Models
import ScrollbackFaultyDisks
import Store
import Sync

// Faults of the copies of outgoing files: power failures while a copy is created, and damage before
// the file is sent.
extension Matrix {
    /// The keys of the tested stores: none for an unencrypted store, and one for an encrypted one.
    private var keys: [EncryptionKey?] { [nil, EncryptionKey((1...32).map { UInt8($0) })] }

    /// Cuts the power before each change to the disk that sending a file makes.
    ///
    /// Unsynced writes are lost.
    func losePowerWithFiles(_ outcome: inout Outcome) async throws {
        for key in keys {
            for change in Swift.stride(from: 1, through: .max, by: stride) {
                let isOver = try await withDirectory { directory in
                    let world = try await World(in: directory)
                    let disks = FailingDisks()
                    try world.openDevice(on: disks, key: key)
                    try await world.perform(.connect)
                    try await world.perform(.goOffline)
                    let before = disks.outbox.changes
                    disks.outbox.cutPower(at: change)
                    var promised = world.promised
                    try await world.sendFiles { _ in
                        // If `send` returned after the power failure, it has promised nothing.
                        if disks.outbox.changes - before < change { promised = world.promised }
                    }
                    let isOver = disks.outbox.changes - before < change
                    world.promised = promised
                    await world.engine?.close()
                    guard let store = world.store else { return true }
                    try disks.cutPower(of: store, at: world.device)
                    await world.closeDevice()
                    outcome.injected += 1
                    outcome.promised += promised.values.reduce(0) { $0 + $1.count }
                    try await recover(world, &outcome, key: key)
                    outcome.lost += try await world.lost()
                    await world.close()
                    return isOver
                }
                if isOver { break }
            }
        }
    }

    /// Damages the copies of files in each channel in turn, in all possible ways.
    func damageFiles(_ outcome: inout Outcome) async throws {
        for key in keys {
            for place in Swift.stride(from: 0, to: 10_000, by: 500 * stride) {
                for damage in FileDamage.allCases {
                    try await withDirectory { directory in
                        let world = try await World(in: directory)
                        try world.openDevice(key: key)
                        try await world.perform(.connect)
                        try await world.perform(.goOffline)
                        try await world.sendFiles()
                        await world.closeDevice()
                        let files = world.device.appending(path: "files")
                        for name in try FileManager.default.contentsOfDirectory(atPath: files.path)
                        {
                            try damage.apply(to: files.appending(path: name), at: place)
                            outcome.injected += 1
                        }
                        outcome.promised += world.promised.values.reduce(0) { $0 + $1.count }
                        try await recover(world, &outcome, key: key)
                        for text in world.reported.all { outcome.record(report: text) }
                        outcome.lost += try await world.lost()
                        await world.close()
                    }
                }
            }
        }
        if outcome.calls.isEmpty { outcome.violations.append("no damage was reported") }
    }

    private enum FileDamage: CaseIterable {
        case flipped, cut, emptied, extended, missing

        func apply(to file: URL, at place: Int) throws {
            var bytes = try Data(contentsOf: file)
            let place = min(place, bytes.count - 1)
            switch self {
            case .flipped: bytes[place] ^= 1 << UInt8(place % 8)
            case .cut: bytes = bytes.prefix(place)
            case .emptied: bytes = Data()
            case .extended: bytes += Data(repeating: 0, count: 1 + place)
            case .missing: return try FileManager.default.removeItem(at: file)
            }
            try bytes.write(to: file)
        }
    }
}
