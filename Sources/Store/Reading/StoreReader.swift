import Models

/// A source of messages, channels, gaps and outbox items.
///
/// Each call of a ``ChatStore`` reads the latest commit, a ``Snapshot`` always the same one, and a
/// ``Batch`` the latest one with its own writes applied. Reads run on the caller's thread, and do
/// not wait for writes, except while the store reopens its files after a failed write.
///
/// In addition to its documented errors, every call throws ``StoreError`` with these codes:
/// `closed` after the store was closed; `io` if the disk cannot be read; the error of the disk
/// while the files cannot be reopened after a failed write; and `corruption` if a block of a file
/// is damaged, or a required row cannot be decoded. Lists of channels and of outbox items omit
/// undecodable rows, so that the others can still be read; ``ChatStore/check()`` finds them. Lists
/// of messages throw an error instead, because the user could not notice an omitted message.
public protocol StoreReader {
    /// The data to read, unless the store is closed.
    var view: StoreView { get throws(StoreError) }
}

/// The data that the methods of a ``StoreReader`` read.
public struct StoreView {
    let committed: CommittedState
    let batch: BatchRows?

    var cache: Rows { Rows(snapshot: committed.cache, overlay: batch?.cache, counted: batch) }
    var outbox: Rows { Rows(snapshot: committed.outbox, overlay: batch?.outbox) }

    /// Records an undecodable value of the cache, and returns the error.
    package func recordingDamage(
        _ message: String, cause: (any Error)?
    ) -> StoreError {
        committed.cache.recordingDamage(
            StoreError(.corruption, message, path: committed.cache.path, cause: cause))
    }

    func number(of url: ChannelURL) throws(StoreError) -> ChannelNumber? {
        if let batch, !batch.numbers.isEmpty, let known = batch.numbers[url] { return known }
        return try committed.channelNumber(of: url)
    }
}

/// The store in one commit, regardless of later ones.
///
/// Release a snapshot soon. While it exists, deleted data stays on disk, the files stay open even
/// after the store was closed, and after a failed write, later ones fail with `busy`.
public struct Snapshot: StoreReader, Sendable {
    let committed: CommittedState

    /// The data to read.
    public var view: StoreView { StoreView(committed: committed, batch: nil) }

    /// The number of the latest change in the snapshot; observers skip changes up to this number.
    public var number: Int { committed.number }
}
