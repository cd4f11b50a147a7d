extension Goal {
    /// Why it may be missed, for the page; shown only where it is.
    var reason: String {
        switch (row, wanted) {
        case (Title.put, .atMost):
            "each commit makes a version for its readers and a change for observers"
        case (_, .atMost(_, Runner.appendName)):
            "both are one `fdatasync`; the disk differs from one to the next"
        case (Title.rawScan, .atMost), (Title.scan, .atMost):
            "not known yet"
        case (_, .atMost):
            "ours finds the channel's number by its URL, and takes the last commit under a lock"
        case (Title.afterDeletionsRaw, _), (Title.afterDeletions, _):
            "LevelDB steps over each deleted key until it merges tables; C pays the same"
        case (Title.open, _), (Title.openLoaded, _):
            "LevelDB replays its last log, up to 4 MiB"
        case (Title.coldPage, _):
            "LevelDB opens each table with four reads; SQLite walks down one tree"
        case (Title.top20, _), (Title.top40, _), (Title.allChannels, _):
            "the order is in memory, but each channel is a lookup or a row of LevelDB; C pays the same"
        case (Title.touch, _):
            "encoding the channel and keeping the order in memory take as long as SQLite's row"
        case (Title.durableBatch, _):
            "mostly what the disk takes; two rows for each draft"
        case (Title.newest, .absolute), (Title.newestChecked, .absolute):
            "thirty steps of LevelDB's cursor, as in C; decoding is a third"
        case (Title.memory, _):
            "LevelDB's tables are open, with their indexes and filters, and as much in C"
        case (Title.stall, _):
            "LevelDB stops a load when merging falls behind"
        case (_, .growth):
            "more tables to look into, and more of them beyond the cache"
        case (_, .aheadOf):
            "a row of LevelDB lies by itself, one of SQLite beside its neighbours"
        case (_, .absolute):
            "not known yet"
        }
    }
}
