extension Migration {
    /// Version 2: the outbox has a table of drafts.
    ///
    /// No row changes. Code of version 1 would lose the drafts when it rebuilds a damaged outbox,
    /// so it must refuse the store.
    static let drafts = Migration(to: 2) { (_, _, _) in }
}
