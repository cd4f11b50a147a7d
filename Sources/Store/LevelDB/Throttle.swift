/// Holds up a long load a little at each batch, so that LevelDB never has to hold it up for long.
///
/// LevelDB merges tables in a thread of its own. When that falls behind, by twelve new tables, a
/// write waits until it has caught up: most of a second with a million messages, and whoever has
/// something else to write waits too. So large batches wait for some milliseconds each as soon as
/// new tables pile up; small ones, which is what comes live, are never held up here.
struct Throttle {
    /// What a batch has at least to be one of a load.
    private static let smallestLoad = 4 << 10
    /// How much is written between two looks at the tables: a part of what makes a new one.
    private static let lookInterval = 256 << 10
    /// LevelDB begins to merge at 4, and to wait at 8.
    private static let fewTables = 5
    /// How long 32 KiB wait for the first table too many; twice as long for each more.
    private static let shortestDelay = Duration.milliseconds(1)
    private static let longestDelay = Duration.milliseconds(32)

    private var writtenSinceLook = 0
    /// For each 32 KiB.
    private var delay = Duration.zero

    /// Says how long to wait after a batch.
    ///
    /// - Parameters:
    ///   - size: How many bytes the batch had.
    ///   - tableCount: How many tables were not merged yet; asked for now and then.
    /// - Returns: The time to wait; zero for a small batch, and while LevelDB keeps up.
    mutating func delay(afterWriting size: Int, tableCount: () -> Int) -> Duration {
        writtenSinceLook += size
        if writtenSinceLook >= Throttle.lookInterval {
            writtenSinceLook = 0
            let surplus = tableCount() - Throttle.fewTables
            delay =
                surplus > 0
                ? min(Throttle.shortestDelay * (1 << min(surplus - 1, 10)), Throttle.longestDelay)
                : .zero
        }
        guard size >= Throttle.smallestLoad, delay > .zero else { return .zero }
        return min(delay * size / (32 << 10), Throttle.longestDelay)
    }
}
