/// Delays each batch of a bulk load slightly, so that LevelDB never blocks a batch for long.
///
/// LevelDB merges tables on its own thread. At twelve unmerged tables, it blocks all writes: most
/// of a second in a store with a million messages. Therefore, large batches, but not small ones
/// such as those of live events, are delayed by some milliseconds when unmerged tables accumulate.
struct Throttle {
    /// Batches of at least this many bytes are part of a bulk load.
    private static let smallestLoad = 4 << 10
    /// The number of bytes between two checks of the number of tables; a new table has more.
    private static let lookInterval = 256 << 10
    /// LevelDB starts to merge at 4 tables, and delays writers at 8.
    private static let fewTables = 5
    /// The delay for 32 KiB at ``fewTables`` plus one, doubled by each further table.
    private static let shortestDelay = Duration.milliseconds(1)
    private static let longestDelay = Duration.milliseconds(32)

    private var writtenSinceLook = 0
    /// The current delay for each 32 KiB.
    private var delay = Duration.zero

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
