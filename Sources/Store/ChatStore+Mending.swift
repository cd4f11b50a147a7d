// After a write that failed, the files are opened anew before the next one.

extension ChatStore {
    /// Opens files anew whose last write failed.
    ///
    /// Readers wait meanwhile, and go on with the old files if it cannot be done.
    func mend() throws(StoreError) {
        guard cache.hasFailed || outbox.hasFailed else { return }
        // Readers need not wait for what only asks the disk.
        try cache.checkCanReopen()
        try outbox.checkCanReopen()
        try state.withLock { (state) throws(StoreError) in
            // What failed is not in the last version, so the new one is the same commit. The old one
            // has to be let go of first, since it holds the files.
            guard let resumed = state.version.map(Resumed.init) ?? state.resumed else {
                throw isClosed
            }
            state.resumed = resumed
            state.version = nil
            defer { state.resume(cache, outbox) }
            try cache.reopen(isChecked: true)
            try outbox.reopen(isChecked: true)
        }
    }
}

extension ChatStore.State {
    /// Makes the version anew that was let go of, if the files can be read.
    mutating func resume(_ cache: LevelDB, _ outbox: LevelDB) {
        guard let resumed else { return }
        do throws(StoreError) {
            version = Version(
                number: resumed.number, cache: try cache.snapshot(),
                outbox: try outbox.snapshot(), names: resumed.names, derived: resumed.derived)
            self.resumed = nil
            failure = nil
        } catch {
            // Thrown to each reader, until a write succeeds in opening the files.
            failure = cache.failure ?? outbox.failure ?? error
        }
    }
}

/// What of a version outlives its files.
struct Resumed {
    var number: Int
    let names: ChannelNames
    let derived: Version.Derived

    init(_ version: Version) {
        number = version.number
        names = version.names
        derived = version.derived()
    }
}
