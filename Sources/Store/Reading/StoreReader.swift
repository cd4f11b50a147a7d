import Models

/// A source of messages, channels, gaps and outbox items.
///
/// There are three readers. Each call of a ``ChatStore`` reads the last commit. A ``Snapshot``
/// reads one commit, regardless of later ones. A ``Batch`` reads the last commit with its own
/// writes applied. Reads run on the caller's thread and do not wait for writes, with one exception:
/// after a failed write, they wait while the files are reopened, as described for ``ChatStore``.
///
/// In addition to the errors that its documentation lists, every call throws ``StoreError`` with
/// these codes: `closed` after the store was closed; `io` if the disk cannot be read; the error of
/// the disk while the files cannot be reopened after a failed write; and `corruption` if a block of
/// a file is damaged or a required row cannot be decoded. Lists of channels and of outbox items
/// omit rows that cannot be decoded, so that the others can still be read;
/// ``unreadableChannelURLs()`` and ``unreadableOutboxItemIDs()`` return the omitted ones. Lists of
/// messages throw an error instead, because an omitted message would look as if it had never
/// existed.
public protocol StoreReader {
    /// The data that is read.
    ///
    /// - Throws: ``StoreError`` with code `closed`.
    var view: StoreView { get throws(StoreError) }
}

/// The data that the methods of a ``StoreReader`` read.
public struct StoreView {
    let version: CommittedState
    /// The uncommitted writes of a batch; `nil` outside of a batch.
    let batch: BatchRows?

    var cache: Rows { Rows(snapshot: version.cache, overlay: batch?.cache, counted: batch) }
    var outbox: Rows { Rows(snapshot: version.outbox, overlay: batch?.outbox) }

    /// Returns the number of a channel; `nil` if no data was ever stored for it.
    func number(of url: ChannelURL) throws(StoreError) -> ChannelNumber? {
        if let batch, !batch.numbers.isEmpty, let known = batch.numbers[url] { return known.number }
        return try version.names.number(
            of: url, asOf: version.number, in: Rows(snapshot: version.cache))
    }
}

/// The store as of one commit, regardless of later ones.
///
/// Release snapshots soon. A snapshot keeps deleted data on disk, and keeps the files open even
/// after the store was closed. After a failed write, the files cannot be reopened while a snapshot
/// exists, and each write fails with `busy`.
public struct Snapshot: StoreReader, Sendable {
    let version: CommittedState

    /// The data that is read.
    public var view: StoreView { StoreView(version: version, batch: nil) }

    /// The number of the last change that the snapshot contains; 0 if it contains none.
    ///
    /// Observers skip changes up to this number.
    public var number: Int { version.number }
}
