import Models

/// What messages, channels, gaps and drafts can be read from.
///
/// A ``ChatStore`` is read as of the last commit, each call anew; a ``Snapshot`` as of one commit,
/// whatever comes later; a ``Batch`` as the store will be after it. Reads run on the thread of
/// their caller, and wait for no write; only after the disk has failed one, for the files to be
/// opened anew, as ``ChatStore`` says.
///
/// Every call throws ``StoreError``, beyond what it says itself: `closed` after the store was
/// closed, `io` if the disk cannot be read, what the disk says while files that failed cannot be
/// opened anew, and `corruption` if a block of a file is damaged, or a
/// row that the call needs cannot be decoded. Lists of channels and of drafts leave such rows out,
/// so that one of them does not hide all others; ``unreadableChannelURLs()`` and
/// ``unreadableDraftIDs()`` name them. Lists of messages do not: what is left out of a history
/// would look as if it had never been there.
public protocol StoreReader {
    /// What is seen.
    ///
    /// - Throws: ``StoreError`` with code `closed`.
    var view: StoreView { get throws(StoreError) }
}

/// What a ``StoreReader`` sees; its methods say it.
public struct StoreView {
    let version: Version
    /// What a batch has done so far.
    let batch: BatchRows?

    var cache: Rows { Rows(snapshot: version.cache, overlay: batch?.cache, counted: batch) }
    var outbox: Rows { Rows(snapshot: version.outbox, overlay: batch?.outbox) }

    /// The number of a channel; `nil` if nothing was ever stored of it.
    func number(of url: ChannelURL) throws(StoreError) -> ChannelNumber? {
        if let batch, !batch.numbers.isEmpty, let known = batch.numbers[url] { return known.number }
        return try version.names.number(
            of: url, asOf: version.number, in: Rows(snapshot: version.cache))
    }
}

/// The store as of one commit, whatever comes later.
///
/// Keeps on the disk what was deleted since, and the files open, past the closing of the store too.
/// Files that failed in a write cannot be opened anew while somebody holds one: until the last is
/// let go of, each write to them fails with `busy`. So let go of it soon.
public struct Snapshot: StoreReader, Sendable {
    let version: Version

    /// What is seen.
    public var view: StoreView { StoreView(version: version, batch: nil) }

    /// The number of the last change that it has; 0 before the first.
    ///
    /// An observer skips the changes up to this one: they are in the snapshot.
    public var number: Int { version.number }
}
