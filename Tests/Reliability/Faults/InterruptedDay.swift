import Foundation
import ScrollbackFaultyDisks

/// A day of a world that runs in a separate process.
///
/// The process is killed before a given change to its disk.
struct InterruptedDay {
    let promises: Promises

    /// True if the day ended before the process was killed, because the disk made fewer changes.
    var isOver: Bool { promises.isComplete }

    /// Starts the process, and waits until it has ended.
    init(in directory: URL, killedAt change: Int, of database: String) throws {
        let process = try ChildProcess("day", in: directory, database, "\(change)")
        let wasKilled = try process.wasKilled()
        promises = try Promises(in: directory)
        guard isOver || wasKilled else { throw Unexpected("a day ended before it was over") }
    }

    /// Runs the day in this process, and prints each promise as soon as it is made.
    ///
    /// `database` names the disk whose changes are counted: `cache`, `outbox`, or `files`. With
    /// `files`, the day sends files, and the changes of the outbox and of its copies of files are
    /// counted.
    static func run(in directory: URL, killedAt change: Int, of database: String) async throws {
        let world = try await World(in: directory)
        let disks = world.disks
        (database == "cache" ? disks.cache : disks.outbox).kill(at: change)
        try world.openDevice(on: disks)
        for step in database == "files" ? Step.dayWithFiles : Step.day {
            try await world.perform(step) { say($0) }
        }
        await world.close()
        say(Promises.end)
    }
}
