import Models

/// A source of messages, channels, gaps and outbox items.
///
/// A ``ChatStore`` is read as of its last commit in each call; a ``Snapshot`` as of one commit,
/// regardless of later ones; a ``Batch`` with its own writes applied. Reads run on the caller's
/// thread and do not wait for writes, except after a failed write, until the files are reopened, as
/// described for ``ChatStore``.
///
/// Every call throws ``StoreError``, in addition to its own documentation: `closed` after the store
/// was closed, `io` if the disk cannot be read, the error of the disk while failed files cannot be
/// reopened, and `corruption` if a block of a file is damaged or a required row cannot be decoded.
/// Lists of channels and of outbox items omit such rows, so that one of them does not hide all
/// others; ``unreadableChannelURLs()`` and ``unreadableOutboxItemIDs()`` return them. Lists of
/// messages do not: an omitted message would look as if it had never existed.
public protocol StoreReader {
    /// The data that is read.
    ///
    /// - Throws: ``StoreError`` with code `closed`.
    var view: StoreView { get throws(StoreError) }
}

/// The data of a ``StoreReader``, for its methods.
public struct StoreView {
    let version: CommittedState
    /// The uncommitted writes of a batch; `nil` without one.
    let batch: BatchRows?

    var cache: Rows { Rows(snapshot: version.cache, overlay: batch?.cache, counted: batch) }
    var outbox: Rows { Rows(snapshot: version.outbox, overlay: batch?.outbox) }

    /// Returns the number of a channel; `nil` if no data of it was ever stored.
    func number(of url: ChannelURL) throws(StoreError) -> ChannelNumber? {
        if let batch, !batch.numbers.isEmpty, let known = batch.numbers[url] { return known.number }
        return try version.names.number(
            of: url, asOf: version.number, in: Rows(snapshot: version.cache))
    }
}

/// The store as of one commit, regardless of later ones.
///
/// A snapshot keeps deleted data on the disk and the files open, even after the store was closed.
/// While a snapshot exists, files with a failed write cannot be reopened, and each write to them
/// fails with `busy`. Therefore release snapshots soon.
public struct Snapshot: StoreReader, Sendable {
    let version: CommittedState

    /// The data that is read.
    public var view: StoreView { StoreView(version: version, batch: nil) }

    /// The number of the last change that it contains; 0 before the first.
    ///
    /// Observers skip changes up to this number: the snapshot contains them.
    public var number: Int { version.number }
}
