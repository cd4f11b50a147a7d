extension Goal {
    /// The reason for a missed goal, for the page.
    var reason: String {
        switch (row, wanted) {
        case (Title.put, .atMost):
            "three fifths of its instructions are ours: the batch, a version for readers, a change for observers; C looks for the message instead"
        case (_, .atMost(_, Runner.appendName)):
            "one `fdatasync` in both; beside it ours encodes the draft, looks for it, and makes a version, with the processor's caches cold from the wait"
        case (Title.rawScan, .atMost), (Title.scan, .atMost):
            "each row passes through a closure, beside the 1,050 instructions of LevelDB's step"
        case (Title.miss, .atMost):
            "a fifth of its instructions are ours: 440 of 3,840 find the number of the URL, which C is told"
        case (_, .atMost):
            "as many instructions as in C; the number of the URL and the last commit are found in memory first"
        case (Title.afterDeletionsRaw, _), (Title.afterDeletions, _):
            "LevelDB steps over each deleted key until it merges tables, when they are first met"
        case (Title.open, _), (Title.openLoaded, _):
            "two databases are locked, listed and read, and up to 256 KiB of each one's log replayed"
        case (Title.coldPage, _):
            "of each of several tables its end and a part are read, 64 KiB each; SQLite reads pages of 4 KiB"
        case (Title.top20, _), (Title.top40, _):
            "what is not kept from the list before is a lookup of LevelDB; in C, all are"
        case (Title.allChannels, _):
            "each channel is a row of LevelDB that is decoded, as in C"
        case (Title.touch, _):
            "encoding the channel and keeping the order in memory take as long as SQLite's row"
        case (Title.durableBatch, _):
            "LevelDB's log grows, and its size is synced with it, where SQLite writes over its own; and a draft is 24,000 instructions, 14,700 in C"
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
