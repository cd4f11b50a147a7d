extension Goal {
    /// Why it may be missed, for the page; shown only where it is.
    var reason: String {
        switch (row, wanted) {
        case (Title.put, .atMost):
            "each commit makes a version for its readers and a change for observers"
        case (_, .atMost(_, Runner.appendName)):
            "both are one `fdatasync`; the disk differs from one to the next"
        case (Title.rawScan, .atMost), (Title.scan, .atMost):
            "some 90 instructions for each row, beside the 1,050 of LevelDB's step"
        case (Title.miss, .atMost):
            "a fifth of its instructions are ours: 440 of 3,840 find the number of the URL, which C is told"
        case (_, .atMost):
            "beside LevelDB's, some 700 instructions of ours for a call, and 90 for each row"
        case (Title.afterDeletionsRaw, _), (Title.afterDeletions, _):
            "LevelDB steps over each deleted key until it merges tables, when they are first met"
        case (Title.open, _), (Title.openLoaded, _):
            "LevelDB replays its last log, up to 4 MiB"
        case (Title.coldPage, _):
            "LevelDB opens each table with four reads; SQLite walks down one tree"
        case (Title.top20, _), (Title.top40, _):
            "what is not kept from the list before is a lookup of LevelDB; in C, all are"
        case (Title.allChannels, _):
            "each channel is a row of LevelDB that is decoded, as in C"
        case (Title.touch, _):
            "encoding the channel and keeping the order in memory take as long as SQLite's row"
        case (Title.durableBatch, _):
            "mostly what the disk takes; two rows for each draft"
        case (Title.memory, _):
            "LevelDB's tables are open, with their indexes and filters, and as much in C"
        case (Title.stall, _):
            "LevelDB stops a load when merging falls behind"
        case (_, .growth):
            "it is LevelDB's: from C, a lookup grows 3.6 times, and a random page 2.6 times"
        case (_, .aheadOf):
            "a step of LevelDB's cursor is 1,050 instructions: it merges the memory with all tables"
        case (_, .absolute):
            "C takes 10 to 12 µs without decoding: a seek and 29 steps of LevelDB's cursor"
        }
    }
}
