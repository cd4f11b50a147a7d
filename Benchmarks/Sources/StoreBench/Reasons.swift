extension Goal {
    /// The reason why the goal was missed, for the page.
    var reason: String {
        switch (row, wanted) {
        case (Title.durableBatch, _):
            "LevelDB's log grows, so its size is synced as well, while SQLite overwrites its log; an item takes 24,000 instructions, 14,700 in C"
        case (Title.durablePut, .aheadOf):
            "LevelDB's log grows, so its size is synced as well, while SQLite overwrites its log"
        case (Title.insert, _), (Title.insertClosed, _):
            "LevelDB writes a row again whenever a compaction moves the row to the next level"
        case (Title.lastRead, _):
            "newer messages are read with steps backward, each of which decodes up to 16 keys of a block again"
        case (Title.disk, _):
            "closing a store interrupts a compaction, whose unfinished tables stay until the next opening"
        case (Title.put, .atMost):
            "three fifths of the instructions are Scrollback's: the batch, the published state, the change for observers; C looks up the message instead"
        case (_, .atMost(_, Runner.appendName)):
            "one `fdatasync` in both; Scrollback also encodes the item, looks it up, and publishes a state, with the processor's caches cold after the wait"
        case (_, .atMost(_, SQLiteEngine.name)), (_, .atMost(_, IntegerSQLiteEngine.name)):
            "a step of LevelDB's cursor merges memory with all levels of tables"
        case (Title.rawScan, .atMost), (Title.scan, .atMost):
            "each row passes through a closure, in addition to the 1,050 instructions of LevelDB's step"
        case (Title.miss, .atMost):
            "a fifth of the instructions are Scrollback's: 440 of 3,840 find the number of the URL, which C gets as an argument"
        case (_, .atMost):
            "as many instructions as in C, after finding the number of the URL and the last commit in memory"
        case (Title.afterDeletionsRaw, _), (Title.afterDeletions, _):
            "on the first read, LevelDB steps over each deleted key until it compacts its tables"
        case (Title.open, _), (Title.openLoaded, _), (Title.coldOpen, _):
            "two databases are locked, listed and read, and up to 256 KiB of each log are replayed"
        case (Title.coldBoth, _):
            "two databases are locked, listed and read, and of several tables, the end and another part are read, 64 KiB each; SQLite reads pages of 4 KiB of one file"
        case (Title.coldPage, _):
            "the end and another part of several tables are read, 64 KiB each; SQLite reads pages of 4 KiB"
        case (Title.top20, _), (Title.top40, _):
            "channels that are not cached from the previous list are looked up in LevelDB; in C, all are"
        case (Title.allChannels, _):
            "each channel is looked up in LevelDB and decoded, as in C"
        case (Title.touch, _):
            "encoding the channel and updating the order in memory take as long as SQLite's row"
        case (Title.memory, _):
            "LevelDB's tables are open, with their indexes and filters; C uses as much"
        case (Title.stall, _):
            "LevelDB pauses writes when compaction cannot keep up"
        case (Title.update, .aheadOf), (Title.delete, .aheadOf):
            "the stored message is looked up first; with a million messages, this takes most of the time"
        case (_, .growth):
            "LevelDB from C grows in the same way, because it has to search more tables"
        case (_, .aheadOf):
            "a step of LevelDB's cursor takes 1,050 instructions, because it merges memory with all tables"
        case (_, .absolute):
            "C takes 10 to 12 µs without decoding: a seek and 29 steps of LevelDB's cursor"
        }
    }
}
