import Foundation
import ScrollbackFaultyDisks

/// A day of a world in a separate process, which is killed before a change to its disk.
struct InterruptedDay {
    let promises: Promises

    /// A Boolean value that indicates whether the day ended before the disk had made that many
    /// changes.
    var isOver: Bool { promises.isComplete }

    /// Starts the process, and waits until it has ended.
    init(in directory: URL, killedAt change: Int, of database: String) throws {
        let process = try ChildProcess("day", in: directory, database, "\(change)")
        let wasKilled = try process.wasKilled()
        promises = try Promises(in: directory)
        guard isOver || wasKilled else { throw Unexpected("a day ended before it was over") }
    }

    /// Runs the day in a process, which prints each promise as soon as it makes it.
    ///
    /// `database` names the disk whose changes are counted: `cache`, `outbox`, or `files` for the
    /// outbox and its copies of files, on a day on which files are sent.
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
