/// Delays each batch of a bulk load slightly, so that LevelDB never blocks a batch for long.
///
/// LevelDB merges tables on its own thread. If twelve tables are not merged yet, it blocks a write
/// until the merge has caught up. In a store with a million messages, that takes most of a second,
/// during which all other writers wait, too. Therefore, large batches are delayed by some
/// milliseconds as soon as unmerged tables accumulate. Small batches, such as those of live events,
/// are never delayed.
struct Throttle {
    /// Batches of at least this size count as part of a bulk load.
    private static let smallestLoad = 4 << 10
    /// The amount of data written between two checks of the number of tables.
    ///
    /// It is less than the size of a new table.
    private static let lookInterval = 256 << 10
    /// The number of unmerged tables up to which nothing is delayed.
    ///
    /// LevelDB itself starts to merge at 4 tables, and to delay writers at 8.
    private static let fewTables = 5
    /// The delay for each 32 KiB if there is one table more than ``fewTables``.
    ///
    /// The delay doubles with each further table.
    private static let shortestDelay = Duration.milliseconds(1)
    private static let longestDelay = Duration.milliseconds(32)

    private var writtenSinceLook = 0
    /// The current delay for each 32 KiB.
    private var delay = Duration.zero

    /// Returns the delay after a batch.
    ///
    /// - Parameters:
    ///   - size: The number of bytes of the batch.
    ///   - tableCount: A closure that returns the number of unmerged tables. It is not called for
    ///     every batch.
    /// - Returns: The delay; zero for a small batch, and while LevelDB keeps up.
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
